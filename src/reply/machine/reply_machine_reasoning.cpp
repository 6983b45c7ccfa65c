#include "reply/machine/reply_machine.hpp"
#include "server/template_thinking.hpp"
#include "wire/calls/tool_call_formats.hpp"

#include <algorithm>

// Ends reasoning that takes too long, or that the model does not close. The request is cut, the
// closing mark is added to the text, and the next request continues after it.
namespace tandem::detail {
namespace {

using phase = reply_phase;

// After this many closing marks, the reply ends: a model that resumes its reasoning after each mark
// would never speak.
constexpr int max_closed_reasonings = 4;
// A model may also end its text right after the mark. To prevent that, it must generate
// `forced_tokens` in a request that cannot end sooner, at most `max_forced_speeches` times.
constexpr int forced_tokens = 8;
constexpr int max_forced_speeches = 4;

}  // namespace

text::reasoning_meter reply_machine::make_meter(bool is_inside) const {
    auto limits = rules_.reasoning;
    const bool is_limited = limits.tokens > 0 || limits.time > duration{};
    if (is_limited && rules_.max_tokens > 0) {
        const int half = std::max(1, rules_.max_tokens / 2);
        limits.tokens = limits.tokens > 0 ? std::min(limits.tokens, half) : half;
    }
    return text::reasoning_meter(limits, is_inside);
}

/// Whether generation ended inside reasoning, so that the reply can still be made to speak.
bool reply_machine::ends_in_reasoning(finish_reason reason) const {
    return meter_.is_limited() && reasoning_.is_inside() && reason != finish_reason::length &&
           !has_call_to_parse(reason);
}

void reply_machine::end_reasoning(time_point now, bool cut) {
    const bool is_calling = calls_.mark() == wire::channel_call_mark &&
                            wire::find_gpt_oss_call(result_.reasoning) != std::string_view::npos;
    if (cut && is_calling) return meter_.lift_limit();
    end_request_and_continue(now, cut);
    if (meter_.cuts() == max_closed_reasonings) return end_generation(now, finish_reason::length);
    meter_.record_cut();
    continuation_.record_cut();
    const auto mark = server::find_closing_text(without_thinking_, reasoning_.closing_mark());
    continuation_.append_mark(mark);
    on_visible_read(now, reasoning_.feed(mark, 0));
    end_reading(now, true);
}

void reply_machine::end_request_and_continue(time_point now, bool cut) {
    if (phase_ == phase::first_token) enter_phase(phase::streaming, now);
    end_request(now, cut);
}

/// Whether generation ended after closed reasoning, but before any words; or whether it ended only
/// because the request that forces speech has a low token limit.
bool reply_machine::ends_without_speech(finish_reason reason) const {
    if (is_speech_forced_ && reason == finish_reason::length) return !is_token_budget_spent();
    return meter_.cuts() > 0 && !meter_.has_spoken() && !calls_.has_call() &&
           (!rules_.is_constrained || drops_grammar()) && reason != finish_reason::length &&
           forced_speeches_ < max_forced_speeches;
}

void reply_machine::force_speech(time_point now) {
    const bool was_forced = is_speech_forced_;
    end_request_and_continue(now, false);
    is_speech_forced_ = !was_forced;
    if (is_speech_forced_) ++forced_speeches_;
    end_reading(now, true);
}

action::send_request reply_machine::make_request(int slot) const {
    action::send_request r{.slot = slot, .n_predict = -1, .drops_grammar = drops_grammar()};
    if (rules_.max_tokens > 0) r.n_predict = rules_.max_tokens - continuation_.kept_tokens();
    if (!is_speech_forced_) return r;
    r.ignores_end = true;
    r.n_predict = r.n_predict < 0 ? forced_tokens : std::min(r.n_predict, forced_tokens);
    return r;
}

time_point reply_machine::reasoning_deadline() const {
    return phase_ == phase::streaming ? meter_.must_end_at().value_or(never) : never;
}

/// Each request starts the grammar again. This is right if the prompt opened the reasoning: the
/// grammar then describes only the text after it. Otherwise, the grammar also describes the
/// reasoning, and would make the model reason again.
bool reply_machine::drops_grammar() const noexcept {
    return rules_.is_constrained && meter_.cuts() > 0 && meter_.has_opened();
}

void reply_machine::fill_reasoning_figures(time_point now) {
    result_.usage.reasoning = meter_.tokens();
    result_.metrics.reasoning_ms = to_ms(meter_.time_spent(now));
    result_.metrics.reasoning_cut = meter_.cuts() > 0;
}

}  // namespace tandem::detail
