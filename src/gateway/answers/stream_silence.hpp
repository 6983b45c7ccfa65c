#pragma once

#include "base/time.hpp"

#include <chrono>

namespace tandem::gateway {

/// Proxies and clients give up a stream on which nothing comes for long, often a minute.
inline constexpr duration longest_silence = std::chrono::seconds(10);

/// Says when a stream needs a sign of life that has no text to send. There is one only while the
/// server works: whoever asks has just heard from it. Pure.
class stream_silence {
 public:
    explicit stream_silence(time_point began) noexcept : last_sent_(began) {}

    void sent(time_point now) noexcept { last_sent_ = now; }
    /// Something came of which nothing is to be sent yet.
    bool is_too_long(time_point now) const noexcept { return now - last_sent_ >= longest_silence; }

 private:
    time_point last_sent_;
};

}  // namespace tandem::gateway
