#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tandem::mock {

/// How much each LoRA adapter of the server counts, by its id.
using adapter_scales = std::vector<double>;

/// A list of `{"id", "scale"}`: what it does not name does not count, and ids that there are not
/// are ignored, as are items that are none.
adapter_scales read_adapters(const nlohmann::json& list, std::size_t count);

/// The server's adapters, and how much they count for requests that name none. A request's own set
/// makes its slot forget what it holds of another one; the server's set does not, when it changes:
/// as measured on llama-server b11669. That requests of two sets do not run side by side there is
/// not played.
class adapters {
 public:
    /// All of them count in full at first.
    explicit adapters(std::vector<std::string> paths);

    /// GET /lora-adapters.
    std::string list() const;
    /// POST /lora-adapters. Throws std::invalid_argument for a body that is no list.
    void set(const std::string& body);

    const adapter_scales& standing() const noexcept { return scales_; }

 private:
    std::vector<std::string> paths_;
    adapter_scales scales_;
};

}  // namespace tandem::mock
