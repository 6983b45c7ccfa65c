// Functions that a reply calls, and their results.
#include "gateway/json/api_error.hpp"
#include "gateway/voice/voice_turn_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

constexpr auto too_slow = "No result: the function took too long.";

bool is_an_aside(const voice_turn& turn) noexcept {
    return turn.what == voice_turn::kind::aside;
}

}  // namespace

void voice_turn_machine::on_calls(time_point now, std::uint64_t number,
                                  const called_functions& called) {
    if (is_over_ || !is_running() || reply_->turn->number != number) return;
    send_calls(now, called);
}

// No result is used after an interrupt or while the gateway stops, so no function is called.
void voice_turn_machine::send_calls(time_point now, const called_functions& called) {
    if (called.calls.empty() || calls_.were_made()) return;
    if (reply_->is_interrupted || is_closing()) return calls_.open({}, now);
    calls_.open(called.calls, now + setup_.limits.call_timeout);
    const auto& turn = *reply_->turn;
    std::optional<std::uint32_t> after;
    if (called.after) after = called.after->seq;
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
    if (reply_->chunks > 0) called.after = {reply_->id, reply_->chunks - 1};
    send_calls(now, called);
}

void voice_turn_machine::handle(time_point, voice::result m) {
    if (calls_.answer(m.call, std::move(m.content))) {
        last_before_results_ = last_number_;
        return;
    }
    send_error(
        {.status = 404,
         .type = "invalid_request_error",
         .code = "unknown_call",
         .message = fmt::format("there is no open call with the id \"{}\"", quote_text(m.call)),
         .param = "call"});
}

void voice_turn_machine::report_dropped(const std::vector<std::string>& calls,
                                        call_drop_reason why) {
    for (const auto& id : calls) deliver(encode_call_dropped(id, why));
}

/// Drops the calls without a result. History keeps the other results.
void voice_turn_machine::drop_calls(time_point now) {
    report_dropped(calls_.drop(), call_drop_reason::interrupted);
    queue_results(now, voice_turn::kind::messages);
}

// A reply that called functions may have ended while its last chunk is spoken.
void voice_turn_machine::silence_caller(time_point now) {
    if (calls_.were_made()) interrupt_last_words();
    drop_calls(now);
}

void voice_turn_machine::drop_late_calls(time_point now) {
    const auto due = calls_.deadline();
    if (!due || *due > now) return;
    report_dropped(calls_.answer_all(too_slow), call_drop_reason::timeout);
    last_before_results_ = last_number_;
}

// Results precede messages that came while the functions ran.
void voice_turn_machine::queue_results(time_point now, voice_turn::kind what) {
    auto results = calls_.take_results();
    if (results.empty() || is_closing()) return;
    const auto& turn = *last_turn_;
    wait(now,
         {.id = turn.id,
          .what = what,
          .has_results = true,
          .messages = std::move(results),
          .options = turn.options,
          .timeline = turn.timeline},
         waiting_.begin());
}

// The reply to the results begins after the end of the reply that called, and after the asides that
// came before the last result.
void voice_turn_machine::queue_reply_to_results(time_point now) {
    if (!calls_.is_complete()) return;
    const auto is_earlier_aside = [&](const waiting_turn& w) {
        return is_an_aside(*w.turn) && w.turn->number <= last_before_results_;
    };
    if (std::ranges::none_of(waiting_, is_earlier_aside))
        queue_results(now, voice_turn::kind::reply);
}

// Nothing may stand between calls and their results in the history. An aside begins when the words
// before the calls were spoken.
auto voice_turn_machine::find_next_turn() -> queue::iterator {
    if (!calls_.is_pending()) return waiting_.begin();
    if (reply_->is_speaking && !is_aside()) return waiting_.end();
    return std::ranges::find_if(waiting_,
                                [](const waiting_turn& w) { return is_an_aside(*w.turn); });
}

bool voice_turn_machine::is_aside_delayed() const {
    return calls_.is_pending() && !is_aside() &&
           std::ranges::any_of(waiting_,
                               [](const waiting_turn& w) { return is_an_aside(*w.turn); });
}

}  // namespace tandem::gateway
