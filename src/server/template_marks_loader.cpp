#include "server/template_marks_loader.hpp"

namespace tandem::server {
namespace {

// Depending on its build, a server reports a template's own error as 400 or 500.
bool is_rejected(const error_code& ec) {
    return ec == errc::bad_request || ec == errc::server_error || ec == errc::not_supported;
}

/// Asks again after a 500, which may be a temporary fault of the server: if a template's marks
/// remained unknown, they would be spoken.
void render(server_calls& calls, const template_probe& probe,
            server_calls::handler<std::string> done) {
    const auto ask = [&calls, probe](server_calls::handler<std::string> on_prompt) {
        calls.apply_template(probe.messages, {.tools = probe.tools}, std::move(on_prompt));
    };
    ask([ask, done = std::move(done)](error_code ec, const diagnostics& diag, std::string prompt) {
        if (ec == errc::server_error) return ask(done);
        done(ec, diag, std::move(prompt));
    });
}

}  // namespace

bool template_marks_loader::wanted_marks::add_handler(handler done) {
    if (known) {
        const auto marks = *known;
        done({}, {}, marks);
        return false;
    }
    waiting.push_back(std::move(done));
    return waiting.size() == 1;
}

void template_marks_loader::wanted_marks::finish(error_code ec, const diagnostics& diag,
                                                 const template_marks& marks) {
    for (const auto& done : std::exchange(waiting, {})) done(ec, diag, marks);
}

void template_marks_loader::load(server_calls& calls, handler done) {
    if (!call_.add_handler(std::move(done))) return;
    prompts_.clear();
    probed_ = template_;
    render_next(calls);
}

void template_marks_loader::load_words(server_calls& calls, handler done) {
    if (!words_.add_handler(std::move(done))) return;
    render(calls, make_template_probes().back(),
           [this, probed = template_](error_code ec, const diagnostics& diag,
                                      const std::string& prompt) {
               const auto marks = find_word_marks(prompt, reasoning_, probed.end_token);
               const bool is_answer = !ec || is_rejected(ec);
               if (is_answer && probed == template_) words_.known = marks;
               words_.finish(is_answer ? error_code() : ec, diag, marks);
           });
}

void template_marks_loader::use_template(const server_props& props) {
    named_template wanted{props.model, props.chat_template, props.eos_token};
    if (wanted == template_) return;
    template_ = std::move(wanted);
    call_.known.reset();
    words_.known.reset();
}

void template_marks_loader::forget() noexcept {
    for (auto* const wanted : {&call_, &words_}) {
        wanted->known.reset();
        std::exchange(wanted->waiting, {}).clear();
    }
}

void template_marks_loader::render_next(server_calls& calls) {
    render(calls, make_template_probes().at(prompts_.size()),
           [this, &calls](error_code ec, const diagnostics& diag, std::string prompt) {
               on_rendered(calls, ec, diag, std::move(prompt));
           });
}

void template_marks_loader::on_rendered(server_calls& calls, error_code ec, const diagnostics& diag,
                                        std::string prompt) {
    if (ec && !is_rejected(ec)) return finish(ec, diag);
    prompts_.push_back(std::move(prompt));
    if (prompts_.size() < make_template_probes().size()) return render_next(calls);
    // If a server renders no message at all, its template is not the reason.
    if (prompts_.back().empty() && ec != errc::not_supported) return finish(ec, diag);
    auto marks = find_tool_call_mark({prompts_.at(0), prompts_.at(1), prompts_.at(2)}, reasoning_,
                                     probed_.end_token);
    if (marks.opening.empty() || probed_.end_token.empty()) return finish({}, {}, marks);
    find_end_token(calls, std::move(marks));
}

void template_marks_loader::find_end_token(server_calls& calls, template_marks marks) {
    calls.tokenize_prompt_rest(
        probed_.end_token, true,
        [this, marks = std::move(marks)](error_code ec, const diagnostics& diag,
                                         const std::vector<std::int32_t>& ids) mutable {
            if (ec && !is_rejected(ec)) return finish(ec, diag);
            if (ids.size() == 1) marks.end_token = ids.front();
            finish({}, {}, marks);
        });
}

void template_marks_loader::finish(error_code ec, const diagnostics& diag,
                                   const template_marks& marks) {
    if (!ec && probed_ == template_) call_.known = marks;
    call_.finish(ec, diag, marks);
}

}  // namespace tandem::server
