#pragma once

#include "tandem/log.hpp"
#include "tandem/recording.hpp"

#include <memory>

namespace tandem {
inline namespace v0 {

/// What a client or service uses in addition to its configuration. The default logs and records
/// nothing.
struct instruments {
    /// Where log lines go.
    logger log{};
    /// Records the traffic with the servers, if set.
    std::shared_ptr<recorder> record{};
    /// Answers instead of the servers, if set.
    std::shared_ptr<recording> play{};
};

}  // namespace v0
}  // namespace tandem
