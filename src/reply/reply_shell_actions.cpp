// The part of reply_shell that performs the machine's actions.
#include "loop/clock.hpp"
#include "reply/machine/refusal.hpp"
#include "reply/reply_shell.hpp"
#include "wire/calls/completion_request.hpp"

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

}  // namespace

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
