#include "recording.hpp"

#include <cstdint>

namespace tandem::command {

void recording::add(const sound& s, time_point from, time_point to) {
    if (!track_) {
        track_.emplace(begun_, s.rate);
        file_.set_rate(s.rate);
    }
    const auto p = track_->add(static_cast<std::int64_t>(s.samples.size()), from, to);
    file_.write_silence(p.silence);
    file_.write(s, p.samples);
}

}  // namespace tandem::command
