#include "run/simulated_user.hpp"

#include <memory>

namespace tandem::command {
namespace {

void begin_draft(conversation& talk, const std::string& text, const generation_options& options) {
    // Ignores a failure of the draft, because the turn reports the error.
    const auto diag = std::make_shared<diagnostics>();
    talk.async_draft(text, options, *diag, [diag](const error_code&, int) {});
}

void report_step(conversation& talk, const user_speech_step& step,
                 const generation_options& options) {
    using kind = user_speech_step::kind;
    if (step.what == kind::partial) return talk.hearing(step.text);
    if (step.what == kind::early_end) return begin_draft(talk, step.text, options);
    talk.drop_draft();
}

}  // namespace

awaitable<bool> simulate_user_speech(conversation& talk, user_speech speech,
                                     generation_options options, wait_until_function wait) {
    const auto began = std::chrono::steady_clock::now();
    // Tools change the prompt, and hearing() takes them from warm().
    if (!options.tools.empty()) talk.warm(options);
    for (const auto& step : speech.steps) {
        const bool goes_on = co_await wait(began + step.at);
        if (!goes_on) co_return false;
        report_step(talk, step, options);
    }
    co_return co_await wait(began + speech.length);
}

}  // namespace tandem::command
