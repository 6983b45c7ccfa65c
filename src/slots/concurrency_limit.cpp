#include "slots/concurrency_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tandem::slots {
namespace {

// Fewer tokens or a shorter time show little about the speed: after a delay of the network or of
// the event loop, tokens arrive together.
constexpr int min_tokens = 8;
constexpr double min_seconds = 0.05;
// A number of running requests counts as seen once this many tokens were recorded for that number.
constexpr double tokens_to_trust = 80;
// Beyond this number, older tokens lose weight, so that the present speed decides.
constexpr double tokens_remembered = 1000;
// A speed that is not measured again within this time may have changed. The limit then ignores that
// speed, so that a larger number of requests is tried again.
constexpr auto trust_for = std::chrono::minutes(5);
// If no number below the limit was seen within this time, a smaller one is tried: smaller numbers
// do not occur on their own while the limit holds, and earlier measurements may come from a time
// with many prompts. Larger numbers are tried less often, because each trial slows down all
// requests for some seconds.
constexpr duration fewer_tried_every = std::chrono::seconds(15);
constexpr duration more_tried_every = std::chrono::seconds(60);
constexpr duration tried_for = std::chrono::seconds(5);
constexpr duration half_forgotten_after = std::chrono::seconds(15);
// Measured speeds vary, especially while the number of running requests changes.
constexpr double nearly_all = 0.9;
// Numbers of running requests that differ by at most this factor are treated as equal.
constexpr double similar = 1.12;
// Totals are averaged over similar numbers. Therefore, even if each request adds the same speed, a
// number of requests generates nearly as much as one that is larger by a factor of `similar`
// squared. Only a number this many times as large can show that more requests are useless.
constexpr double clearly_more = 1.4;
// Until more requests are known to be useless, the limit is this many times the largest number
// seen, but at least `small_crowd`. Without this limit, a few seconds of wrong estimates would let
// the requests of all listeners run together.
constexpr int growth = 2;
constexpr int small_crowd = 8;
// The next smaller number to try is smaller by this factor.
constexpr double step = 1.25;
// Numbers of running requests that share a sample differ by less than 9 % (2^(1/8)); each number up
// to 12 has its own sample. While callers arrive, no number above 12 lasts long enough to be
// trusted on its own.
constexpr double magnitudes_per_doubling = 8;
// Another request must run between the end of one request and the start of the next.
constexpr int min_limit = 2;

/// The total tokens/s of all requests while `running` requests ran.
struct seen_total {
    int running;
    double tokens_per_s;
    time_point last;
};

// Whether no number from `least` to just below `end` was seen recently. If a trial has no result,
// it is suspended for a while, because there may be too few requests.
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
        // A number below min_limit never becomes the limit, so nothing would show that its speed
        // has changed.
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

// Without a limit, each request adds the same speed, so slightly fewer requests than slots already
// show the speed of all slots. The time in which other requests' prompts hold up a generating
// request is included.
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
