#include "chat/chat.hpp"

#include "chat/chat_text.hpp"
#include "config/config_defaults.hpp"
#include "os/input_file.hpp"
#include "recording/tool_list.hpp"
#include "slots/server_build_faults.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/bind_executor.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace tandem::command {
namespace {

std::string mute_text(const speaker_options& o, const std::string& why) {
    const auto& program = o.synthesizer.front();
    if (o.voice_flag.empty()) return fmt::format("{} cannot speak: {}", program, why);
    return fmt::format("{}: {} cannot speak: {}; \"{} --voices\" lists what it has", o.voice_flag,
                       program, why, program);
}

}  // namespace

chat::chat(boost::asio::io_context& ioc, service_config settings, instruments i, chat_rules rules,
           speaker_options sound, chat_view& view, line_source& lines)
    : ioc_(ioc),
      settings_(std::move(settings)),
      instruments_(std::move(i)),
      rules_(std::move(rules)),
      view_(view),
      begun_(std::chrono::steady_clock::now()),
      speaker_(ioc.get_executor(), std::move(sound), begun_,
               [this](std::string_view text) { view_.show_error(text); }),
      servers_(ioc.get_executor(), settings_, instruments_),
      typed_(ioc.get_executor()),
      line_arrived_(ioc),
      lines_(lines) {
    lines_.on_line([this](line_read_result l) { on_line_read(std::move(l)); });
    if (rules_.eager) lines_.on_change([this](const std::string& l) { on_line_changed(l); });
}

void chat::start(std::function<void()> on_done) {
    start_coroutine(ioc_.get_executor(), run(), std::move(on_done));
}

void chat::stop() {
    stopping_ = true;
    interrupt(std::chrono::steady_clock::now());
    speaker_.stop();
    line_arrived_.cancel();
    typed_.stop();
    if (!talk_) servers_.close();
}

void chat::fail(const std::string& text) {
    failed_ = true;
    view_.show_error(text);
}

void chat::report_usage_error(const std::string& text) {
    misused_ = true;
    fail(text);
}

auto chat::run() -> awaitable<void> {
    bool ready = co_await find_servers();
    note_reuse_guard();
    if (ready) ready = co_await test_synthesizer_and_player();
    if (ready) ready = begin_conversation();
    servers_.close();
    if (!ready) co_return;
    if (!rules_.begins()) {
        misused_ = true;
        co_return;
    }
    co_await hold_conversation();
    if (!rules_.save.empty()) co_await save();
    if (const auto why = speaker_.wav_failure(); !why.empty()) fail(why);
    typed_.stop();
    talk_.reset();
    service_.reset();
}

auto chat::find_servers() -> awaitable<bool> {
    co_await servers_.fetch_props(rules_.wait);
    if (stopping_) co_return false;
    for (const auto& e : servers_.faults()) view_.on_server_failed(e);
    failed_ = servers_.count_answering() == 0;
    settings_.servers = servers_.usable_server_urls();
    co_return !failed_;
}

// The library logs the same warning, but its log is off by default.
void chat::note_reuse_guard() {
    if (detail::configured_reuse_guard(settings_.client)) return;
    for (const auto& s : servers_.all())
        if (s.answers && !slots::is_safe_for_instant_reuse(s.props.build_info))
            view_.show_note(
                fmt::format("{}: build {} is not known to be sound, so chunks may wait up to {} "
                            "for a slot; use --reuse-guard 0 to avoid the wait",
                            s.url, s.props.build_info,
                            to_string(slots::choose_reuse_guard(s.props.build_info))));
}

auto chat::test_synthesizer_and_player() -> awaitable<bool> {
    if (const auto why = speaker_.wav_failure(); !why.empty()) report_usage_error("--wav " + why);
    if (!failed_) {
        const auto why = co_await speaker_.test_synthesizer();
        if (!why.empty()) report_usage_error(mute_text(speaker_.options(), why));
    }
    if (stopping_ || failed_) co_return false;
    co_return co_await test_player();
}

