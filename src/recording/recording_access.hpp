#pragma once

#include "tandem/recording.hpp"

#include <memory>

namespace tandem::detail {

/// Access to the internals of the public handles.
struct recording_access {
    static const std::shared_ptr<traffic_writer>& get_writer(const recorder& r) {
        return r.writer_;
    }
    static const std::shared_ptr<playback>& get_playback(const recording& r) { return r.playback_; }
};

}  // namespace tandem::detail
