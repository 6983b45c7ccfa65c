#pragma once

#include "base/time.hpp"
#include "cluster/store/store_link.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tandem::cluster {

/// Counts how often a session was taken. The gateway with the highest one has the session.
using session_epoch = std::int64_t;

/// The answer to a record.
enum class put_result {
    kept,
    refused,  ///< another gateway has taken the session
    unknown,  ///< the store did not answer
};

struct taken_session {
    session_epoch epoch = 0;
    /// Empty if the session is still this gateway's.
    std::string record{};
};

/// The records of the sessions of all gateways. On the link's loop.
class session_store {
 public:
    /// `prefix`: of the sessions' keys. The link must outlive the store.
    session_store(store_link& link, std::string prefix, std::string gateway);

    // Each handler is called at most once, never from within the call, and not after the link's
    // end.
    using put_handler = std::function<void(put_result)>;
    /// Receives nullopt if the owner does not have the session, or if the store does not answer.
    using take_handler = std::function<void(std::optional<taken_session>)>;

    /// Keeps the record this long; an empty record removes the session.
    void put(const std::string& session, const std::string& owner, session_epoch epoch,
             duration kept, std::string record, put_handler done);
    /// `own`: the session's epoch at this gateway; 0 if the gateway does not have it.
    void take(const std::string& session, const std::string& owner, session_epoch own,
              take_handler done);

 private:
    std::string key_of(const std::string& session) const { return prefix_ + session; }

    store_link& link_;
    std::string prefix_;
    std::string gateway_;
};

}  // namespace tandem::cluster
