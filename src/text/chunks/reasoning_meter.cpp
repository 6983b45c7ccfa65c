#include "text/chunks/reasoning_meter.hpp"

#include "text/characters/white_space.hpp"

namespace tandem::text {

void reasoning_meter::on_text_read(time_point now, bool is_inside, int tokens) noexcept {
    const bool was_inside = is_inside_;
    is_inside_ = is_inside;
    has_opened_ |= is_inside && !was_inside;
    tokens_ += tokens;
    if ((was_inside || is_inside) && !since_) since_ = now;
    if (!is_inside) on_request_ended(now);
}

void reasoning_meter::on_text_shown(std::string_view text) noexcept {
    has_spoken_ = has_spoken_ || !is_all_white_space(text);
}

void reasoning_meter::on_request_ended(time_point now) noexcept {
    before_ = time_spent(now);
    since_.reset();
}

std::optional<time_point> reasoning_meter::must_end_at() const noexcept {
    if (!since_) return std::nullopt;
    if (limits_.tokens > 0 && tokens_ >= limits_.tokens) return *since_;
    if (limits_.time == duration{}) return std::nullopt;
    return *since_ + limits_.time - before_;
}

duration reasoning_meter::time_spent(time_point now) const noexcept {
    return since_ ? before_ + (now - *since_) : before_;
}

}  // namespace tandem::text
