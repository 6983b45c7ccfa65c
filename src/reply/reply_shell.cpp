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

// Set as long as it lives, also when an exception ends it.
class scoped_flag {
 public:
    explicit scoped_flag(bool& flag) : flag_(flag) { flag_ = true; }
    ~scoped_flag() { flag_ = false; }
    scoped_flag(const scoped_flag&) = delete;
    scoped_flag& operator=(const scoped_flag&) = delete;

 private:
    bool& flag_;
};

// What slots are chosen by.
std::string comparable(std::string_view text) {
    return std::string(text.substr(0, slots::most_compared_bytes));
}

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

// --- what the machine wants

void reply_shell::perform_actions() {
    // Actions may make things happen that bring further actions: the outermost call does them all.
    if (performing_) return;
    const auto self = weak_from_this().lock();
    {
        const scoped_flag performing(performing_);
        for (auto actions = machine_.take_actions(); !actions.empty();
             actions = machine_.take_actions())
            for (auto& a : actions)
                std::visit([this](auto& value) { perform(std::move(value)); }, a);
    }
    if (speech_taker_) tell_upcoming_speech();
    arm_timer();
}

// To send a request takes some hundred microseconds, which a chunk that is being handed over must
// not wait for.
void reply_shell::after_hand_over(std::function<void(reply_shell&)> ask) {
    boost::asio::post(home_->executor(),
                      [weak = weak_from_this(), at = moves_, ask = std::move(ask)] {
                          const auto self = weak.lock();
                          if (self && !self->ended() && self->moves_ == at) ask(*self);
                      });
}

void reply_shell::perform(action::tokenize_prompt) {
    after_hand_over(&reply_shell::tokenize_prompt);
}

void reply_shell::tokenize_prompt() {
    const auto done = [weak = weak_from_this(), at = moves_](const error_code& ec,
                                                             const diagnostics& diag,
                                                             std::vector<wire::token_id> ids) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at) return;
        if (!self->left_unanswered(ec, diag))
            self->machine_.prompt_tokenized(now(), std::move(ids));
        self->perform_actions();
    };
    const std::string unknown(machine_.said().unknown_prompt());
    core_->calls().tokenize_unknown(unknown, machine_.said().has_known_start(), done);
}

void reply_shell::perform(action::recover_tokens a) {
    after_hand_over([texts = std::move(a.texts)](reply_shell& s) { s.recover_tokens(texts); });
}

void reply_shell::recover_tokens(const std::vector<std::string>& texts) {
    const auto done = [weak = weak_from_this(), at = moves_](
                          const error_code& ec, const diagnostics& diag,
                          const std::vector<wire::token_id>& ids) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at) return;
        if (!self->left_unanswered(ec, diag)) self->machine_.tokens_recovered(now(), ids);
        self->perform_actions();
    };
    core_->calls().tokenize_pieces(texts, continuation::separator, done);
}

void reply_shell::perform(action::check_ids) {
    const auto done = [weak = weak_from_this(), at = moves_](
                          const error_code& ec, const diagnostics& diag, const std::string& text) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at) return;
        if (!self->left_unanswered(ec, diag)) self->machine_.ids_checked(now(), text);
        self->perform_actions();
    };
    core_->calls().detokenize(machine_.next_prompt().ids, done);
}

bool reply_shell::left_unanswered(const error_code& ec, const diagnostics& diag) {
    return ec && machine_.left_unanswered(now(), {ec, diag});
}

// As after_hand_over(), and nothing that a move makes void.
void reply_shell::perform(action::want_slot a) {
    if (a.is_urgent) return want_slot();
    boost::asio::post(home_->executor(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self || !self->machine_.wants_slot() || self->ticket_ != slots::no_ticket) return;
        self->want_slot();
        self->perform_actions();
    });
}

void reply_shell::perform(action::want_warm_slot) {
    boost::asio::post(home_->executor(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->machine_.wants_warm_slot() && self->warm_ticket_ == slots::no_ticket)
            self->want_warm_slot();
    });
}

void reply_shell::want_slot() {
    const auto warmed = warmed_ ? std::exchange(warmed_, {}) : machine_.warm_slot();
    auto& keeper = core_->keeper();
    ticket_ = keeper.want({.prompt = comparable(machine_.text()),
                           .warmed = warmed,
                           .priority = machine_.slot_priority(),
                           .rank = static_cast<int>(options_.priority),
                           .owner = owner_,
                           .lease = lease_,
                           .avoid = machine_.failed_slot()},
                          offered_to(&reply_shell::take_slot));
    if (ticket_ == slots::no_ticket) return machine_.slot_refused(now());
    keeper.give();
    if (ticket_ != slots::no_ticket) keeper.log_wait(id(), ticket_);
}

void reply_shell::want_warm_slot() {
    auto& keeper = core_->keeper();
    warm_ticket_ = keeper.want({.prompt = comparable(machine_.text()),
                                .priority = slots::priority::warming,
                                .rank = static_cast<int>(options_.priority),
                                .owner = owner_,
                                .lease = lease_},
                               offered_to(&reply_shell::take_warm_slot));
    keeper.give();
}

