#include "cluster/shared_drains.hpp"

#include <algorithm>
#include <iterator>

namespace tandem::cluster {

void shared_drains::set_drained(const std::string& server, bool is_drained) {
    unwritten_[server] = {server, is_drained};
    if (is_drained)
        drained_.insert(server);
    else
        drained_.erase(server);
}

auto shared_drains::update(const std::set<std::string>& listed, bool is_lost)
    -> std::vector<change> {
    if (is_lost)
        for (const auto& server : drained_)
            unwritten_.try_emplace(server, mark{server, true, true});
    std::vector<change> changes;
    for (const auto& server : drained_)
        if (!listed.contains(server) && !unwritten_.contains(server))
            changes.push_back({server, false});
    for (const auto& c : changes) drained_.erase(c.server);
    for (const auto& server : listed)
        if (!unwritten_.contains(server)) drained_.insert(server);
    std::ranges::transform(drained_, std::back_inserter(changes), [](const auto& server) {
        return change{server, true};
    });
    return changes;
}

auto shared_drains::list_unwritten_marks() const -> std::vector<mark> {
    std::vector<mark> marks;
    marks.reserve(unwritten_.size());
    for (const auto& [server, m] : unwritten_) marks.push_back(m);
    return marks;
}

void shared_drains::mark_written(const mark& m) {
    const auto known = unwritten_.find(m.server);
    if (known != unwritten_.end() && known->second == m) unwritten_.erase(known);
}

}  // namespace tandem::cluster
