#include "slots/concurrency_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tandem::slots {
namespace {

// Parts with fewer tokens or a shorter time are ignored, because tokens arrive together after a
// delay of the network or of the event loop.
constexpr int min_tokens = 8;
constexpr double min_seconds = 0.05;
// A number of running requests counts as seen once this many tokens were recorded for that number.
constexpr double tokens_to_trust = 80;
// Beyond this number, older tokens lose weight, so that the present speed decides.
constexpr double tokens_remembered = 1000;
// A speed that is not measured again within this time is ignored, because it may have changed. A
// larger number of requests is then tried again.
constexpr auto trust_for = std::chrono::minutes(5);
// How often numbers below and above the limit are tried. Smaller numbers do not occur on their own
// while the limit holds, and earlier measurements may come from a time with many prompts. Larger
// numbers are tried less often, because each trial slows down all requests for some seconds.
constexpr duration fewer_tried_every = std::chrono::seconds(15);
constexpr duration more_tried_every = std::chrono::seconds(60);
constexpr duration tried_for = std::chrono::seconds(5);
constexpr duration half_forgotten_after = std::chrono::seconds(15);
// This share of the highest total counts as the highest: measured speeds vary, especially while the
// number of running requests changes.
constexpr double nearly_all = 0.9;
// Numbers of running requests that differ by at most this factor are treated as equal.
constexpr double similar = 1.12;
// Totals are averaged over similar numbers. Therefore, even if each request adds the same speed, a
// number of requests seems to generate nearly as much as a number larger by a factor of `similar`
// squared. Only a number larger by this factor can show that more requests are useless.
constexpr double clearly_more = 1.4;
// Until more requests are known to be useless, the limit is this many times the largest number
// seen, but at least `small_crowd`. Without this limit, a few seconds of wrong estimates would let
// the requests of all listeners run together.
constexpr int growth = 2;
constexpr int small_crowd = 8;
// The next smaller number to try is smaller by this factor.
constexpr double step = 1.25;
// Each number of running requests up to 12 has its own sample. Larger numbers share a sample if
// they differ by less than 9 % (2^(1/8)), because none of them lasts long enough on its own while
// callers arrive.
constexpr double magnitudes_per_doubling = 8;
// With a limit of 1, the server would be idle between the end of one request and the start of the
// next.
constexpr int min_limit = 2;

/// The total tokens/s of all requests while `running` requests ran.
struct seen_total {
    int running;
    double tokens_per_s;
    time_point last;
};

// Whether to try a number in [least, end), because none of these was seen recently. A trial without
// a result is repeated only after a while, because there may be too few requests.
bool should_try(const std::vector<seen_total>& all, int least, int end, duration every,
                time_point now) {
    time_point last{};
    for (const auto& s : all)
        if (s.running >= least && s.running < end) last = std::max(last, s.last);
    return least < end && (now - last) % (every + tried_for) >= every;
}

double age_weight(duration age) {
    return std::exp2(-to_seconds(age) / to_seconds(half_forgotten_after));
}

}  // namespace

bool concurrency_limit::record_speed(double running, const generated_so_far& part, time_point now) {
    const double seconds = to_seconds(part.time);
    if (part.tokens < min_tokens || seconds < min_seconds) return false;
    const double count = std::max(1.0, std::round(running));
    auto& s =
        by_magnitude_[static_cast<int>(std::lround(magnitudes_per_doubling * std::log2(count)))];
    const double kept =
        age_weight(now - s.last) * std::min(1.0, tokens_remembered / std::max(s.tokens, 1.0));
    s.tokens = s.tokens * kept + part.tokens;
    s.seconds = s.seconds * kept + seconds;
    s.running_seconds = s.running_seconds * kept + count * seconds;
    s.steady_tokens = s.steady_tokens * kept + part.steady_tokens;
    s.steady_seconds = s.steady_seconds * kept + to_seconds(part.steady_time);
    s.last = now;
    return true;
}

// Includes similar numbers of requests, because a single number has too few samples to be exact.
std::optional<double> concurrency_limit::find_steady_total(double running, time_point now) const {
    double tokens = 0;
    double sum = 0;
    for (const auto& [magnitude, s] : by_magnitude_) {
        const bool is_similar =
            s.running() * similar >= running && s.running() <= running * similar;
        if (!is_similar || now - s.last >= trust_for || s.steady_seconds <= 0) continue;
        tokens += s.steady_tokens;
        sum += s.steady_tokens * s.running() * s.steady_tokens_per_s();
    }
    return tokens < tokens_to_trust ? std::nullopt : std::optional(sum / tokens);
}

int concurrency_limit::find_limit(time_point now) const {
    std::vector<seen_total> all;
    for (const auto& [magnitude, s] : by_magnitude_) {
        const int running = static_cast<int>(std::lround(s.running()));
        // Ignores numbers below min_limit: they never become the limit, so nothing would show that
        // their speed has changed.
        if (running < min_limit || now - s.last >= trust_for) continue;
        if (const auto total = find_steady_total(s.running(), now))
            all.push_back({running, *total, s.last});
    }
    if (all.empty()) return unlimited;
    const double most = std::ranges::max(all, {}, &seen_total::tokens_per_s).tokens_per_s;
    const int best = std::ranges::find_if(all, [most](const seen_total& s) {
                         return s.tokens_per_s >= nearly_all * most;
                     })->running;
    const int useless = static_cast<int>(std::ceil(best * clearly_more));
    const int largest = all.back().running;
    if (largest < useless) return std::max(growth * largest, small_crowd);
    const int fewer = std::max(static_cast<int>(std::lround(best / step)), min_limit);
    if (should_try(all, fewer, best, fewer_tried_every, now)) return fewer;
    return should_try(all, useless, unlimited, more_tried_every, now) ? useless : best;
}

// If the limit is not below the number of slots, each request adds the same speed, so slightly
// fewer requests than slots already show the speed of all slots. Includes the time in which prompts
// of other requests hold up a generating request.
std::optional<double> concurrency_limit::find_tokens_per_s(int slots, time_point now) const {
    constexpr double nearly_all_slots = 0.8;
    const int limit = find_limit(now);
    const int most = std::min(limit, slots);
    const int least = limit < slots ? limit : static_cast<int>(std::ceil(nearly_all_slots * slots));
    double tokens = 0;
    double all_together = 0;  // tokens, weighted by the total tokens/s
    for (const auto& [magnitude, s] : by_magnitude_) {
        if (now - s.last >= trust_for || std::lround(s.running()) < least) continue;
        const double counted = s.tokens * age_weight(now - s.last);
        tokens += counted;
        all_together += counted * s.tokens_per_s() * std::max<double>(most, s.running());
    }
    return tokens < tokens_to_trust ? std::nullopt : std::optional(all_together / tokens);
}

}  // namespace tandem::slots
