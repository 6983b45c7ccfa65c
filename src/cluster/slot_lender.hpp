#pragma once

#include "cluster/cluster_status.hpp"
#include "cluster/lending_message.hpp"
#include "cluster/slot_share.hpp"
#include "server/server_link.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace tandem::cluster {

class cluster_member;

/// Shares the slots of a server with other gateways: performs the actions of its slot_share. Use
/// and destroy it on the strand of its link.
class slot_lender final : public std::enable_shared_from_this<slot_lender> {
 public:
    /// Once the lender exists, this process uses only borrowed slots of the server. `name`: the
    /// server's name in the store. The member must outlive the lender.
    slot_lender(cluster_member& member, std::string gateway, std::string name,
                std::shared_ptr<detail::server_link> link,
                std::shared_ptr<detail::server_usage> use);
    ~slot_lender();

    void start();
    /// See slot_share.
    void renew_lease(time_point until, bool is_one_missing);
    void distrust_store();
    void on_message(const lending_message& m);
    /// See slot_share.
    void leave();
    bool is_leaving() const noexcept { return share_.is_leaving(); }
    /// Leaves once no conversation of this process is assigned to the server, so that running
    /// replies can finish there.
    void leave_when_unused();
    /// Cancels leave_when_unused() unless the lender is already leaving.
    void stay() noexcept { is_removed_ = false; }
    bool is_removed() const noexcept { return is_removed_; }
    bool has_left() const { return share_.has_left() && count_conversations() == 0; }

    /// The average number of requests that this process ran on the server since the last call.
    double take_average_running();
    /// Number of this process's conversations that are assigned to the server.
    int count_conversations() const { return use_->slots->lock()->conversations; }
    void set_other_process_usage(const slots::other_process_usage& u);

    share_status status() const;
    const std::string& name() const noexcept { return name_; }

 private:
    void load_slot_count();
    void leave_if_unused();
    void post_update();
    void perform_actions();
    void perform(const any_share_action& any);
    void perform(const share_action::claim& c);
    void perform(const share_action::offer& o);
    void perform(const share_action::poll& l);
    void perform(const share_action::bring_back& b);
    void perform(const share_action::send_away& s);
    void perform(const share_action::queue_wish& w);
    void perform(const share_action::withdraw_wish& w);
    void grant_to_gateway(const std::string& gateway, int slot);
    local_slots observe_slots() const;
    void arm_timer();

    cluster_member& member_;
    std::string gateway_;
    std::string name_;
    std::shared_ptr<detail::server_link> link_;
    std::shared_ptr<detail::server_usage> use_;
    slot_share share_;
    std::map<std::string, slots::ticket> wishes_;  // of other gateways
    boost::asio::steady_timer timer_;
    boost::asio::steady_timer retry_;
    std::atomic<bool> is_update_posted_ = false;
    bool is_running_ = false;
    bool is_removed_ = false;
    /// When take_average_running() was last called, and the running time at that moment.
    time_point averaged_at_{};
    duration averaged_time_{};
};

}  // namespace tandem::cluster
