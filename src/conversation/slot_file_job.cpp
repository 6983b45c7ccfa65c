#include "conversation/slot_file_job.hpp"

#include "loop/clock.hpp"
#include "server/server_link.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::detail {

slot_file_job::slot_file_job(const std::shared_ptr<server_link>& core, slot_file_request o,
                             handler done)
    : core_(core), order_(std::move(o)), done_(std::move(done)), limit_(core->executor()) {}

// The job is kept alive by its pending callbacks, for the slot and for the server.
std::weak_ptr<slot_file_job> slot_file_job::start(const std::shared_ptr<server_link>& core,
                                                  slot_file_request o, handler done) {
    const std::shared_ptr<slot_file_job> job(
        new slot_file_job(core, std::move(o), std::move(done)));
    job->request_slot();
    return job;
}

void slot_file_job::abort(const error_code& ec) {
    const auto self = shared_from_this();
    is_aborted_ = true;
    limit_.cancel();
    if (const auto core = core_.lock(); core && ticket_ != slots::no_ticket && !core->shut_down())
        core->slots().cancel_request(std::exchange(ticket_, slots::no_ticket));
    complete(ec,
             {.client_message = "the conversation ended or moved while its slot file was in use"});
}

void slot_file_job::request_slot() {
    const auto core = core_.lock();
    auto& manager = core->slots();
    const bool saves = order_.what == kind::save;
    const auto own = saves ? manager.last_slot_used_by(order_.owner) : std::nullopt;
    if (saves && !own) return complete(errc::nothing_to_save, {});
    limit_.expires_after(core->config().limits.queue_timeout);
    limit_.async_wait([weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) self->give_up();
    });
    ticket_ = manager.enqueue(
        {.prompt = order_.text,
         .kind = slots::request_kind::continuation,
         .due = now(),
         .owner = order_.owner,
         .required_slot = own},
        [self = shared_from_this()](const slots::grant& g) { return self->take_slot(g); });
    manager.dispatch_grants();
}

bool slot_file_job::take_slot(const slots::grant& g) {
    ticket_ = slots::no_ticket;
    limit_.cancel();
    const auto core = core_.lock();
    if (!core || !done_) return false;
    // Another conversation may have taken the slots in the meantime.
    if (order_.what == kind::save && !core->slots().was_last_used_by(g.slot, order_.owner)) {
        complete(errc::nothing_to_save, {});
        return false;
    }
    run(g.slot);
    return true;
}

void slot_file_job::run(int slot) {
    const auto core = core_.lock();
    auto done = [self = shared_from_this(), slot](error_code ec, const diagnostics& diag,
                                                  slot_file_result r) {
        self->on_answer(slot, ec, diag, r);
    };
    if (order_.what == kind::save)
        core->calls().save_slot(slot, order_.file, std::move(done));
    else
        core->calls().restore_slot(slot, order_.file, std::move(done));
}

// Neither operation counts as a use for the guard, because no request was cut. A failed restore
// leaves the contents unknown.
void slot_file_job::on_answer(int slot, const error_code& ec, const diagnostics& diag,
                              slot_file_result r) {
    if (const auto core = core_.lock()) {
        slots::release_info note{.is_use = false, .holds = order_.text};
        if (order_.what == kind::save) note = {.has_run = false};
        if (order_.what == kind::restore && ec) note.holds.clear();
        core->slots().release(slot, std::move(note));
        if (is_aborted_) core->slots().retire_owner(order_.owner);
    }
    complete(ec, diag, r);
}

void slot_file_job::give_up() {
    const auto core = core_.lock();
    if (!core || ticket_ == slots::no_ticket) return;
    const auto self = shared_from_this();
    core->slots().cancel_request(std::exchange(ticket_, slots::no_ticket));
    complete(errc::queue_timeout,
             {.client_message = fmt::format("no slot within queue_timeout of {}",
                                            to_string(core->config().limits.queue_timeout))});
}

void slot_file_job::complete(const error_code& ec, const diagnostics& diag, slot_file_result r) {
    if (const auto done = std::exchange(done_, {})) done(ec, diag, r);
}

}  // namespace tandem::detail
