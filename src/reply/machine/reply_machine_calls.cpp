#include "reply/machine/reply_machine.hpp"

#include <fmt/format.h>

#include <utility>

// The tool calls at the end of a reply. They are generated like text, in the same requests, and are
// never spoken. When generation has ended, the server parses them, on a slot as for any request.
namespace tandem::detail {
namespace {

using phase = reply_phase;

failure make_too_long_failure() {
    return {errc::invalid_tool_call,
            {.client_message = fmt::format("the model's tool call exceeds {} bytes; set max_tokens",
                                           text::max_call_bytes)}};
}

}  // namespace

/// The text before the call is complete. The request is not cut any more: nothing is spoken until
/// the call has its result.
void reply_machine::call_read(time_point now) {
    if (calls_.is_too_long()) {
        end_request(now, true);
        return fail_call(now, make_too_long_failure());
    }
    if (phase_ != phase::streaming) enter_phase(phase::streaming, now);
    if (chunker_.unread().empty()) return;
    chunker_.finish();
    collect_chunks(now);
    hand_over_due_chunks(now);
}

/// A call that a limit cut off is no call.
void reply_machine::parse_or_end(time_point now, finish_reason reason) {
    if (reason == finish_reason::length) return text_ended(now, reason);
    if (calls_.is_too_long()) return fail_call(now, make_too_long_failure());
    call_read(now);
    parses_as_ = reason;
    next_request(now);
}

void reply_machine::calls_parsed(time_point now, std::vector<tool_call> calls) {
    if (!has_running_request() || !is_parsing_calls()) return;
    retry_.begun();
    retry_.progressed();
    enter_phase(phase::streaming, now);
    end_request(now, false);
    if (calls.empty())
        return fail_call(now, {errc::invalid_tool_call,
                               {.client_message = "the server finds no tool call after the mark "
                                                  "with which one begins"}});
    for (std::size_t i = 0; i < calls.size(); ++i)
        if (calls[i].id.empty()) calls[i].id = fmt::format("call_{}_{}", id_, i);
    result_.calls = std::move(calls);
    actions_.push_back(action::report_calls{result_.calls});
    // A resumed reply speaks the rest of the text, and calls nothing again.
    calls_ = text::call_splitter();
    text_ended(now, finish_reason::tool_calls);
    rest_.generated = finish_reason::eos;
}

/// Whether the server answered, but does not parse the text. llama-server reports that as HTTP 500,
/// which it would repeat.
bool reply_machine::is_parse_error(const error_code& ec) noexcept {
    return ec == errc::server_error || ec == errc::invalid_tool_call ||
           classify_failure(ec, true) == failure_kind::final;
}

void reply_machine::fail_call(time_point now, failure why) {
    why.ec = errc::invalid_tool_call;
    generation_failed(now, std::move(why));
}

std::optional<called_functions> reply_machine::called() const {
    if (!ended() && !outcome_) return std::nullopt;
    called_functions known{.calls = result_.calls};
    const auto chunks =
        delivery_.handed_over() + static_cast<std::uint32_t>(delivery_.held().size());
    if (chunks > 0) known.after = chunk_id{id_, chunks - 1};
    return known;
}

}  // namespace tandem::detail
