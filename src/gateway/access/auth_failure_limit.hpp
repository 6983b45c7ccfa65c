#pragma once

#include "base/time.hpp"
#include "gateway/access/rate_limit.hpp"

#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tandem::gateway {

/// Limits failed authentications per client. A client with more than `per_minute` failures has to
/// wait. Above `max_clients`, forgets the client whose latest failure is the oldest. Pure.
class auth_failure_limit {
 public:
    /// Enough for typos and for a few bots with an outdated key behind one address.
    static constexpr int per_minute = 10;
    /// About 2 MB.
    static constexpr std::size_t max_clients = 10'000;

    /// How long this client must wait; nullopt if it need not wait.
    std::optional<duration> time_until_allowed(time_point now, const std::string& client) const {
        const auto& by_client = entries_.get<1>();
        const auto known = by_client.find(client);
        return known != by_client.end() ? known->limit.time_until_allowed(now) : std::nullopt;
    }
    void record_failure(time_point now, const std::string& client) {
        const auto [at, is_new] = entries_.push_back({client, rate_limit(per_minute)});
        entries_.modify(at, [&](entry& e) { e.limit.charge(now, 1); });
        entries_.relocate(entries_.end(), at);
        if (entries_.size() > max_clients) entries_.pop_front();
    }

    std::size_t size() const noexcept { return entries_.size(); }

 private:
    struct entry {
        std::string client;
        rate_limit limit;
    };
    // Ordered by the latest failure, and by client. Uses a tree, because attackers who choose their
    // addresses could make a hash table slow.
    boost::multi_index_container<
        entry, boost::multi_index::indexed_by<
                   boost::multi_index::sequenced<>,
                   boost::multi_index::ordered_unique<
                       boost::multi_index::member<entry, std::string, &entry::client>>>>
        entries_;
};

}  // namespace tandem::gateway
