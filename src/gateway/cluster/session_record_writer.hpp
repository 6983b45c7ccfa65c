#pragma once

#include "cluster/cluster_member.hpp"
#include "gateway/records/record_write_policy.hpp"
#include "gateway/voice/voice_actions.hpp"

#include "tandem/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tandem::gateway {

/// Whether the action changes the session's record.
bool changes_record(const voice_action::any& a);

/// Writes the record of a session to the cluster's store, so that another gateway can resume the
/// session. Use it on the gateway's loop.
class session_record_writer : public std::enable_shared_from_this<session_record_writer> {
 public:
    using record_handler = std::function<void(std::optional<std::string>)>;
    struct events {
        /// Makes the record and passes it to the handler, possibly after the call returns. Passes
        /// nullopt if the conversation has ended.
        std::function<void(record_handler)> make;
        /// Called when a write has ended; is_written() and has_failed() report the outcome.
        std::function<void()> written;
        /// Another gateway has taken the session.
        std::function<void()> taken;
    };

    struct settings {
        boost::asio::any_io_executor executor;
        std::weak_ptr<cluster::cluster_member> member;
        std::string session;
        std::string owner;
        /// Minimum time for which the store keeps the record after the gateway has died.
        duration kept;
        logger log;
    };

    session_record_writer(settings s, cluster::session_epoch epoch, events callbacks);
    session_record_writer(const session_record_writer&) = delete;
    session_record_writer& operator=(const session_record_writer&) = delete;

    cluster::session_epoch epoch() const noexcept { return epoch_; }
    /// Call this when the session has changed. Writes its record once no other write is running.
    void on_session_changed() { run(policy_.on_record_changed()); }
    /// The store may have lost records: writes the record again, within a second.
    void on_store_connected();
    bool is_store_connected() const;
    /// Whether another gateway could resume the session in its newest state.
    bool is_written() const {
        return policy_.is_written() && !is_too_long_ && is_store_connected();
    }
    /// Whether the last write failed, or the last record was too long for the store.
    bool has_failed() const noexcept { return policy_.has_failed() || is_too_long_; }
    bool is_too_long() const noexcept { return is_too_long_; }
    /// Removes the record and stops.
    void remove();
    /// Stops; another gateway can take the session immediately.
    void stop_and_release();
    /// Stops, and leaves the record as it is.
    void stop();

 private:
    void run(record_write_policy::step next);
    void write(std::string record);
    void put(std::string record, cluster::session_store::put_handler done);
    void on_written(cluster::put_result result);
    void write_later(duration wait);

    settings settings_;
    cluster::session_epoch epoch_;
    events callbacks_;
    record_write_policy policy_;
    bool is_too_long_ = false;  // the last record
    bool has_warned_of_size_ = false;
    bool is_over_ = false;
    boost::asio::steady_timer timer_;
};

}  // namespace tandem::gateway
