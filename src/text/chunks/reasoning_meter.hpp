#pragma once

#include "base/time.hpp"

#include <optional>
#include <string_view>

namespace tandem::text {

/// How long a reply may reason; 0 = without limit.
struct reasoning_limits {
    duration time{};
    int tokens = 0;
};

/// Measures a reply's reasoning, and decides when it must end. Counts only time in which a request
/// runs. Pure.
class reasoning_meter {
 public:
    /// `is_inside`: whether the prompt has opened reasoning.
    explicit reasoning_meter(reasoning_limits limits = {}, bool is_inside = false)
        : limits_(limits), is_inside_(is_inside) {}

    /// Text was read. `tokens`: how many of its tokens belong to reasoning. `is_inside`: whether
    /// reasoning is open after the text.
    void on_text_read(time_point now, bool is_inside, int tokens) noexcept;
    /// Text outside reasoning was shown.
    void on_text_shown(std::string_view text) noexcept;
    /// The request ended; the reasoning may continue in the next one.
    void on_request_ended(time_point now) noexcept;
    /// The limit, or the end of the text, closed the open reasoning.
    void record_cut() noexcept { ++cuts_; }

    /// Removes the limits.
    void lift_limit() noexcept { limits_ = {}; }

    bool is_limited() const noexcept { return limits_.time > duration{} || limits_.tokens > 0; }
    /// When the open reasoning must end: in the past if its tokens are used up. nullopt if no
    /// reasoning is open, or there is no limit.
    std::optional<time_point> must_end_at() const noexcept;
    /// Whether the reply's text, rather than its prompt, opened reasoning.
    bool has_opened() const noexcept { return has_opened_; }
    /// Whether text other than white space was shown.
    bool has_spoken() const noexcept { return has_spoken_; }
    /// How often record_cut() was called.
    int cuts() const noexcept { return cuts_; }
    duration time_spent(time_point now) const noexcept;
    int tokens() const noexcept { return tokens_; }

 private:
    reasoning_limits limits_;
    bool is_inside_;
    bool has_opened_ = false;
    bool has_spoken_ = false;
    std::optional<time_point> since_;  // start of the current stretch of reasoning
    duration before_{};                // time spent in earlier ones
    int tokens_ = 0;
    int cuts_ = 0;
};

}  // namespace tandem::text