void reply_shell::perform(action::raise_wish) {
    core_->keeper().raise(ticket_, machine_.slot_priority());
}

void reply_shell::perform(action::forget_slot) {
    machine_.wait_given_up(core_->keeper().forget(std::exchange(ticket_, slots::no_ticket)));
}

void reply_shell::perform(action::forget_warm_slot) {
    core_->keeper().forget(std::exchange(warm_ticket_, slots::no_ticket));
}

void reply_shell::perform(action::send_request a) {
    const auto prompt = machine_.next_prompt();
    core_->log(log_level::debug, "reply {}: request to slot {}, prompt as {}", id(), a.slot,
               prompt.as_ids()      ? "ids"
               : prompt.ids.empty() ? "text"
                                    : "ids and text");
    send(request_, a.slot, a.n_predict, prompt);
}

// A server generates one token at least.
void reply_shell::perform(action::send_warming a) {
    core_->log(log_level::debug, "reply {}: prefilling slot {}", id(), a.slot);
    send(warming_, a.slot, 1, machine_.warming_prompt());
}

void reply_shell::send(completion_call& call, int slot, int n_predict, const prompt_view& prompt) {
    call.start(core_->transport(),
               body_of({.prompt = prompt,
                        .slot = slot,
                        .n_predict = n_predict,
                        .reuse_cache = !core_->keeper().holds_foreign_text(slot),
                        .settings = settings_}),
               weak_from_this(), options_.traceparent,
               reply_place{.home = home_->number(),
                           .reply = id(),
                           .text_bytes = machine_.said().generated().size(),
                           .is_prefill = &call == &warming_});
}

void reply_shell::perform(action::close_connection) {
    request_.close();
}

void reply_shell::perform(action::close_warming) {
    warming_.close();
}

void reply_shell::perform(action::release_slot a) {
    slots::release_note note{.side = a.side,
                             .is_use = a.is_use,
                             .holds = comparable(machine_.text().substr(0, a.holds_bytes))};
    core_->keeper().release(a.slot, std::move(note), a.erase, a.cut,
                            [weak = weak_from_this()](duration since_cut) {
                                // The result of an ended reply is read by others.
                                const auto self = weak.lock();
                                if (self && !self->ended()) self->machine_.slot_idle(since_cut);
                            });
}

void reply_shell::perform(action::hand_over a) {
    // A log function may have cancelled the wait just now: the reply fails with continue_timeout.
    if (!consumer_) return;
    if (const auto listener = listener_.lock()) listener->handed_over(a.value);
    consumer_.complete({}, std::move(a.value));
}

void reply_shell::perform(action::tell_held_back a) {
    core_->log(log_level::warning,
               "reply {}: slot {}: the server held the request back for {:.0f} ms; the slot was "
               "still busy there, or the model asleep",
               id(), a.slot, to_ms(a.held));
}

void reply_shell::perform(action::tell_lost) {
    const auto& why = machine_.lost_to();
    home_->log(log_level::warning, "reply {}: {}: {}; goes on from the text so far", id(),
               error_name(why.ec), why.diag.to_string());
}

// The reply's own clocks tell of the server as much as a broken stream does.
void reply_shell::perform(action::tell_overtime a) {
    core_->completion_failed(a.code, request_.sent_at());
}

void reply_shell::perform(action::tell_other_slot a) {
    core_->ran_on_another_slot(a.asked, a.used);
}

void reply_shell::perform(action::leave_slots) {
    if (core_) core_->keeper().let_go(owner_);
}

void reply_shell::perform(action::finish) {
    ended_.store(true, std::memory_order_release);
    timer_.reset();
    if (core_) core_->keeper().let_go(owner_);
    const auto& r = machine_.result();
    home_->log(log_level::info, "reply {}: {}: {}", id(), to_string(r.finish_reason),
               r.metrics_line());
    if (r.error)
        home_->log(log_level::error, "reply {}: {}: {}", id(), error_name(r.error),
                   r.diagnostics.to_string());
    if (const auto listener = listener_.lock()) listener->ended(id(), r, machine_.take_rest());
    source_ = {};
    if (consumer_) give_end();
    if (on_end_) boost::asio::post(home_->executor(), std::exchange(on_end_, {}));
}

void reply_shell::arm_timer() {
    const auto due = machine_.deadline();
    // A timer that is due earlier than needed looks again; so tokens do not re-arm it.
    if (!due || (timer_due_ && *timer_due_ <= *due)) return;
    timer_due_ = due;
    if (!timer_) timer_.emplace(home_->executor());
    timer_->expires_at(*due);
    timer_->async_wait([weak = weak_from_this()](error_code ec) {
        const auto self = weak.lock();
        if (!self || ec) return;
        self->timer_due_.reset();
        self->machine_.deadline_reached(now());
        self->perform_actions();
    });
}

}  // namespace tandem::detail
