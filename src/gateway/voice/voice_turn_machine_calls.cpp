// Functions that a reply calls, and their results.
#include "gateway/json/api_error.hpp"
#include "gateway/voice/voice_turn_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

constexpr auto comes_later = "The result comes later.";
constexpr auto too_slow = "No result: the function took too long.";

bool is_an_aside(const voice_turn& turn) noexcept {
    return turn.what == voice_turn::kind::aside;
}

}  // namespace

bool voice_turn_machine::has_turn_called() const noexcept {
    return calls_.has_reply_called() || (last_turn_ && last_turn_->has_called);
}

// The resumed reply has a timeline if its turn had one, too. If the reply called functions, the
// rest of its words is spoken first. Then, the model replies to what history keeps of the calls; if
// it had to call again, a function with a result would be called twice.
voice_turn voice_turn_machine::make_resume(bool timeline, std::string id) const {
    const bool has_called = has_turn_called(), has_rest = !has_called || has_cut_words_;
    voice_turn turn{.id = std::move(id),
                    .what = has_rest ? voice_turn::kind::resume : voice_turn::kind::reply,
                    .has_called = has_called && has_rest,
                    .options = last_turn_ ? last_turn_->options : setup_.generation,
                    .asked_options = last_turn_ ? last_turn_->asked_options : "",
                    .timeline = timeline || (last_turn_ && last_turn_->timeline)};
    if (has_called && must_call(turn.options)) turn.options.tool_choice.clear();
    return turn;
}

/// Whether the reply was the rest of the words before calls, and the model must now reply to what
/// history keeps of the calls.
bool voice_turn_machine::is_followed_by_reply(const reply_result& result) const {
    // If history has settled the calls, nothing is left to resume.
    const bool has_failed = result.error && result.error != errc::nothing_to_resume;
    return reply_->turn->has_called && !reply_->interrupted && !calls_.has_reply_called() &&
           !has_failed && result.finish_reason != finish_reason::interrupted && !is_closing();
}

// The reply to results may already wait, or the one after a rest whose last words were cut.
void voice_turn_machine::queue_reply_after_rest(time_point now) {
    if (is_reply_to_calls_waiting()) return;
    const auto place =
        std::ranges::find_if(waiting_, [](const auto& w) { return w.turn->results.empty(); });
    queue_turn(now, make_resume(last_turn_->timeline, last_turn_->id), place);
}

bool voice_turn_machine::is_reply_to_calls_waiting() const {
    return std::ranges::any_of(
        waiting_, [](const waiting_turn& w) { return w.turn->follows_calls() && !w.is_cancelled; });
}

void voice_turn_machine::on_calls(time_point now, std::uint64_t number,
                                  const called_functions& called) {
    if (is_over() || !is_running() || reply_->turn->number != number) return;
    send_calls(now, called);
}

// After an interrupt, or while the session ends, no result would be used, so no function is called.
void voice_turn_machine::send_calls(time_point now, const called_functions& called) {
    if (called.calls.empty() || calls_.has_reply_called()) return;
    if (reply_->interrupted || is_closing()) return calls_.add_sent_calls({}, now);
    calls_.add_sent_calls(called.calls, now + setup_.limits.call_timeout);
    const auto& turn = *reply_->turn;
    std::optional<std::uint32_t> after;
    if (called.after) after = called.after->seq + reply_->count_fillers();
    for (std::size_t i = 0; i < std::min(called.calls.size(), max_sent_calls); ++i)
        send(encode_call(
            {.reply = turn.number, .turn = turn.id, .call = called.calls[i], .after = after}));
    // Lets the reply end while its last chunk is spoken.
    request_next_chunk();
}

// A reply may end before it reports its calls, and may fail after it has reported them.
void voice_turn_machine::end_calls(time_point now, const reply_result& result) {
    if (result.finish_reason != finish_reason::tool_calls) return drop_calls(now);
    called_functions called{.calls = result.calls};
    const auto chunks = reply_->chunks - reply_->count_fillers();
    if (chunks > 0) called.after = {reply_->id, chunks - 1};
    send_calls(now, called);
}

