#pragma once

#include "tandem/service_config.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tandem::services {

/// What a server looks like to a conversation that needs one.
struct server_load {
    bool may_serve = false;
    /// Slots that are used; 0 if that is not known yet.
    int slots = 0;
    int conversations = 0;
    int generating = 0;
};

/// Chooses servers. Pure.
class server_choice {
 public:
    explicit server_choice(placement rule) : rule_(rule) {}

    /// A place in `servers`; nothing if none may serve.
    std::optional<std::size_t> choose(std::span<const server_load> servers);

 private:
    placement rule_;
    std::size_t next_ = 0;  // in turn
};

}  // namespace tandem::services
