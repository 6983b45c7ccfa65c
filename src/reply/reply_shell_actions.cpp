// The part of reply_shell that performs the machine's actions.
#include "loop/clock.hpp"
#include "reply/reply_shell.hpp"
#include "wire/calls/tool_call_formats.hpp"

#include <boost/asio/post.hpp>

#include <utility>
#include <vector>

namespace tandem::detail {
namespace {

// Sets a flag for the lifetime of the object, so that an exception also resets it.
class scoped_flag {
 public:
    explicit scoped_flag(bool& flag) : flag_(flag) { flag_ = true; }
    ~scoped_flag() { flag_ = false; }
    scoped_flag(const scoped_flag&) = delete;
    scoped_flag& operator=(const scoped_flag&) = delete;

 private:
    bool& flag_;
};

// The beginning of the text, which suffices to compare it with the texts in slots.
std::string comparable(std::string_view text) {
    return std::string(text.substr(0, slots::max_compared_bytes));
}

}  // namespace

void reply_shell::perform_actions() {
    // Actions may cause events that add further actions; the outermost call executes them all.
    if (performing_) return;
    const auto self = weak_from_this().lock();
    {
        const scoped_flag performing(performing_);
        for (auto actions = machine_.take_actions(); !actions.empty();
             actions = machine_.take_actions())
            for (auto& a : actions)
                std::visit([this](auto& value) { perform(std::move(value)); }, a);
    }
    if (speech_wait_) deliver_upcoming_speech();
    if (calls_wait_)
        if (auto called = machine_.get_called_functions()) deliver_tool_calls(std::move(*called));
    arm_timer();
}

// Sending a request takes a few hundred microseconds, and must not delay a chunk that is being
// handed over.
void reply_shell::run_after_hand_over(std::function<void(reply_shell&)> ask) {
    boost::asio::post(scope_->executor(),
                      [weak = weak_from_this(), at = moves_, ask = std::move(ask)] {
                          const auto self = weak.lock();
                          if (self && !self->has_ended() && self->moves_ == at) ask(*self);
                      });
}

void reply_shell::perform(action::tokenize_prompt) {
    run_after_hand_over(&reply_shell::tokenize_prompt);
}

void reply_shell::tokenize_prompt() {
    const auto done = [weak = weak_from_this(), at = moves_](const error_code& ec,
                                                             const diagnostics& diag,
                                                             std::vector<wire::token_id> ids) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at) return;
        if (!self->on_ids_request_failed(ec, diag))
            self->machine_.on_prompt_tokenized(now(), std::move(ids));
        self->perform_actions();
    };
    const std::string unknown(machine_.transcript().untokenized_prompt());
    server_->calls().tokenize_prompt_rest(unknown, machine_.transcript().has_known_prefix(), done);
}

void reply_shell::perform(action::recover_tokens a) {
    run_after_hand_over([a = std::move(a)](reply_shell& s) { s.recover_tokens(a); });
}

void reply_shell::recover_tokens(const action::recover_tokens& a) {
    const auto done = [weak = weak_from_this(), at = moves_](
                          const error_code& ec, const diagnostics& diag,
                          const std::vector<wire::token_id>& ids) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at) return;
        if (!self->on_ids_request_failed(ec, diag)) self->machine_.on_tokens_recovered(now(), ids);
        self->perform_actions();
    };
    server_->calls().tokenize_pieces(a.texts, reply_transcript::separator, a.parse_special, done);
}

void reply_shell::perform(action::check_ids) {
    const auto done = [weak = weak_from_this(), at = moves_](
                          const error_code& ec, const diagnostics& diag, const std::string& text) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at) return;
        if (!self->on_ids_request_failed(ec, diag)) self->machine_.on_ids_checked(now(), text);
        self->perform_actions();
    };
    server_->calls().detokenize(machine_.next_prompt().ids, done);
}

bool reply_shell::on_ids_request_failed(const error_code& ec, const diagnostics& diag) {
    return ec && machine_.on_ids_request_failed(now(), {ec, diag});
}

// Unless it is urgent, the slot is requested after the hand-over. Unlike in run_after_hand_over(),
// a move to another server in between does not matter.
void reply_shell::perform(action::request_slot a) {
    if (a.is_urgent) return request_slot();
    boost::asio::post(scope_->executor(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self || !self->machine_.is_waiting_for_slot() || self->ticket_ != slots::no_ticket)
            return;
        self->request_slot();
        self->perform_actions();
    });
}

void reply_shell::perform(action::request_warm_slot) {
    boost::asio::post(scope_->executor(), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self && self->machine_.is_waiting_for_warm_slot() &&
            self->warm_ticket_ == slots::no_ticket)
            self->request_warm_slot();
    });
}

