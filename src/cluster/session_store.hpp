#pragma once

#include "base/time.hpp"
#include "cluster/store/store_link.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::cluster {

/// The number of times that a session was taken. The gateway with the highest epoch has the
/// session.
using session_epoch = std::int64_t;

/// The result of writing a record.
enum class put_result {
    kept,
    refused,  ///< another gateway has taken the session
    unknown,  ///< the store did not answer
};

struct taken_session {
    session_epoch epoch = 0;
    /// Empty if no other gateway has had the session since its epoch at this gateway.
    std::string record{};
};

struct take_answer {
    /// Whether the store answered.
    bool is_known = false;
    /// nullopt if the owner does not have the session.
    std::optional<taken_session> session{};
};

/// A message that asks a gateway to release a session consists of this text and the session's id.
inline constexpr std::string_view release_request = "release ";

/// The records of the sessions of all gateways. Use it on the link's loop.
class session_store {
 public:
    /// The store's keys.
    struct key_names {
        /// Precedes the id of each session.
        std::string prefix;
        std::string processes;
    };

    /// To take a session from a running gateway, another gateway waits this long for the release,
    /// and then takes the session without it.
    static constexpr duration release_limit = std::chrono::milliseconds(300);

    /// The link must outlive the store.
    session_store(const boost::asio::any_io_executor& executor, store_link& link, key_names keys,
                  std::string gateway);

    // Each handler is called at most once, after the function has returned, and never after the
    // link is destroyed.
    using put_handler = std::function<void(put_result)>;
    using take_handler = std::function<void(take_answer)>;
    /// Returns false once the client has gone: the session then stays with its gateway, and the
    /// handler is not called.
    using wanted_check = std::function<bool()>;

    /// Keeps the record for the time `kept`; an empty record removes the session.
    void put(const std::string& session, const std::string& owner, session_epoch epoch,
             duration kept, std::string record, put_handler done);
    /// Takes the session. If the gateway that has it runs, first asks that gateway to release it,
    /// and waits for at most `release_limit`. `own`: the session's epoch at this gateway; 0 if this
    /// gateway does not have it.
    void take(const std::string& session, const std::string& owner, session_epoch own,
              wanted_check is_wanted, take_handler done);

    /// Call this once the stored record is complete: any gateway may then take the session without
    /// asking this one. `own`: as for take().
    void release(const std::string& session, session_epoch own);

 private:
    struct take_request {
        std::string session;
        std::string owner;
        session_epoch own;
        time_point until;    // take the session without a release after this time
        duration next_wait;  // before asking again
        wanted_check is_wanted;
        take_handler done;
    };

    std::string key_of(const std::string& session) const { return keys_.prefix + session; }
    void ask_holder(take_request t);
    void ask_holder_later(take_request t);

    store_link& link_;
    key_names keys_;
    std::string gateway_;
    boost::asio::any_io_executor executor_;
    /// Expires with the store. A timer handler that is already queued still runs, and checks this.
    std::shared_ptr<void> life_ = std::make_shared<char>();
};

}  // namespace tandem::cluster
