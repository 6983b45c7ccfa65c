#include "service/server_choice.hpp"

#include <algorithm>
#include <utility>

namespace tandem::services {
namespace {

// Load per slot, because servers may differ. Running generation counts before the number of
// conversations.
std::pair<double, double> load_of(const server_load& s) {
    const double slots = std::max(1, s.slots);
    return {s.generating / slots, s.conversations / slots};
}

}  // namespace

std::optional<std::size_t> server_choice::choose(std::span<const server_load> servers) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        // Counted from the next server in turn, which therefore comes first among equals.
        const auto place = (next_ + i) % servers.size();
        if (!servers[place].may_serve) continue;
        const bool is_better = !best || (rule_ == placement::least_busy &&
                                         load_of(servers[place]) < load_of(servers[*best]));
        if (is_better) best = place;
    }
    if (best) next_ = *best + 1;
    return best;
}

}  // namespace tandem::services
