#pragma once

#include "tandem/recording.hpp"

#include <memory>

namespace tandem::detail {

/// What is behind the public handles.
struct recording_access {
    static const std::shared_ptr<traffic_writer>& writer_of(const recorder& r) { return r.writer_; }
    static const std::shared_ptr<playback>& playback_of(const recording& r) { return r.playback_; }
};

}  // namespace tandem::detail
