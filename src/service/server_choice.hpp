#pragma once

#include "tandem/service_config.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace tandem::services {

/// The state of a server that matters for choosing one.
struct server_load {
    bool may_serve = false;
    /// Number of usable slots; 0 if not yet known.
    int slots = 0;
    double conversations = 0;
    double generating = 0;
    /// Whether other processes also place conversations on the server. They learn of each other's
    /// conversations with a delay, and must not all choose the same server in the meantime.
    bool is_shared = false;
};

/// Chooses servers. Pure.
class server_choice {
 public:
    server_choice(placement rule, std::uint64_t seed) : rule_(rule), random_(seed) {}

    /// An index into `servers`; nullopt if none may serve.
    std::optional<std::size_t> choose(std::span<const server_load> servers);

 private:
    std::vector<std::size_t> list_candidates(std::span<const server_load> servers);

    placement rule_;
    std::minstd_rand random_;
    std::size_t next_ = 0;  // round-robin position
};

}  // namespace tandem::services