void reply_shell::request_slot() {
    const auto warmed = warmed_ ? std::exchange(warmed_, {}) : machine_.warm_slot();
    auto& manager = server_->slots();
    ticket_ = manager.enqueue({.prompt = comparable(machine_.text()),
                               .warmed = warmed,
                               .kind = machine_.slot_request_kind(),
                               .due = get_due_time(),
                               .owner = owner_,
                               .was_here = was_here_ || machine_.has_begun(),
                               .avoid = machine_.failed_slot()},
                              make_grant_handler(&reply_shell::take_slot));
    if (ticket_ == slots::no_ticket) return machine_.on_slot_refused(now());
    manager.dispatch_grants();
    if (ticket_ != slots::no_ticket) manager.log_wait(id(), ticket_);
}

void reply_shell::request_warm_slot() {
    auto& manager = server_->slots();
    warm_ticket_ = manager.enqueue({.prompt = comparable(machine_.text()),
                                    .kind = slots::request_kind::background,
                                    .due = get_due_time(),
                                    .owner = owner_},
                                   make_grant_handler(&reply_shell::take_warm_slot));
    manager.dispatch_grants();
}

time_point reply_shell::get_due_time() const {
    return machine_.speech_runs_out_at(now()) + slots::priority_shift(options_.priority);
}

void reply_shell::perform(action::update_slot_request) {
    server_->slots().set_due(ticket_, get_due_time());
}

void reply_shell::perform(action::record_progress a) {
    server_->slots().record_progress(a.slot, a.generated);
}

void reply_shell::perform(action::check_slot_demand a) {
    if (server_->slots().should_yield_slot(a.slot, get_due_time())) machine_.on_slot_wanted(now());
}

void reply_shell::perform(action::cancel_slot_request) {
    machine_.on_slot_wait_cancelled(
        server_->slots().cancel_request(std::exchange(ticket_, slots::no_ticket)));
}

void reply_shell::perform(action::cancel_warm_slot_request) {
    server_->slots().cancel_request(std::exchange(warm_ticket_, slots::no_ticket));
}

void reply_shell::perform(action::send_request a) {
    if (a.drops_grammar && !options_.grammar.empty()) {
        options_.grammar.clear();
        encode_settings();
    }
    const auto prompt = machine_.next_prompt();
    server_->log(log_level::debug, "reply {}: request to slot {}, prompt as {}", id(), a.slot,
                 prompt.as_ids()      ? "ids"
                 : prompt.ids.empty() ? "text"
                                      : "ids and text");
    send(request_, a.slot, a.n_predict, prompt,
         a.ignores_end ? settings_ + R"(,"ignore_eos":true)" : settings_);
}

// Asks for one token, because a server generates at least one.
void reply_shell::perform(action::send_warming_request a) {
    server_->log(log_level::debug, "reply {}: prefilling slot {}", id(), a.slot);
    send(warming_, a.slot, 1, machine_.warming_prompt(), settings_);
}

void reply_shell::send(completion_call& call, int slot, int n_predict, const prompt_view& prompt,
                       std::string_view settings) {
    call.start(server_->transport(),
               encode_body({.prompt = prompt,
                            .slot = slot,
                            .n_predict = n_predict,
                            .reuse_cache = !server_->slots().holds_foreign_text(slot),
                            .settings = settings}),
               weak_from_this(), options_.traceparent,
               recorded_request_key{.scope_number = scope_->scope_number(),
                                    .reply = id(),
                                    .text_bytes = machine_.transcript().generated().size(),
                                    .is_prefill = &call == &warming_});
}

void reply_shell::on_calls_parsed(std::vector<tool_call> calls) {
    if (const auto listener = listener_.lock()) listener->make_ids_unique(calls);
    machine_.on_calls_parsed(now(), std::move(calls));
}

/// Decodes a call that is JSON in a known place; nullopt if the server has to parse the text.
std::optional<std::vector<tool_call>> reply_shell::decode_calls() const {
    const auto text = machine_.call_text();
    if (!uses_call_schema(options_) && !text.empty()) return std::nullopt;
    auto call = text.empty() ? wire::decode_gpt_oss_call(machine_.result().reasoning)
                             : wire::decode_json_tool_call(text, options_);
    std::vector<tool_call> calls;
    if (call) calls.push_back(*std::move(call));
    return calls;
}

server::server_calls::handler<wire::parsed_reply> reply_shell::make_calls_handler() {
    return [weak = weak_from_this(), at = moves_](error_code ec, const diagnostics& diag,
                                                  wire::parsed_reply parsed) {
        const auto self = weak.lock();
        if (!self || self->moves_ != at || self->parsing_ == server::no_call) return;
        self->parsing_ = server::no_call;
        if (ec) self->server_->on_request_failed({ec, diag});
        auto calls = wire::correct_parsed_calls(std::move(parsed.calls), self->machine_.call_text(),
                                                self->options_);
        if (ec && calls.empty())
            self->machine_.on_request_failed(now(), {ec, diag});
        else
            self->on_calls_parsed(std::move(calls));
        self->perform_actions();
    };
}

