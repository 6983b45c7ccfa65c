#include "slots/running_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tandem::slots {
namespace {

// Fewer tokens show little about the speed, nor does a shorter time: after a delay of the network
// or of the event loop, tokens arrive together.
constexpr int fewest_tokens = 8;
constexpr double shortest_s = 0.05;
// A number of running requests counts as seen once this many tokens were recorded for it.
constexpr double tokens_to_trust = 80;
// Older tokens lose weight beyond this number, so that the present speed counts.
constexpr double tokens_remembered = 1000;
// A speed that is not seen again within this time may have changed. The limit no longer depends on
// it, so that a larger number is tried again.
constexpr auto trust_for = std::chrono::minutes(5);
// Measured speeds vary, most of all while the number of running requests changes.
constexpr double nearly_all = 0.9;
// Even if each request adds the same speed, one number generates nearly as much as the next larger
// number. Only this many times as many requests show that more are useless.
constexpr double clearly_more = 1.25;
// Numbers of running requests that share a sample differ by less than 9 % (2^(1/8)); up to 12, each
// has its own. While callers come, a single larger number does not last long enough to be trusted.
constexpr double magnitudes_per_doubling = 8;
// While one request ends and the next one is sent, another one must run.
constexpr int least_limit = 2;

}  // namespace

bool running_limit::is_trusted(const sample& s, time_point now) {
    return s.tokens >= tokens_to_trust && now - s.last < trust_for;
}

bool running_limit::record_speed(double running, int tokens, duration took, time_point now) {
    const double seconds = std::chrono::duration<double>(took).count();
    if (tokens < fewest_tokens || seconds < shortest_s) return false;
    const double count = std::max(1.0, std::round(running));
    auto& s =
        by_magnitude_[static_cast<int>(std::lround(magnitudes_per_doubling * std::log2(count)))];
    if (now - s.last >= trust_for) s = {};
    const double kept = s.tokens > tokens_remembered ? tokens_remembered / s.tokens : 1;
    s.tokens = s.tokens * kept + tokens;
    s.tokens_by_rate = s.tokens_by_rate * kept + 1.0 * tokens * tokens / seconds;
    s.seconds = s.seconds * kept + seconds;
    s.running_seconds = s.running_seconds * kept + count * seconds;
    s.last = now;
    return true;
}

int running_limit::find_limit(time_point now) const {
    std::map<int, double> together;
    for (const auto& [magnitude, s] : by_magnitude_)
        if (is_trusted(s, now))
            together.emplace(std::lround(s.running()), s.running() * s.free_tokens_per_s());
    if (together.size() < 2) return unlimited;
    const auto by_speed = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double most = std::max_element(together.begin(), together.end(), by_speed)->second;
    const auto enough = std::find_if(together.begin(), together.end(), [most](const auto& t) {
        return t.second >= nearly_all * most;
    });
    if (enough->first * clearly_more > together.rbegin()->first) return unlimited;
    return std::max(enough->first, least_limit);
}

// Without a limit each request adds the same, so a few less than all slots show the speed of all.
// The prompts of other requests hold up a request that generates, so their time is included.
std::optional<double> running_limit::find_tokens_per_s(int slots, time_point now) const {
    constexpr double nearly_all_slots = 0.8;
    const int limit = find_limit(now);
    const int most = std::min(limit, slots);
    const int least = limit < slots ? limit : static_cast<int>(std::ceil(nearly_all_slots * slots));
    std::optional<double> best;
    for (const auto& [magnitude, s] : by_magnitude_)
        if (is_trusted(s, now) && std::lround(s.running()) >= least)
            best =
                std::max(best.value_or(0), s.tokens_per_s() * std::max<double>(most, s.running()));
    return best;
}

}  // namespace tandem::slots
