#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tandem::mock {

/// The scale of each LoRA adapter, by its id.
using adapter_scales = std::vector<double>;

/// Reads a list of `{"id", "scale"}`. Adapters not in the list have scale 0; unknown ids and
/// invalid items are ignored.
adapter_scales read_adapters(const nlohmann::json& list, std::size_t count);

/// The server's adapters, and their scales for requests that select none. As measured on
/// llama-server b11669: if a request selects scales that differ from those of its slot, the slot's
/// cache is cleared; a change of the server's scales does not clear the cache. The real server
/// never runs requests with different scales concurrently, but the mock does.
class adapters {
 public:
    /// All scales are 1 at first.
    explicit adapters(std::vector<std::string> paths);

    /// Response of GET /lora-adapters.
    std::string list() const;
    /// Handles POST /lora-adapters. Throws std::invalid_argument if the body is not a list.
    void set(const std::string& body);

    const adapter_scales& server_scales() const noexcept { return scales_; }

 private:
    std::vector<std::string> paths_;
    adapter_scales scales_;
};

}  // namespace tandem::mock
