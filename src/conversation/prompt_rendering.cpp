#include "conversation/prompt_rendering.hpp"

#include "base/failure.hpp"
#include "conversation/chatml.hpp"
#include "server/server_link.hpp"

#include <utility>

namespace tandem::detail {
namespace {

// The server's message explains what the template rejected.
failure template_failure(const error_code& ec, diagnostics diag) {
    if (ec != errc::bad_request && ec != errc::server_error) return {ec, std::move(diag)};
    diag.client_message =
        "the server's chat template rejects the conversation: " + diag.client_message;
    return {errc::tokenize_failed, std::move(diag)};
}

failure count_failure(const error_code& ec, diagnostics diag) {
    if (ec != errc::bad_request && ec != errc::server_error && ec != errc::not_supported)
        return {ec, std::move(diag)};
    diag.client_message = "the prompt's tokens could not be counted: " + diag.client_message;
    return {errc::tokenize_failed, std::move(diag)};
}

}  // namespace

void render_prompt(const std::shared_ptr<server_link>& link, std::vector<chat_message> messages,
                   const generation_options& o,
                   std::function<void(error_code, const diagnostics&, std::string)> done) {
    auto& calls = link->calls();
    wire::insert_turn_context(messages, o.context);
    const auto list = std::make_shared<const std::vector<chat_message>>(std::move(messages));
    calls.apply_template(*list, o,
                         [list, done = std::move(done), weak = std::weak_ptr(link)](
                             error_code ec, const diagnostics& diag, std::string prompt) {
                             if (!ec) return done({}, diag, std::move(prompt));
                             if (ec == errc::not_supported) {
                                 if (const auto c = weak.lock())
                                     c->log(log_level::debug,
                                            "the server has no /apply-template: using ChatML");
                                 return done({}, {}, conversations::render_chatml(*list));
                             }
                             const auto why = template_failure(ec, diag);
                             done(why.ec, why.diag, {});
                         });
}

void count_prompt_tokens(
    const std::shared_ptr<server_link>& link, prompt_with_ids prompt,
    std::function<void(error_code, const diagnostics&, prompt_with_ids)> done) {
    const auto tail = prompt.text.substr(prompt.bytes_with_ids);
    if (tail.empty() && prompt.bytes_with_ids > 0) return done({}, {}, std::move(prompt));
    const bool is_tail = prompt.bytes_with_ids > 0;
    auto completed = [prompt = std::move(prompt), done = std::move(done)](
                         error_code ec, const diagnostics& diag,
                         const std::vector<std::int32_t>& ids) mutable {
        const auto why = count_failure(ec, diag);
        if (ec) return done(why.ec, why.diag, {});
        prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
        prompt.bytes_with_ids = prompt.text.size();
        done({}, {}, std::move(prompt));
    };
    link->calls().tokenize_prompt_rest(tail, is_tail, std::move(completed));
}

std::size_t estimate_max_tokens(const prompt_with_ids& prompt) noexcept {
    return prompt.ids.size() + (prompt.text.size() - prompt.bytes_with_ids) + 1;
}

}  // namespace tandem::detail
