#include "conversation/slot_file_job.hpp"

#include "loop/clock.hpp"
#include "server/server_link.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::detail {

slot_file_job::slot_file_job(const std::shared_ptr<server_link>& link, slot_file_request o,
                             handler done)
    : link_(link), request_(std::move(o)), done_(std::move(done)), limit_(link->executor()) {}

// The callbacks that wait for the slot or the server's answer own the job.
std::weak_ptr<slot_file_job> slot_file_job::start(const std::shared_ptr<server_link>& link,
                                                  slot_file_request o, handler done) {
    const std::shared_ptr<slot_file_job> job(
        new slot_file_job(link, std::move(o), std::move(done)));
    job->request_slot();
    return job;
}

void slot_file_job::abort(const error_code& ec) {
    const auto self = shared_from_this();
    is_aborted_ = true;
    limit_.cancel();
    if (const auto link = link_.lock(); link && ticket_ != slots::no_ticket)
        link->slots().cancel_request(std::exchange(ticket_, slots::no_ticket));
    complete(ec, {.client_message =
                      "the conversation ended or left its server while its slot file was in use"});
}

void slot_file_job::request_slot() {
    const auto link = link_.lock();
    auto& manager = link->slots();
    const bool saves = request_.what == kind::save;
    const auto own = saves ? manager.last_slot_used_by(request_.owner) : std::nullopt;
    if (saves && !own) return complete(errc::nothing_to_save, {});
    limit_.expires_after(link->config().limits.queue_timeout);
    limit_.async_wait([weak = weak_from_this()](error_code ec) {
        if (const auto self = weak.lock(); self && !ec) self->give_up();
    });
    ticket_ = manager.enqueue(
        {.prompt = request_.text,
         .kind = slots::request_kind::continuation,
         .due = now(),
         .owner = request_.owner,
         .required_slot = own},
        [self = shared_from_this()](const slots::grant& g) { return self->take_slot(g); });
    manager.dispatch_grants();
}

bool slot_file_job::take_slot(const slots::grant& g) {
    ticket_ = slots::no_ticket;
    limit_.cancel();
    const auto link = link_.lock();
    if (!link || !done_) return false;
    // Another conversation may have used the slot while this job waited for it.
    if (request_.what == kind::save && !link->slots().was_last_used_by(g.slot, request_.owner)) {
        complete(errc::nothing_to_save, {});
        return false;
    }
    run(g.slot);
    return true;
}

void slot_file_job::run(int slot) {
    const auto link = link_.lock();
    auto done = [self = shared_from_this(), slot](error_code ec, const diagnostics& diag,
                                                  slot_file_result r) {
        self->on_answer(slot, ec, diag, r);
    };
    if (request_.what == kind::save)
        link->calls().save_slot(slot, request_.file, std::move(done));
    else
        link->calls().restore_slot(slot, request_.file, std::move(done));
}

// Neither operation starts the slot's guard, which is needed only after a cut. After a failed
// restore, the slot's contents are unknown.
void slot_file_job::on_answer(int slot, const error_code& ec, const diagnostics& diag,
                              slot_file_result r) {
    if (const auto link = link_.lock()) {
        slots::release_info note{.is_use = false, .holds = request_.text};
        if (request_.what == kind::save) note = {.has_run = false};
        if (request_.what == kind::restore && ec) note.holds.clear();
        link->slots().release(slot, std::move(note));
        if (is_aborted_) link->slots().retire_owner(request_.owner);
    }
    complete(ec, diag, r);
}

void slot_file_job::give_up() {
    const auto link = link_.lock();
    if (!link || ticket_ == slots::no_ticket) return;
    const auto self = shared_from_this();
    link->slots().cancel_request(std::exchange(ticket_, slots::no_ticket));
    complete(errc::queue_timeout,
             {.client_message = fmt::format("no slot within queue_timeout of {}",
                                            to_string(link->config().limits.queue_timeout))});
}

void slot_file_job::complete(const error_code& ec, const diagnostics& diag, slot_file_result r) {
    if (const auto done = std::exchange(done_, {})) done(ec, diag, r);
}

}  // namespace tandem::detail
