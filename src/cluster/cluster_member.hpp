#pragma once

#include "cluster/cluster_options.hpp"
#include "cluster/cluster_status.hpp"
#include "cluster/lending_commands.hpp"
#include "cluster/session_store.hpp"
#include "cluster/shared_drains.hpp"
#include "cluster/shared_load.hpp"
#include "cluster/shared_texts.hpp"
#include "cluster/slot_lender.hpp"
#include "cluster/store/store_link.hpp"
#include "cluster/store/store_script.hpp"

#include "tandem/config.hpp"
#include "tandem/instruments.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::cluster {

/// The membership of this gateway in a cluster. Shares the slots of the gateway's servers with the
/// other members. Use it on its event loop, which only one thread may run.
class cluster_member {
 public:
    cluster_member(const boost::asio::any_io_executor& executor, cluster_options o, instruments i);
    ~cluster_member();

    /// Makes these the model's servers; each entry holds the settings of requests to one server.
    /// The slots of the model's other servers are returned once no conversation is assigned to
    /// these servers. Call it before the first request to a server.
    void replace_servers(const std::string& model, std::vector<config> servers);
    /// Connects to the store.
    void start();
    /// Returns each slot when its request ends. Calls `done` when all are returned, or after
    /// `limit`.
    void leave(duration limit, std::function<void()> done);

    const std::string& id() const noexcept { return options_.gateway_id; }
    /// Distinguishes this process from earlier ones of the same gateway.
    const std::string& process_id() const noexcept { return process_id_; }
    /// Number of gateways with a lease, as of the store's last answer; at least 1.
    std::int64_t count_members() const noexcept { return members_; }
    /// Adds a handler that is called after each connection to the store.
    void add_connection_handler(std::function<void()> handler) {
        on_connected_.push_back(std::move(handler));
    }
    bool is_connected() const noexcept { return commands_.is_connected(); }
    /// Whether the store has not answered for so long that callers should not wait for it.
    bool has_lost_store() const;
    /// Drains the server at all gateways, or ends the drain. If the store does not answer, the
    /// other gateways follow once it answers again.
    void set_server_drained(const std::string& server, bool is_drained);
    /// Sets the handler that is called at each renewal for each drained server, no matter which
    /// gateway drained it, and once when another gateway ends the drain.
    void set_drain_handler(
        std::function<void(const std::string& server, bool is_drained)> handler) {
        on_drained_ = std::move(handler);
    }
    /// At each renewal, reports the load that `find_load` returns, and passes the sums of the other
    /// gateways' loads to `handler`. The sums are empty while this gateway has no lease.
    void share_load(std::function<shared_load()> find_load,
                    std::function<void(const shared_load& elsewhere)> handler) {
        find_load_ = std::move(find_load);
        on_load_ = std::move(handler);
    }
    /// Sets the handler that receives the sessions that other gateways ask this one to release.
    void set_release_handler(std::function<void(const std::string& session)> handler) {
        on_release_ = std::move(handler);
    }
    /// See store_script::run(). Adds the prefix of the cluster to the keys.
    void run(const store_script& script, std::vector<std::string> keys,
             std::vector<std::string> arguments, store_link::answer_handler done);
    cluster_status status() const;
    session_store& sessions() noexcept { return sessions_; }
    shared_texts& texts() noexcept { return texts_; }

    // The store's records of loans. Each handler is called exactly once, on the event loop, after
    // the function has returned.

    /// Receives all loans of this gateway; nullopt if the store did not answer.
    using claim_handler = std::function<void(std::optional<std::vector<loan>>)>;
    using offer_handler = std::function<void(offer_result)>;

    void claim(const std::string& server, int slots, const share_action::claim& c,
               claim_handler done);
    /// With `is_leaving`, the store takes the slot back even if no gateway waits for it.
    void offer(const std::string& server, const reported_loan& l, bool is_leaving,
               offer_handler done);

 private:
    struct shared_server {
        std::string model;
        std::shared_ptr<slot_lender> lender;
    };
    using served_map = std::map<std::string, shared_server>;

    served_map::iterator forget_server(served_map::iterator which);
    void forget_left_servers();
    void add_server(const std::string& model, config settings);
    std::string channel_of(const config& settings) const;
    bool has_lease() const;
    std::string key(std::string_view what) const;
    std::string key(std::string_view what, const std::string& server) const;
    lending_names make_lending_names(const std::string& server) const;
    std::vector<std::string> make_lending_keys(const std::string& server) const;
    void renew_lease();
    /// A lease of 0 ends the membership.
    void request_lease(duration lease, store_link::answer_handler done);
    void warn_about_duplicate();
    void warn_about_rejection(const std::optional<store_answer>& answer);
    void on_lease_answer(time_point sent, const std::optional<store_answer>& answer);
    void distrust_store();
    std::string make_load_text();
    void apply_load(const shared_load& elsewhere);
    void share_drains(const std::set<std::string>& listed, bool is_lost);
    void write_drains();
    void on_message(const std::string& channel, const std::string& text);
    void await_return(time_point until, std::function<void()> done);

    cluster_options options_;
    instruments instruments_;
    std::shared_ptr<detail::strand_scope> scope_;
    store_link commands_;
    store_link messages_;
    session_store sessions_;
    shared_texts texts_;
    boost::asio::steady_timer renewal_timer_;
    boost::asio::steady_timer leave_timer_;
    served_map servers_;            // by channel
    const std::string process_id_;  // also a channel; its subscription shows that the process runs
    bool is_duplicate_ = false;
    bool is_rejected_ = false;  // the store answered the last renewal with an error
    time_point lease_until_{};
    time_point answered_at_;  // the last renewal
    std::int64_t members_ = 1;
    std::vector<std::function<void()>> on_connected_;
    shared_drains drains_;
    std::function<void(const std::string&, bool)> on_drained_;
    std::function<void(const std::string&)> on_release_;
    std::function<shared_load()> find_load_;
    std::function<void(const shared_load&)> on_load_;
    /// Expires with the member. A timer handler that is already queued still runs, and checks this.
    std::shared_ptr<void> life_ = std::make_shared<char>();
};

}  // namespace tandem::cluster
