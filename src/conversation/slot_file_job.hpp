#pragma once

#include "slots/slot_scheduler.hpp"

#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>

namespace tandem::detail {

class server_link;

/// Saves a conversation's slot to a file on its server, or restores the slot from a file. Like a
/// request, a job waits for a slot and occupies it. After the job, its creator must call
/// slot_manager::release_owner() for the owner, unless the job was aborted.
class slot_file_job : public std::enable_shared_from_this<slot_file_job> {
 public:
    enum class kind { save, restore };
    /// The parameters of the job.
    struct slot_file_request {
        kind what = kind::save;
        std::string file{};
        slots::owner_id owner = slots::nobody;
        /// The conversation's text: the slot holds it, or will hold it after the restore.
        std::string text{};
    };
    /// Called once, on the strand.
    using handler = std::function<void(error_code, const diagnostics&, slot_file_result)>;

    static std::weak_ptr<slot_file_job> start(const std::shared_ptr<server_link>& link,
                                              slot_file_request o, handler done);
    /// Call it when the conversation ends or leaves its server. Reports `ec` immediately, but
    /// returns the slot only after the server's answer.
    void abort(const error_code& ec);

 private:
    slot_file_job(const std::shared_ptr<server_link>& link, slot_file_request o, handler done);

    void request_slot();
    bool take_slot(const slots::grant& g);
    void run(int slot);
    void on_answer(int slot, const error_code& ec, const diagnostics& diag, slot_file_result r);
    void give_up();
    void complete(const error_code& ec, const diagnostics& diag, slot_file_result r = {});

    std::weak_ptr<server_link> link_;
    slot_file_request request_;
    handler done_;
    slots::ticket ticket_ = slots::no_ticket;
    bool is_aborted_ = false;
    boost::asio::steady_timer limit_;
};

}  // namespace tandem::detail
