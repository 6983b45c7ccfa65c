#include "reply/reply_shell.hpp"

#include "config/usual_values.hpp"
#include "loop/clock.hpp"
#include "reply/machine/refusal.hpp"
#include "text/sentences/boundary_rules.hpp"
#include "wire/calls/completion_request.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tandem::detail {
namespace {

const reply_result& unfinished() {
    static const reply_result result{.error = errc::operation_in_progress};
    return result;
}

}  // namespace

reply_shell::reply_shell(event_home& home, const config& rules, reply_wish wish,
                         reply_source source, std::weak_ptr<reply_listener> listener,
                         interrupt_count interrupts)
    : home_(home.shared_from_this()),
      link_(std::make_shared<reply_link>(home.executor(), std::move(interrupts))),
      listener_(std::move(listener)),
      options_(with_sampling_of(std::move(wish.options), rules.generation)),
      source_(std::move(source)),
      machine_(home.next_id(), rules_of(rules, options_, wish.streamed_by),
               text::make_boundary_detector(rules.boundary_rule, rules.language),
               limits_of(rules, wish.streamed_by)),
      request_(request_handlers()),
      warming_(warming_handlers()) {}

std::shared_ptr<reply_shell> reply_shell::make(event_home& home, const config& rules,
                                               reply_wish wish, reply_source source,
                                               std::weak_ptr<reply_listener> listener,
                                               interrupt_count interrupts) {
    std::shared_ptr<reply_shell> shell(new reply_shell(home, rules, std::move(wish),
                                                       std::move(source), std::move(listener),
                                                       std::move(interrupts)));
    shell->link_->lead_to(shell);
    home.add(shell);
    home.dispatch([shell] { shell->start(); });
    return shell;
}

reply_shell::~reply_shell() {
    link_->cut();
}

const reply_result& reply_shell::result() const noexcept {
    return ended() ? machine_.result() : unfinished();
}

// --- from without

void reply_shell::start() {
    if (ended()) return;
    if (home_->closed()) return home_closed();
    if (const auto why = refusal(options_)) return abandon(why->ec, why->diag);
    if (is_constrained(options_))
        home_->log(log_level::debug,
                   "reply {}: one uncut request: a second one would not know how far {} has come",
                   id(),
                   !options_.tools.empty()     ? "a call of the tools"
                   : !options_.grammar.empty() ? "the grammar"
                                               : "the JSON schema");
    machine_.start(now());
    perform_actions();
}

void reply_shell::interrupt() {
    machine_.interrupted(now());
    perform_actions();
}

void reply_shell::abandon(error_code ec, const diagnostics& diag) {
    machine_.abandoned(now(), ec, diag);
    perform_actions();
}

void reply_shell::leave_server(reason_to_leave reason) {
    machine_.leave_server(now(), std::move(reason));
    perform_actions();
}

void reply_shell::home_closed() {
    abandon(errc::client_destroyed,
            {.client_message = "the client was destroyed while the reply ran"});
}

void reply_shell::context_ended() noexcept {
    link_->cut();
    timer_.reset();
    request_.close();
    warming_.close();
    consumer_ = {};
    speech_taker_ = {};
    source_ = {};
}

// --- which server

// Who answers must not keep the reply, and so the connection, after a loop that is not run to its
// end.
void reply_shell::perform(action::seek_server) {
    const auto done = [weak = weak_from_this()](error_code ec, const diagnostics& diag,
                                                reply_start where) {
        const auto self = weak.lock();
        if (self && !self->ended()) self->server_answered({ec, diag}, std::move(where));
    };
    if (core_)
        source_.go_on(*this, machine_.lost_to(), done);
    else
        source_.start(*this, done);
}

void reply_shell::server_answered(failure why, reply_start where) {
    if (why.ec) {
        machine_.no_server(now(), std::move(why), where.is_hopeless);
    } else {
        auto origin = std::move(where.origin);
        move_to(std::move(where));
        const int all = core_->keeper().slots();
        machine_.server_found(now(), lease_ > 0 ? std::min(lease_, all) : all, std::move(origin));
    }
    perform_actions();
}

void reply_shell::move_to(reply_start where) {
    if (core_ && core_ != where.core) {
        core_->keeper().let_go(owner_);
        home_->log(log_level::info, "reply {}: goes on at server {}", id(),
                   where.core->shown_url());
    }
    ++moves_;
    core_ = std::move(where.core);
    owner_ = where.owner != slots::nobody ? where.owner : id();
    lease_ = where.lease;
    warmed_ = where.warmed;
    machine_.moved_to(core_->config().url);
    settings_ =
        wire::completion_settings(options_, core_->config().reasoning_tags, core_->prompt_report());
}

// --- what the server says

completion_call::handlers reply_shell::request_handlers() {
    return {.begun =
                [this] {
                    machine_.answer_begun(now(), request_.connected_after());
                    perform_actions();
                },
            .read =
                [this](const wire::token_event& event) {
                    if (wire::is_of_generation(event)) core_->server_works();
                    machine_.event_read(now(), event);
                    perform_actions();
                },
            .failed =
                [this](const failure& why) {
                    tell_failed(request_, why);
                    machine_.request_failed(now(), why);
                    perform_actions();
                }};
}

completion_call::handlers reply_shell::warming_handlers() {
    return {.begun = [this] { machine_.warming_begun(); },
            .read =
                [this](const wire::token_event& event) {
                    machine_.warming_read(now(), event);
                    if (event.what == wire::token_event::kind::final)
                        core_->log(
                            log_level::debug, "reply {}: slot prefilled, {} token{} evaluated",
                            id(), event.timings.evaluated, event.timings.evaluated == 1 ? "" : "s");
                    perform_actions();
                },
            // The next request meets the same fault, and tells it.
            .failed =
                [this](const failure& why) {
                    core_->log(log_level::info, "reply {}: a slot could not be prefilled: {}", id(),
                               why.diag.to_string());
                    tell_failed(warming_, why);
                    machine_.warming_failed(now(), why);
                    perform_actions();
                }};
}

void reply_shell::tell_failed(const completion_call& call, const failure& why) {
    const auto at = core_;
    at->completion_failed(why.ec, call.sent_at());
    if (const auto listener = listener_.lock()) listener->request_failed(at, why);
}

slot_taker reply_shell::offered_to(bool (reply_shell::*take)(const slots::grant&)) {
    return [weak = weak_from_this(), take](const slots::grant& g) {
        const auto self = weak.lock();
        return self && (self.get()->*take)(g);
    };
}

bool reply_shell::take_slot(const slots::grant& g) {
    ticket_ = slots::no_ticket;
    if (!machine_.wants_slot()) return false;
    machine_.slot_granted(now(), g.slot, g.reused, g.guard_wait);
    perform_actions();
    return true;
}

bool reply_shell::take_warm_slot(const slots::grant& g) {
    warm_ticket_ = slots::no_ticket;
    if (!machine_.wants_warm_slot()) return false;
    machine_.warm_slot_granted(now(), g.slot);
    perform_actions();
    return true;
}

}  // namespace tandem::detail
