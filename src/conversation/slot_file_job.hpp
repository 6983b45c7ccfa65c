#pragma once

#include "slots/slot_scheduler.hpp"

#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tandem::detail {

class client_core;

/// Writes a conversation's slot into a file at its server, or reads one: takes a slot for it, as a
/// request would. Who let the owner have it lets go of it, unless the job was aborted.
class slot_file_job : public std::enable_shared_from_this<slot_file_job> {
 public:
    enum class kind { save, restore };
    /// What is to be done.
    struct order {
        kind what = kind::save;
        std::string file{};
        slots::owner_id owner = slots::nobody;
        /// The conversation's text, which the slot holds, or will hold.
        std::string text{};
    };
    /// Called once, on the strand.
    using handler = std::function<void(error_code, const diagnostics&, slot_file_result)>;

    static std::weak_ptr<slot_file_job> start(const std::shared_ptr<client_core>& core, order o,
                                              handler done);
    /// The conversation is gone: reports `ec` now, and leaves the slot to others once it is done.
    void abort(const error_code& ec);

 private:
    slot_file_job(const std::shared_ptr<client_core>& core, order o, handler done);

    void want_slot();
    bool take(const slots::grant& g);
    void run(int slot);
    void answered(int slot, const error_code& ec, const diagnostics& diag, slot_file_result r);
    void give_up();
    void tell(const error_code& ec, const diagnostics& diag, slot_file_result r = {});

    std::weak_ptr<client_core> core_;
    order order_;
    handler done_;
    slots::ticket ticket_ = slots::no_ticket;
    bool is_aborted_ = false;
    boost::asio::steady_timer limit_;
};

}  // namespace tandem::detail
