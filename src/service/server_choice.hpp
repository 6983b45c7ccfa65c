#pragma once

#include "tandem/service_config.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tandem::services {

/// The state of a server that matters for choosing one.
struct server_load {
    bool may_serve = false;
    /// Number of usable slots; 0 if not known yet.
    int slots = 0;
    int conversations = 0;
    int generating = 0;
};

/// Chooses servers. Pure.
class server_choice {
 public:
    explicit server_choice(placement rule) : rule_(rule) {}

    /// An index into `servers`; nullopt if none may serve.
    std::optional<std::size_t> choose(std::span<const server_load> servers);

 private:
    placement rule_;
    std::size_t next_ = 0;  // round-robin position
};

}  // namespace tandem::services