void voice_turn_machine::handle(time_point now, voice::result m) {
    auto content = std::move(m.content).value_or("");
    if (!m.later && calls_.accepts_late_result(m.call, m.keep))
        return keep_late_result(now, {std::move(m.call), std::move(content)});
    if (reject_too_large_results(content)) return;
    if (m.later ? calls_.set_interim_result(m.call, comes_later)
                : calls_.set_result(m.call, std::move(content), m.keep)) {
        last_before_results_ = last_number_;
        return;
    }
    auto e = make_error(404, "unknown_call",
                        fmt::format("there is no open call with the id \"{}\"", quote_text(m.call)),
                        "call");
    e.type = "invalid_request_error";
    send_error(std::move(e));
}

bool voice_turn_machine::reject_too_large_results(const std::string& content) {
    const auto bytes = calls_.result_bytes() + content.size();
    const auto most = setup_.limits.message_bytes;
    return reject_if(
        calls_.is_pending() && bytes > most, "content",
        fmt::format("and the other results of the reply have {} bytes; the maximum is {}", bytes,
                    most));
}

// The model reads the result in the next turn, after the call's provisional result, which may still
// be queued.
void voice_turn_machine::keep_late_result(time_point now, call_result result) {
    if (reject_turn_if_full()) return;
    calls_.forget_late(result.id);
    const auto place =
        std::ranges::find_if(waiting_, [](const auto& w) { return w.turn->results.empty(); });
    queue_turn(now, {.what = voice_turn::kind::messages, .results = {std::move(result)}}, place);
}

void voice_turn_machine::report_dropped(const std::vector<std::string>& calls,
                                        call_drop_reason why) {
    for (const auto& id : calls) deliver(encode_drop(id, why));
}

std::string voice_turn_machine::encode_drop(const std::string& call, call_drop_reason why) const {
    return encode_call_dropped({.reply = last_turn_->number,
                                .turn = last_turn_->id,
                                .call = call,
                                .why = why,
                                .timeout = setup_.limits.call_timeout});
}

/// Drops the calls without a result. History keeps the other results.
void voice_turn_machine::drop_calls(time_point now) {
    report_dropped(calls_.drop_open_calls(), call_drop_reason::interrupted);
    queue_results(now, voice_turn::kind::messages);
}

// A reply that called functions may have ended while its last chunk is spoken.
void voice_turn_machine::cut_calling_reply(time_point now) {
    if (has_turn_called()) interrupt_last_words();
    drop_calls(now);
}

void voice_turn_machine::drop_late_calls(time_point now) {
    const auto due = calls_.deadline();
    if (!due || *due > now) return;
    report_dropped(calls_.drop_all_with_result(too_slow), call_drop_reason::timeout);
    last_before_results_ = last_number_;
}

// Results precede messages that arrived while the functions ran.
void voice_turn_machine::queue_results(time_point now, voice_turn::kind what) {
    auto results = calls_.take_results();
    if (results.empty() || is_closing()) return;
    const auto& turn = *last_turn_;
    auto options = turn.options;
    // If this reply had to call a function, too, the bot would never speak.
    if (must_call(options)) options.tool_choice.clear();
    queue_turn(now,
               {.id = turn.id,
                .what = what,
                .results = std::move(results),
                .options = std::move(options),
                .asked_options = turn.asked_options,
                .filler = turn.filler,
                .timeline = turn.timeline},
               waiting_.begin());
}

// The reply to the results begins after the end of the reply that called, and after the asides that
// arrived before the last result.
void voice_turn_machine::queue_reply_to_results(time_point now) {
    if (!calls_.is_complete()) return;
    const auto is_earlier_aside = [&](const waiting_turn& w) {
        return is_an_aside(*w.turn) && w.turn->number <= last_before_results_;
    };
    if (std::ranges::none_of(waiting_, is_earlier_aside))
        queue_results(now, voice_turn::kind::reply);
}

// Nothing may come between calls and their results in the history. An aside begins when the words
// before the calls were spoken.
auto voice_turn_machine::find_next_turn() -> queue::iterator {
    if (!calls_.is_pending()) return waiting_.begin();
    if (reply_->is_speaking && !is_aside()) return waiting_.end();
    return std::ranges::find_if(waiting_,
                                [](const waiting_turn& w) { return is_an_aside(*w.turn); });
}

bool voice_turn_machine::has_aside_after_speech() const {
    return calls_.is_pending() && !is_aside() &&
           std::ranges::any_of(waiting_,
                               [](const waiting_turn& w) { return is_an_aside(*w.turn); });
}

}  // namespace tandem::gateway
