#include "gateway/sessions/voice_session.hpp"

#include "gateway/policy/prompt_texts.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/session_admission.hpp"

#include <boost/asio/bind_executor.hpp>

#include <utility>
#include <variant>
#include <vector>

namespace tandem::gateway {

namespace asio = boost::asio;

voice_session::voice_session(gateway_core& gateway, served_model& model, voice_turn_machine turns)
    : gateway_(gateway),
      model_(model),
      id_(turns.session()),
      turns_(std::move(turns)),
      check_(gateway.executor) {
    model_.load.on_session_started(id_, detail::now());
}

voice_session::~voice_session() {
    if (record_) record_->stop();
    model_.load.on_session_ended(id_, detail::now());
}

// --- events and actions

void voice_session::perform_all() {
    is_performing_ = true;
    for (auto actions = turns_.take_actions(); !actions.empty(); actions = turns_.take_actions()) {
        release_permit();
        for (auto& a : actions) {
            is_changed_ = is_changed_ || (record_ && changes_record(a));
            std::visit([this](auto& value) { this->perform(value); }, a);
        }
    }
    is_performing_ = false;
    if (record_ && std::exchange(is_changed_, false)) record_->on_session_changed();
    move_if_due();
    release_permit();
    arm_check_timer();
}

// Ends this session, but not the gateway. Called inside a catch block.
void voice_session::on_exception() {
    log_current_exception(gateway_.options, "a voice session was ended by an internal error");
    turns_.on_exception();
    perform_all();
}

// Must run before the client receives the reply's end, because the client may then immediately
// request another reply outside of this session.
void voice_session::release_permit() {
    if (!turns_.is_busy() && drafts_ == 0) permit_holder_.reset();
}

/// Wraps a handler: the wrapper does nothing if the session is gone, and keeps the session and the
/// gateway alive while the handler runs.
template <class Function>
auto voice_session::bind_to_session(Function change) {
    return [weak = weak_from_this(), change = std::move(change)](auto&&... arguments) {
        const auto self = weak.lock();
        if (!self) return;
        const auto gateway = self->gateway_.shared_from_this();
        change(*self, std::forward<decltype(arguments)>(arguments)...);
    };
}

void voice_session::arm_check_timer() {
    const auto due = turns_.next_check();
    if (!due) {
        check_.cancel();
        return;
    }
    check_.expires_at(*due);
    check_.async_wait(bind_to_session([](voice_session& self, boost::system::error_code ec) {
        if (!ec) self.run_and_perform([&](time_point now) { self.turns_.check(now); });
    }));
}

void voice_session::on_socket_attached(voice_socket socket, voice_caller caller,
                                       voice::start first) {
    caller_ = std::move(caller);
    run_and_perform(
        [&](time_point now) { turns_.on_socket_attached(now, socket, std::move(first)); });
}

void voice_session::on_message(voice_socket socket, voice_message message) {
    run_and_perform([&](time_point now) { turns_.on_message(now, socket, std::move(message)); });
}

void voice_session::on_socket_lost(voice_socket socket) {
    run_and_perform([&](time_point now) { turns_.on_socket_lost(now, socket); });
}

// The conversation's part is complete before the session handles any later event.
void voice_session::make_record(session_record_writer::record_handler done) {
    if (!talk_) return done(encode_record(turns_.record()));
    auto handler = bind_to_session(
        [done = std::move(done)](voice_session& self, const error_code& ec, std::string text) {
            if (ec) return done(std::nullopt);
            auto record = self.turns_.record();
            record.conversation = std::move(text);
            done(encode_record(std::move(record)));
        });
    talk_->async_save(asio::bind_executor(gateway_.executor, std::move(handler)));
}

// --- sockets and registry

void voice_session::perform(voice_action::send& a) {
    gateway_.voices.send(a.socket, std::move(a.text));
}

void voice_session::perform(const voice_action::close& a) {
    gateway_.voices.close(a.socket, a.why);
}

void voice_session::perform(const voice_action::keep&) {
    gateway_.voices.keep_without_socket(id_);
}

void voice_session::perform(const voice_action::forget& a) {
    if (record_) a.is_moved ? record_->stop_and_release() : record_->remove();
    gateway_.voices.forget_session(id_);
}

void voice_session::perform(const voice_action::first_chunk& a) {
    gateway_.metrics.record_voice_latency(model_.name, a.since_asked, a.timing);
}

// --- turns

/// Checks the turn, immediately or after the cluster's decision, and calls `then` with the reason
/// if the turn is rejected, or with nullopt.
template <class Function>
void voice_session::admit(const voice_turn_ptr& turn, Function then) {
    // If the new reply or draft is admitted, the previous reply ends, and the new one takes over
    // its permit. If the new one is rejected, the previous reply continues and keeps its permit.
    const auto now = detail::now();
    auto checked = gateway_.gate.authorize_reply(caller_->who, now, permit_holder_);
    auto* const open = std::get_if<locally_admitted_request>(&checked);
    if (!open) return then(*this, find_refusal(*turn, std::move(checked)));
    gateway_.gate.decide_with_cluster(
        std::move(*open), now,
        bind_to_session([turn, then = std::move(then)](voice_session& self, admission decided) {
            self.run_and_perform(
                [&](time_point) { then(self, self.find_refusal(*turn, std::move(decided))); });
        }));
}

std::optional<api_error> voice_session::find_refusal(const voice_turn& turn, admission checked) {
    if (auto* const error = std::get_if<api_error>(&checked)) return std::move(*error);
    permit_holder_ = std::get<admitted_request>(std::move(checked));
    return gateway_.filter.find_violation(collect_texts(turn));
}

void voice_session::perform(const voice_action::check_turn& a) {
    ++newest_draft_;
    admit(a.turn, [a](voice_session& self, std::optional<api_error> why) {
        self.on_turn_checked(a, std::move(why));
    });
}

void voice_session::on_turn_checked(const voice_action::check_turn& checked,
                                    std::optional<api_error> why) {
    const auto& turn = *checked.turn;
    if (why) return refuse_turn(turn, *std::move(why));
    if (audits_prompts() && !checked.is_again) prompts_.record_turn(turn);
    turns_.on_turn_permitted(detail::now(), turn.number);
}

void voice_session::refuse_turn(const voice_turn& turn, api_error why) {
    audit_refused_turn(turn, why);
    turns_.on_turn_refused(detail::now(), turn.number, std::move(why));
}

void voice_session::perform(voice_action::open_conversation& a) {
    talk_ = model_.bots.create(std::move(a.options));
}

void voice_session::perform(voice_action::warm& a) {
    talk_->warm(thinking_.turn_off_unless_set(std::move(a.options)));
}

void voice_session::perform(voice_action::hear& a) {
    const std::vector<std::string_view> words{a.text};
    if (gateway_.filter.find_violation(words)) return;
    talk_->hearing(std::move(a.text), a.stable);
}

void voice_session::perform(const voice_action::draft& a) {
    ++drafts_;
    admit(a.turn, [turn = a.turn, number = ++newest_draft_](voice_session& self,
                                                            const std::optional<api_error>& why) {
        // The draft is obsolete if the client has dropped it or begun its turn in the meantime.
        if (number != self.newest_draft_) return void(--self.drafts_);
        self.on_draft_checked(turn, why);
    });
}

void voice_session::on_draft_checked(const voice_turn_ptr& turn,
                                     const std::optional<api_error>& why) {
    if (why) {
        --drafts_;
        audit_refused_turn(*turn, *why);
        return turns_.on_draft_skipped(turn->id, why->message);
    }
    const auto diag = std::make_shared<diagnostics>();
    auto handler =
        bind_to_session([diag, turn](voice_session& self, const error_code& ec, int tokens) {
            self.on_draft_ended(*turn, {ec, *diag}, tokens);
        });
    talk_->async_draft(turn->messages.back().content, options_of(*turn), *diag,
                       asio::bind_executor(gateway_.executor, std::move(handler)));
}

void voice_session::on_draft_ended(const voice_turn& turn, const failure& why, int tokens) {
    --drafts_;
    gateway_.gate.charge_tokens(caller_->who, detail::now(), tokens);
    if (!why.ec && tokens > 0 && audits_prompts()) prompts_.record_draft(turn);
    run_and_perform([&](time_point) {
        if (!why.ec || why.ec == asio::error::operation_aborted) return;
        const auto& said = why.diag.client_message;
        turns_.on_draft_skipped(turn.id, said.empty() ? why.ec.message() : said);
    });
}

void voice_session::perform(voice_action::drop_draft& a) {
    ++newest_draft_;
    talk_->drop_draft(std::move(a.unless));
}

void voice_session::perform(voice_action::append& a) {
    talk_->append(std::move(a.message));
}

void voice_session::perform(voice_action::answer_call& a) {
    auto& [id, content, is_final] = a.result;
    if (is_final)
        talk_->answer_call(std::move(id), std::move(content));
    else
        talk_->answer_call_later(std::move(id), std::move(content));
}

void voice_session::perform(voice_action::add_filler& a) {
    talk_->add_filler(std::move(a.text));
}

// --- replies

const std::string& voice_session::traceparent_of(const voice_turn& turn) const noexcept {
    const auto& own = turn.options.traceparent;
    return own.empty() ? caller_->traceparent : own;
}

generation_options voice_session::options_of(const voice_turn& turn) const {
    auto options = thinking_.turn_off_unless_set(turn.options);
    options.traceparent = traceparent_of(turn);
    options.priority = (permit_holder_ ? *permit_holder_ : caller_->who).priority();
    return options;
}

/// Starts the trace of a reply that begins now, and returns the reply's options.
generation_options voice_session::traced_options(const voice_turn& turn) {
    auto options = options_of(turn);
    trace_.begin(turn, options);
    return options;
}

void voice_session::begin_reply(std::uint64_t number, reply r) {
    reply_ = std::move(r);
    number_ = number;
    began_ = detail::now();
    model_.load.on_turn_started(id_, began_);
    prompts_.begin_reply(number);
}

void voice_session::perform(const voice_action::generate& a) {
    auto options = traced_options(*a.turn);
    thinking_.remember_options(options);
    begin_reply(a.turn->number, talk_->generate(std::move(options)));
}

// Uses a separate conversation, whose only message is the prompt.
void voice_session::perform(const voice_action::generate_raw& a) {
    auto options = gateway_.options.service.conversation;
    options.messages = {};
    options.raw = true;
    raw_talk_ = model_.bots.create(std::move(options));
    raw_talk_->append({.role = "user", .content = a.turn->prompt});
    begin_reply(a.turn->number, raw_talk_->generate(traced_options(*a.turn)));
}

void voice_session::perform(const voice_action::resume& a) {
    trace_.begin_resumed(*a.turn);
    begin_reply(a.turn->number, talk_->resume(a.speaking));
}

void voice_session::perform(const voice_action::say_text& a) {
    begin_reply(a.turn->number, talk_->say_text(a.turn->text, traced_options(*a.turn)));
}

void voice_session::perform(const voice_action::say_aside& a) {
    begin_reply(a.turn->number, talk_->say_aside(a.turn->text, traced_options(*a.turn)));
}

// Ignores the error code: if the reply failed, its end reports the error.
void voice_session::perform(const voice_action::await_calls& a) {
    auto handler = bind_to_session([number = a.number](voice_session& self, const error_code&,
                                                       const called_functions& called) {
        self.run_and_perform([&](time_point now) {
            if (number == self.number_) self.trace_.on_calls(now);
            self.turns_.on_calls(now, number, called);
        });
    });
    reply_->async_tool_calls(asio::bind_executor(gateway_.executor, std::move(handler)));
}

void voice_session::perform(const voice_action::next_chunk& a) {
    auto handler = bind_to_session(
        [number = a.number](voice_session& self, const error_code&, const std::optional<chunk>& c) {
            self.run_and_perform([&](time_point now) { self.on_next_chunk(now, number, c); });
        });
    reply_->async_next_chunk(asio::bind_executor(gateway_.executor, std::move(handler)));
}

void voice_session::on_next_chunk(time_point now, std::uint64_t number,
                                  const std::optional<chunk>& c) {
    if (number != number_) return;
    if (c) {
        trace_.on_chunk(now);
        gateway_.metrics.record_chunk(model_.name, *c);
        model_.load.on_chunk_received(id_, c->tokens, now);
        refresh_speech_load(gateway_, model_);
        return turns_.on_chunk(now, number, *c);
    }
    model_.load.on_turn_ended(id_, reply_->result().usage.wasted, now);
    record_reply_end(now, reply_->result());
    trace_.end(now, caller_->request_id, model_.name, reply_->result());
    turns_.on_reply_ended(now, number, reply_->result());
}

// A session that was moved here has no reply, and perhaps no conversation, until its next turn. The
// turn machine allows for this, but without these checks, a mistake there would crash the process
// and end all its calls.
void voice_session::perform(const voice_action::continue_after& a) {
    for (std::size_t i = 0; i < a.chunks; ++i) model_.load.on_chunk_spoken(id_, detail::now());
    if (reply_) reply_->continue_after(a.id);
}

void voice_session::perform(const voice_action::speaks_until& a) {
    if (reply_) reply_->speaks_until(a.id, a.rest);
}

void voice_session::perform(const voice_action::heard& a) {
    if (!talk_) return;
    if (a.share)
        talk_->heard_share(a.id, *a.share);
    else
        talk_->heard(a.id, static_cast<std::size_t>(a.chars));
}

void voice_session::perform(const voice_action::interrupt& a) {
    trace_.on_interrupt(detail::now());
    if (a.is_outside_history && reply_)
        reply_->interrupt();
    else if (!a.is_outside_history && talk_)
        talk_->interrupt();
}

}  // namespace tandem::gateway