auto chat::test_player() -> awaitable<bool> {
    if (const auto& none = speaker_.options().no_player_message; !none.empty()) {
        speaker_.on_missing_player(
            [this] { view_.show_note(speaker_.options().no_player_message); });
        co_return true;
    }
    const auto why = co_await speaker_.test_player();
    if (stopping_) co_return false;
    if (why.empty()) co_return true;
    const auto words =
        fmt::format("\"{}\" cannot play sounds: {}", command_name(speaker_.options().player), why);
    if (speaker_.options().needs_player) {
        report_usage_error(words);
        co_return false;
    }
    speaker_.on_missing_player(
        [this, words] { view_.show_note(words + "; their time passes in silence"); });
    co_return true;
}

bool chat::begin_conversation() {
    service_.emplace(ioc_.get_executor(), settings_, instruments_);
    if (rules_.saved.empty()) {
        talk_.emplace(service_->create());
        return true;
    }
    error_code ec;
    diagnostics diag;
    talk_ = service_->load(rules_.saved, ec, diag);
    if (!talk_)
        report_usage_error(fmt::format("--load {}: cannot use the saved conversation: {}",
                                       input_name(rules_.load), error_text(ec, diag)));
    return talk_.has_value();
}

auto chat::hold_conversation() -> awaitable<void> {
    while (!stopping_) {
        const auto said = co_await next_line();
        if (!said || stopping_) co_return;
        if (text::is_all_white_space(said->text)) continue;
        view_.on_line_accepted(said->text);
        co_await take_turn(*said);
        where_ = {where_.turn + 1, 0};
    }
}

// --- lines

auto chat::next_line() -> awaitable<std::optional<line_read_result>> {
    if (!line_ && !input_ended_) {
        // The server evaluates the start of the prompt while the user types.
        if (rules_.barge_in) talk_->warm(settings_.client.generation);
        view_.on_listening();
    }
    while (!line_ && !input_ended_ && !stopping_) {
        request_line();
        line_arrived_.expires_at(boost::asio::steady_timer::time_point::max());
        co_await wait_for_timer(line_arrived_);  // on_line_read() cancels the timer
    }
    if (!line_) view_.on_input_ended();
    auto said = std::exchange(line_, std::nullopt);
    // Without barge-in, a line typed during the previous reply counts as spoken now, so that its
    // latency does not include the rest of that reply.
    if (said && !rules_.barge_in) said->at = std::chrono::steady_clock::now();
    if (rules_.barge_in) request_line();
    co_return said;
}

void chat::request_line() {
    if (asked_for_line_ || input_ended_ || line_) return;
    asked_for_line_ = true;
    lines_.request_line();
}

void chat::on_line_read(line_read_result l) {
    asked_for_line_ = false;
    typed_.stop();
    if (!l.fault.empty()) report_usage_error("stdin: " + l.fault);
    if (l.what == line_read_result::kind::too_long) {
        fail(fmt::format("a line is longer than {} bytes and was skipped", l.max_bytes));
        return request_line();
    }
    if (l.what == line_read_result::kind::end) {
        input_ended_ = true;
    } else {
        interrupt(l.at);
        line_ = std::move(l);
    }
    line_arrived_.cancel();
}

// A running reply needs no check here: hearing() and drafts have no effect during a reply.
void chat::on_line_changed(const std::string& line) {
    if (talk_ && !stopping_ && !input_ended_)
        typed_.on_line_changed(*talk_, line, settings_.client.generation);
}

// --- turns

auto chat::take_turn(const line_read_result& said) -> awaitable<void> {
    diagnostics diag;
    if (const auto bad = text::find_invalid_utf8(said.text); bad != said.text.npos) {
        diag.client_message =
            fmt::format("stdin:{}: invalid UTF-8 at byte {}", said.number, bad + 1);
        report_refused_turn(errc::invalid_prompt, std::move(diag));
        co_return;
    }
    if (const auto ec = talk_->append({.role = "user", .content = said.text}, diag)) {
        report_refused_turn(ec, std::move(diag));
        co_return;
    }
    co_await reply_to(said);
}

