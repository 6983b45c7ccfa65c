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

/// Counts the attempts of clients that failed. One that fails more often than `per_minute` has to
/// wait. Of many clients those are forgotten that failed longest ago. Pure.
class failure_limit {
 public:
    /// Enough for a person's mistakes and for a few bots with an old key behind one address.
    static constexpr int per_minute = 10;
    /// Some 2 MB.
    static constexpr std::size_t most_clients = 10'000;

    /// How long this client must wait; nothing if it may try.
    std::optional<duration> wait(time_point now, const std::string& client) const;
    void failed(time_point now, const std::string& client);

    std::size_t size() const noexcept { return entries_.size(); }

 private:
    struct entry {
        std::string client;
        rate_limit limit;
    };
    // By who failed last, and by name: a tree, which no choice of addresses makes slow.
    boost::multi_index_container<
        entry, boost::multi_index::indexed_by<
                   boost::multi_index::sequenced<>,
                   boost::multi_index::ordered_unique<
                       boost::multi_index::member<entry, std::string, &entry::client>>>>
        entries_;
};

}  // namespace tandem::gateway
