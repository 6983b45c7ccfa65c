#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/voice_session.hpp"

#include <stdexcept>
#include <utility>

// Sessions that move to or from another gateway.
namespace tandem::gateway {

void voice_session::start_storing_records(std::string owner, cluster::session_epoch epoch) {
    record_ = std::make_shared<session_record_writer>(
        session_record_writer::settings{.executor = gateway_.executor,
                                        .member = gateway_.cluster,
                                        .session = id_,
                                        .owner = std::move(owner),
                                        .kept = gateway_.options.voice.session_kept,
                                        .log = gateway_.options.instruments.log},
        epoch,
        session_record_writer::events{.make = [this](auto done) { make_record(std::move(done)); },
                                      .written = [this] { run_and_perform([](time_point) {}); },
                                      .taken = [this] { end_taken_over(); }});
}

void voice_session::perform(const voice_action::load_conversation& a) {
    error_code ec;
    diagnostics diag;
    talk_ = model_.bots.load(a.text, thinking_.turn_off_unless_set(a.options), ec, diag);
    if (!talk_) throw std::runtime_error(diag.client_message);
}

void voice_session::drain() {
    run_and_perform([&](time_point now) { record_ ? turns_.begin_move(now) : turns_.drain(now); });
}

void voice_session::move_if_due() {
    if (turns_.is_over()) return;
    if (turns_.is_released()) return leave_if_written();
    if (!turns_.is_moving()) return;
    // Without a record, the session ends here, as without a cluster.
    if (record_->is_too_long()) return run_and_perform([&](time_point now) { turns_.drain(now); });
    if (record_->is_written() && turns_.can_move(detail::now())) move();
}

// The session stays until the running reply has ended, because this gateway must account for the
// reply.
void voice_session::leave_if_written() {
    // A gateway that stops does not wait for the store to return.
    const bool is_awaited = !gateway_.is_stopping || record_->is_store_connected();
    if (!turns_.is_running() && (record_->is_written() || !is_awaited)) end_taken_over();
}

// Releases the record first, so that the client need not wait at the other gateway until the reply
// has ended here.
void voice_session::move() {
    record_->stop_and_release();
    run_and_perform([&](time_point now) { turns_.move(now); });
}

void voice_session::stop() {
    const bool is_recorded = record_ && !record_->has_failed();
    run_and_perform([&](time_point now) { turns_.stop(now, is_recorded); });
}

void voice_session::release_to_gateway() {
    run_and_perform(
        [&](time_point now) { turns_.release_to_gateway(now, voice_close::taken_over); });
}

void voice_session::end_taken_over() {
    run_and_perform([&](time_point) { turns_.end_taken_over(); });
}

}  // namespace tandem::gateway
