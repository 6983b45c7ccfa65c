#include "service/server_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem::services {
namespace {

// If all processes chose among all shared servers, they would all choose the same server until they
// learned of each other's choices. The best of a few random servers is nearly as good
// (Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001).
constexpr std::size_t max_shared_candidates = 8;

// Load per slot, because servers may differ in the number of slots. Running replies are compared
// first, because many of the counted conversations may have ended. The number of running replies is
// rounded, because it includes averages of other processes.
std::pair<double, double> load_of(const server_load& s) {
    const double slots = std::max(1, s.slots);
    return {std::round(s.generating) / slots, s.conversations / slots};
}

}  // namespace

// The list begins with the next server in turn, so that this server is chosen among equals.
std::vector<std::size_t> server_choice::list_candidates(std::span<const server_load> servers) {
    std::vector<std::size_t> candidates;
    bool is_one_shared = false;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto place = (next_ + i) % servers.size();
        if (!servers[place].may_serve) continue;
        candidates.push_back(place);
        is_one_shared = is_one_shared || servers[place].is_shared;
    }
    if (rule_ == placement::round_robin || !is_one_shared) return candidates;
    std::ranges::shuffle(candidates, random_);
    candidates.resize(std::min(candidates.size(), max_shared_candidates));
    return candidates;
}

std::optional<std::size_t> server_choice::choose(std::span<const server_load> servers) {
    const auto candidates = list_candidates(servers);
    if (candidates.empty()) return std::nullopt;
    auto best = candidates.front();
    if (rule_ == placement::least_busy)
        best = *std::ranges::min_element(candidates, {},
                                         [&](std::size_t i) { return load_of(servers[i]); });
    next_ = best + 1;
    return best;
}

}  // namespace tandem::services
