#include "reply/reply_shell.hpp"

#include "base/format_count.hpp"
#include "config/apply_delivery_options.hpp"
#include "config/config_defaults.hpp"
#include "loop/clock.hpp"
#include "reply/machine/generation_options_check.hpp"
#include "server/template_thinking.hpp"
#include "text/sentences/make_boundary_detector.hpp"
#include "wire/calls/completion_request.hpp"

namespace tandem::detail {
namespace {

const reply_result& unfinished() {
    static const reply_result result{.error = errc::operation_in_progress};
    return result;
}

}  // namespace

reply_shell::reply_shell(strand_scope& scope, const config& rules, reply_options wish,
                         reply_server_source source, std::weak_ptr<reply_listener> listener,
                         interrupt_count interrupts)
    : scope_(scope.shared_from_this()),
      link_(std::make_shared<reply_link>(scope.executor(), std::move(interrupts))),
      listener_(std::move(listener)),
      options_(merge_sampling_defaults(std::move(wish.options), rules.generation)),
      source_(std::move(source)),
      machine_(scope.next_id(), make_reply_rules(rules, options_, wish),
               text::make_boundary_detector(rules.chunking.boundary_rule, rules.chunking.language),
               make_chunk_limits(rules, wish.streamed_by)),
      is_streamed_(wish.streamed_by.has_value()),
      request_(request_handlers()),
      warming_(warming_handlers()) {}

std::shared_ptr<reply_shell> reply_shell::make(strand_scope& scope, const config& rules,
                                               reply_options wish, reply_server_source source,
                                               std::weak_ptr<reply_listener> listener,
                                               interrupt_count interrupts) {
    const auto own = apply_delivery_options(rules, wish.options.delivery);
    std::shared_ptr<reply_shell> shell(new reply_shell(scope, own, std::move(wish),
                                                       std::move(source), std::move(listener),
                                                       std::move(interrupts)));
    shell->link_->set_shell(shell);
    scope.add_listener(shell);
    scope.dispatch([shell] { shell->start(); });
    return shell;
}

reply_shell::~reply_shell() {
    link_->cut();
}

const reply_result& reply_shell::result() const noexcept {
    return has_ended() ? machine_.result() : unfinished();
}

// --- requests from outside

void reply_shell::start() {
    if (has_ended()) return;
    if (scope_->is_closed()) return on_owner_destroyed();
    if (const auto why = check_generation_options(options_)) return abandon(why->ec, why->diag);
    if (is_constrained(options_))
        scope_->log(log_level::debug,
                    "reply {}: sent as one uncut request: a second one would restart {}", id(),
                    !options_.grammar.empty() ? "the grammar" : "the JSON schema");
    machine_.start(now());
    perform_actions();
}

void reply_shell::interrupt() {
    machine_.on_interrupted(now());
    perform_actions();
}

void reply_shell::commit_draft() {
    machine_.on_draft_committed(now());
    perform_actions();
}

void reply_shell::abandon(error_code ec, const diagnostics& diag) {
    machine_.end_with_error(now(), ec, diag);
    perform_actions();
}

void reply_shell::leave_server(server_leave_reason reason) {
    machine_.leave_server(now(), std::move(reason));
    perform_actions();
}

bool reply_shell::refutes_reason(const server_leave_reason& reason) const noexcept {
    return machine_.refutes_reason(reason);
}

void reply_shell::on_owner_destroyed() {
    abandon(errc::client_destroyed, {.client_message = owner_destroyed});
}

void reply_shell::on_context_destroyed() noexcept {
    link_->cut();
    timer_.reset();
    request_.close();
    warming_.close();
    chunk_wait_.drop();
    speech_wait_.drop();
    calls_wait_.drop();
    source_ = {};
}

// --- choice of the server

// `done` must not own the reply: if the loop is not run to its end, the reply's connection would
// outlive the loop.
void reply_shell::perform(action::request_server) {
    const auto done = [weak = weak_from_this()](error_code ec, const diagnostics& diag,
                                                reply_start_point where) {
        const auto self = weak.lock();
        if (self && !self->has_ended()) self->on_server_acquired({ec, diag}, std::move(where));
    };
    if (server_)
        source_.go_on(*this, machine_.failover_cause(), done);
    else
        source_.start(*this, done);
}

void reply_shell::on_server_acquired(failure why, reply_start_point where) {
    if (why.ec) {
        machine_.on_no_server(now(), std::move(why), where.is_permanent);
    } else {
        auto origin = std::move(where.origin);
        origin.call_mark = where.marks.opening;
        origin.call_lead = where.marks.lead;
        origin.word_marks = where.marks.words;
        if (where.link)
            switch_to_server(std::move(where));
        else
            machine_.set_pace(where.pace);
        machine_.on_server_found(now(), server_ ? server_->slots().slots() : 0, std::move(origin));
        if (server_ && machine_.limits_reasoning()) learn_closing_text();
    }
    perform_actions();
}

void reply_shell::switch_to_server(reply_start_point where) {
    // After its first server, the reply knows the pace better than its conversation does.
    if (!server_) machine_.set_pace(where.pace);
    if (server_ && server_ != where.link) {
        server_->slots().release_owner(owner_);
        scope_->log(log_level::info, "reply {}: continues on server {}", id(),
                    where.link->shown_url());
    }
    ++moves_;
    server_ = std::move(where.link);
    owner_ = where.owner != slots::nobody ? where.owner : id();
    was_here_ = where.was_here;
    warmed_ = where.warmed;
    machine_.set_server_url(server_->config().server.url);
    marks_ = std::move(where.marks);
    encode_settings();
}

/// The answer arrives long before the reasoning has to be closed. If no answer arrives, the closing
/// mark is added without white space.
void reply_shell::learn_closing_text() {
    server_->calls().apply_template(
        {{"user", "Hello."}}, {.template_options = std::string(server::options_without_thinking)},
        [weak = weak_from_this(), at = moves_](const error_code&, const diagnostics&,
                                               std::string prompt) {
            const auto self = weak.lock();
            if (self && self->moves_ == at)
                self->machine_.set_prompt_without_thinking(std::move(prompt));
        });
}

void reply_shell::encode_settings() {
    settings_ = wire::encode_completion_settings(options_, server_->config().speech.reasoning_tags,
                                                 server_->prompt_progress_mode(), marks_.preserved);
}

// --- events from the server

completion_call::handlers reply_shell::request_handlers() {
    return {.begun =
                [this] {
                    machine_.on_response_started(now(), request_.connect_duration());
                    perform_actions();
                },
            .read =
                [this](const wire::token_event& event) {
                    if (wire::is_generation_event(event)) server_->report_server_success();
                    machine_.on_event_read(now(), event);
                    perform_actions();
                },
            .on_failed =
                [this](const failure& why) {
                    report_failure(request_, why);
                    machine_.on_request_failed(now(), why);
                    perform_actions();
                }};
}

completion_call::handlers reply_shell::warming_handlers() {
    return {.begun = [this] { machine_.on_warming_started(); },
            .read =
                [this](const wire::token_event& event) {
                    machine_.on_warming_event(now(), event);
                    if (event.what == wire::token_event::kind::final)
                        server_->log(log_level::debug, "reply {}: slot prefilled, {} evaluated",
                                     id(), format_count(event.timings.evaluated, "token"));
                    perform_actions();
                },
            // Does not fail the reply: the next request fails for the same reason, and reports it.
            .on_failed =
                [this](const failure& why) {
                    server_->log(log_level::info, "reply {}: a slot could not be prefilled: {}",
                                 id(), why.diag.to_string());
                    report_failure(warming_, why);
                    // The guard of other replies depends on /props.
                    server_->load_props([](auto&&...) {});
                    machine_.on_warming_failed(now(), why);
                    perform_actions();
                }};
}

void reply_shell::report_failure(const completion_call& call, const failure& why) {
    const auto at = server_;
    at->on_completion_failed(why, call.sent_at());
    if (const auto listener = listener_.lock()) listener->on_request_failed(at, why);
}

grant_handler reply_shell::make_grant_handler(bool (reply_shell::*take)(const slots::grant&)) {
    return [weak = weak_from_this(), take](const slots::grant& g) {
        const auto self = weak.lock();
        return self && (self.get()->*take)(g);
    };
}

bool reply_shell::take_slot(const slots::grant& g) {
    ticket_ = slots::no_ticket;
    if (!machine_.is_waiting_for_slot()) return false;
    machine_.on_slot_granted(now(), g.slot, g.reused, g.guard_wait);
    perform_actions();
    return true;
}

bool reply_shell::take_warm_slot(const slots::grant& g) {
    warm_ticket_ = slots::no_ticket;
    if (!machine_.is_waiting_for_warm_slot()) return false;
    machine_.on_warm_slot_granted(now(), g.slot);
    perform_actions();
    return true;
}

}  // namespace tandem::detail
