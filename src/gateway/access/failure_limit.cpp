#include "gateway/access/failure_limit.hpp"

namespace tandem::gateway {

std::optional<duration> failure_limit::wait(time_point now, const std::string& client) const {
    const auto& by_client = entries_.get<1>();
    const auto known = by_client.find(client);
    return known != by_client.end() ? known->limit.wait(now) : std::nullopt;
}

void failure_limit::record_failure(time_point now, const std::string& client) {
    const auto [at, is_new] = entries_.push_back({client, rate_limit(per_minute)});
    entries_.modify(at, [&](entry& e) { e.limit.charge(now, 1); });
    entries_.relocate(entries_.end(), at);
    if (entries_.size() > max_clients) entries_.pop_front();
}

}  // namespace tandem::gateway