// A reply that calls functions is followed by a reply to their results.
auto chat::reply_to(const line_read_result& said) -> awaitable<void> {
    silence_start since{said.at, rules_.vad_stop};
    for (int round = 1; co_await speak_reply(since); ++round) {
        where_.reply = round;
        if (round == max_calling_replies) {
            fail(
                fmt::format("{} replies in a row called functions, so the model must wait for "
                            "your next line",
                            round));
            co_return;
        }
    }
}

auto chat::speak_reply(silence_start& since) -> awaitable<bool> {
    const spoken_reply::spoken_reply_context here{.talk = *talk_,
                                                  .speaker = speaker_,
                                                  .view = view_,
                                                  .where = where_,
                                                  .begun = begun_,
                                                  .said_at = since.at,
                                                  .vad_stop = since.vad_stop,
                                                  .previous_end = since.sound_end,
                                                  .interrupt_after = rules_.barge_in_after};
    auto reply = talk_->generate(settings_.client.generation);
    const auto functions = functions_ = run_functions_of(reply);
    const auto running =
        std::make_shared<spoken_reply>(ioc_.get_executor(), std::move(reply), here);
    speaking_ = running;
    co_await running->run();
    // The listener has heard the reply, so from here on an interrupt stops only the functions.
    speaking_.reset();
    if (running->result().finish_reason != finish_reason::tool_calls) functions->stop();
    if (const auto end = running->sound_end()) since = {*end, {}, end};
    co_await report_end(*running, here.where);
    const bool has_results = co_await finish_functions(*functions, here.where);
    functions_.reset();
    co_return has_results;
}

std::shared_ptr<function_runner> chat::run_functions_of(tandem::reply& reply) {
    auto functions = std::make_shared<function_runner>(
        ioc_.get_executor(), rules_.functions,
        [this](const function_result& r) { talk_->answer_call(r.call.id, r.content); });
    reply.async_tool_calls(boost::asio::bind_executor(
        ioc_.get_executor(), [functions](const error_code&, const called_functions& called) {
            functions->start(called.calls);
        }));
    return functions;
}

auto chat::finish_functions(function_runner& functions, spoken_reply_number where)
    -> awaitable<bool> {
    co_await functions.wait();
    for (const auto& r : functions.results()) view_.on_function_ended(where, r);
    co_return !functions.results().empty() && !functions.was_stopped();
}

void chat::interrupt(time_point at) {
    if (speaking_) speaking_->interrupt(at);
    if (functions_) functions_->stop();
}

void chat::report_refused_turn(error_code why, diagnostics diag) {
    reply_result refused;
    refused.finish_reason = finish_reason::error;
    refused.error = why;
    refused.diagnostics = std::move(diag);
    failed_ = true;
    view_.on_reply_ended({.where = where_, .result = refused});
}

auto chat::report_end(const spoken_reply& ended, spoken_reply_number where) -> awaitable<void> {
    const auto& result = ended.result();
    if (result.finish_reason == finish_reason::error) failed_ = true;
    const bool too_slow = result.error == errc::continue_timeout;
    auto kept = co_await history_text_of_turn();
    view_.on_reply_ended(
        {.where = where,
         .result = result,
         .interrupted = ended.was_interrupted(),
         .kept = std::move(kept),
         .timing = ended.timing(),
         .hint =
             too_slow ? "the sound of this chunk took longer; increase --continue-timeout" : ""});
}

auto chat::history_text_of_turn() -> awaitable<std::string> {
    error_code ec;  // ignored: an ended conversation has no state
    const auto state = co_await talk_->async_state(redirect_error(use_awaitable, ec));
    // Skips the results of function calls, which follow the reply that made the calls.
    auto message = state.history.rbegin();
    while (message != state.history.rend() && message->role == "tool") ++message;
    const bool has_answer = message != state.history.rend() && message->role == "assistant";
    co_return has_answer ? message->content : std::string();
}

auto chat::save() -> awaitable<void> {
    error_code ec;
    diagnostics diag;
    auto text = co_await talk_->async_save(diag, redirect_error(use_awaitable, ec));
    if (ec)
        fail("--save: cannot save the conversation: " + error_text(ec, diag));
    else
        saved_ = std::move(text);
}

}  // namespace tandem::command