// Only replies of a conversation look for calls, because the conversation knows the messages before
// the calls.
void reply_shell::perform(action::parse_calls a) {
    if (auto calls = decode_calls()) return on_calls_parsed(*std::move(calls));
    server_->log(log_level::debug, "reply {}: the server parses the tool calls on slot {}", id(),
                 a.slot);
    request_.close();  // the slot is now used through another endpoint
    parsing_ = source_.parse_calls({.slot = a.slot,
                                    .text = machine_.transcript().generated(),
                                    .reuse_cache = !server_->slots().holds_foreign_text(a.slot),
                                    .end_token = marks_.end_token},
                                   make_calls_handler());
}

void reply_shell::perform(action::force_calls a) {
    server_->log(
        log_level::info,
        "reply {}: the model's tool call is invalid; the server generates it under a grammar",
        id());
    parsing_ = source_.force_calls({.lead = marks_.lead,
                                    .slot = a.slot,
                                    .reuse_cache = !server_->slots().holds_foreign_text(a.slot)},
                                   make_calls_handler());
}

// A waiting consumer must get the calls before the reply ends, which may be immediately.
void reply_shell::perform(action::report_calls a) {
    if (const auto listener = listener_.lock()) listener->on_called(id(), std::move(a.calls));
    if (!calls_wait_) return;
    if (auto called = machine_.get_called_functions()) deliver_tool_calls(std::move(*called));
}

void reply_shell::perform(action::close_connection) {
    request_.close();
    if (const auto call = std::exchange(parsing_, server::no_call); call != server::no_call)
        server_->calls().cancel(call, boost::asio::error::operation_aborted);
}

void reply_shell::perform(action::close_warming_connection) {
    warming_.close();
}

void reply_shell::perform(action::release_slot a) {
    a.note.holds = comparable(machine_.text().substr(0, a.holds_bytes));
    server_->slots().release(a.slot, std::move(a.note), a.erase, a.was_cut,
                             [weak = weak_from_this()](duration since_cut) {
                                 // The result must not change after the end, because it may be read
                                 // from any thread.
                                 const auto self = weak.lock();
                                 if (self && !self->has_ended())
                                     self->machine_.on_slot_idle(since_cut);
                             });
}

void reply_shell::perform(action::hand_over a) {
    // A log function may have just cancelled the wait; the reply then fails with continue_timeout.
    if (!chunk_wait_) return;
    if (const auto listener = listener_.lock()) listener->on_handed_over(a.value);
    chunk_wait_.take_handler().complete({}, {}, std::move(a.value));
}

void reply_shell::perform(action::log_late_start a) {
    server_->log(log_level::warning,
                 "reply {}: slot {}: the server held the request for {:.0f} ms; the slot was still "
                 "busy, or the model was asleep",
                 id(), a.slot, to_ms(a.held));
}

void reply_shell::perform(action::log_failover) {
    const auto& why = machine_.failover_cause();
    scope_->log(log_level::warning, "reply {}: {}: {}{}", id(), error_name(why.ec),
                why.diag.to_string(),
                machine_.has_begun() ? "; continues from the text so far" : "");
}

// A timeout of the reply counts as a failure of the server, like a broken stream.
void reply_shell::perform(action::report_timeout a) {
    server_->on_completion_failed({a.code, {}}, request_.sent_at());
}

void reply_shell::perform(action::log_slot_mismatch a) {
    server_->report_slot_mismatch(a.asked, a.used);
}

void reply_shell::perform(action::release_slot_ownership) {
    if (server_ && !machine_.is_draft()) server_->slots().release_owner(owner_);
}

void reply_shell::perform(action::finish) {
    ended_.store(true, std::memory_order_release);
    timer_.reset();
    // A draft's slot stays protected for the turn.
    if (server_ && !machine_.is_draft()) server_->slots().release_owner(owner_);
    const auto& r = machine_.result();
    scope_->log(log_level::info, "{} {}: {}: {}", name(), id(), to_string(r.finish_reason),
                r.metrics_line());
    // A failed draft is not an error, because the turn that follows has its own reply.
    if (r.error)
        scope_->log(machine_.is_draft() ? log_level::info : log_level::error, "{} {}: {}: {}",
                    name(), id(), error_name(r.error), r.diagnostics.to_string());
    if (const auto listener = listener_.lock())
        listener->on_ended(id(), r, machine_.take_remainder());
    source_ = {};
    if (chunk_wait_) complete_with_result();
    if (on_end_) boost::asio::post(scope_->executor(), std::exchange(on_end_, {}));
}

void reply_shell::arm_timer() {
    const auto due = machine_.deadline();
    // If the timer expires early, it is only armed again; therefore, it need not be re-armed for
    // each token.
    if (!due || (timer_due_ && *timer_due_ <= *due)) return;
    timer_due_ = due;
    if (!timer_) timer_.emplace(scope_->executor());
    timer_->expires_at(*due);
    timer_->async_wait([weak = weak_from_this()](error_code ec) {
        const auto self = weak.lock();
        if (!self || ec) return;
        self->timer_due_.reset();
        self->machine_.on_deadline(now());
        self->perform_actions();
    });
}

}  // namespace tandem::detail
