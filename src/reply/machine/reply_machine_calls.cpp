#include "reply/machine/reply_machine.hpp"
#include "server/template_marks.hpp"
#include "wire/calls/tool_call_formats.hpp"

#include <fmt/format.h>

#include <utility>

// The tool calls at the end of a reply. They are generated like text, in the same requests, and are
// never spoken. When generation has ended, the server parses them on the same slot or, after a
// failure, on any slot that a request would get.
namespace tandem::detail {
namespace {

using phase = reply_phase;

}  // namespace

failure reply_machine::make_too_long_failure() {
    return {errc::invalid_tool_call,
            {.client_message = fmt::format("the model's tool call exceeds {} bytes; set max_tokens",
                                           text::max_call_bytes)}};
}

text::tool_call_splitter reply_machine::make_splitter(const reply_origin& from) const {
    return rules_.uses_call_schema ? text::tool_call_splitter::withholding_all()
                                   : text::tool_call_splitter(from.call_mark, from.word_marks);
}

/// A call has begun, so the text before it is complete, and is handed over. The request is no
/// longer cut for pacing: nothing is spoken until the call has its result.
void reply_machine::on_call_read(time_point now) {
    if (calls_.is_too_long()) {
        end_request(now, true);
        return fail_call(now, make_too_long_failure());
    }
    if (phase_ != phase::streaming) enter_phase(phase::streaming, now);
    // An empty piece shows a reader that a long call is being generated.
    if (rules_.hands_over_reasoning)
        delivery_.add_call_piece(now, rules_.must_call ? streamed_call_.read(calls_.call())
                                                       : wire::tool_call_reader::piece());
    hand_over_due_chunks(now);
    if (ended() || chunker_.untaken_text().empty()) return;
    chunker_.finish();
    collect_chunks(now);
    hand_over_due_chunks(now);
}

/// Whether generation ended with a complete call. A call that a limit cut off is not complete.
bool reply_machine::has_call_to_parse(finish_reason reason) const {
    if (reason == finish_reason::length) return false;
    if (calls_.has_call()) return !calls_.is_too_long();
    return calls_.mark() == wire::channel_call_mark &&
           wire::decode_gpt_oss_call(result_.reasoning).has_value();
}

/// Lets the server parse the text on the slot that holds it.
void reply_machine::parse_calls(time_point now, finish_reason reason) {
    parses_as_ = reason;
    on_call_read(now);
    if (rules_.is_draft && !ended()) finish(now, {finish_reason::interrupted});
    if (ended()) return;
    enter_phase(phase::first_token, now);
    request_calls(request_->slot);
}

void reply_machine::request_calls(int slot) {
    if (forces_calls_)
        actions_.push_back(action::force_calls{slot});
    else
        actions_.push_back(action::parse_calls{slot});
}

/// Calls are forced only once. Text that merely mentions the mark is not a call, and must not
/// become one.
bool reply_machine::can_force_calls() const {
    return !forces_calls_ && !rules_.uses_call_schema && calls_.has_call() &&
           server::resembles_tool_call({.opening = calls_.mark(), .lead = call_lead_},
                                       calls_.call());
}

/// Lets the server replace invalid calls of the model: the listener is waiting, and calls that
/// differ from the model's own are better than none.
void reply_machine::force_calls(time_point now) {
    forces_calls_ = true;
    request_->heard_at = phase_since_ = now;
    request_calls(request_->slot);
}

void reply_machine::on_calls_parsed(time_point now, std::vector<tool_call> calls) {
    if (!has_running_request() || !is_parsing_calls()) return;
    if (calls.empty() && can_force_calls()) return force_calls(now);
    retry_.on_started();
    retry_.on_progress();
    enter_phase(phase::streaming, now);
    end_request(now, false);
    if (calls.empty() && is_answer_in_json()) {
        show_text(calls_.show_all_as_text());
        return end_generation(now, *parses_as_);
    }
    if (calls.empty())
        return fail_call(
            now, {errc::invalid_tool_call,
                  {.client_message = rules_.must_call ? "the text is not a call of one of the tools"
                                                      : "no tool call follows its mark"}});
    if (!rules_.may_call_several) calls.resize(1);
    result_.calls = std::move(calls);
    if (!calls_.has_call()) result_.reasoning.resize(wire::find_gpt_oss_call(result_.reasoning));
    actions_.push_back(action::report_calls{result_.calls});
    // A resumed reply speaks the rest of the text, and repeats no call.
    calls_ = text::tool_call_splitter();
    end_text(now, finish_reason::tool_calls);
    rest_.generated = finish_reason::eos;
}

/// Whether the server answered that it cannot parse the text. llama-server reports that as HTTP
/// 500; another try would fail, too.
bool reply_machine::is_parse_error(const error_code& ec) noexcept {
    return ec == errc::server_error || ec == errc::invalid_tool_call || ec == errc::bad_request ||
           ec == errc::bad_response;
}

void reply_machine::fail_call(time_point now, failure why) {
    why.ec = errc::invalid_tool_call;
    fail_generation(now, std::move(why));
}

/// Whether a request for another chunk also continues the last one. It does without lookahead, and
/// after calls, because the next reply must soon process their results.
bool reply_machine::counts_request_as_continue() const noexcept {
    return rules_.lookahead == 0 || !result_.calls.empty();
}

std::optional<called_functions> reply_machine::get_called_functions() const {
    // A failed reply reports its error when it ends, so nothing is returned here.
    if (!ended() && (!outcome_ || outcome_->error.ec)) return std::nullopt;
    called_functions known{.calls = result_.calls};
    const auto chunks =
        delivery_.count_handed_over() + static_cast<std::uint32_t>(delivery_.held().size());
    if (chunks > 0) known.after = chunk_id{id_, chunks - 1};
    return known;
}

}  // namespace tandem::detail
