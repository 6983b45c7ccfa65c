#include "gateway/chat_answer.hpp"
#include "gateway/chat_request.hpp"
#include "gateway/completion_request.hpp"
#include "gateway/endpoints.hpp"
#include "gateway/ids.hpp"
#include "gateway/tool_call_reader.hpp"
#include "reply/clock.hpp"

#include "tandem/conversation.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Replies to clients that speak OpenAI's API: each request is a conversation of its own, whose
// history the client brings.
namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

// One reply on its way to a client.
class reply_answer {
 public:
    reply_answer(http_exchange& exchange, gateway_core& core, answer_kind kind,
                 const generation_request& request, call_rules calls)
        : exchange_(exchange),
          core_(core),
          head_{.kind = kind,
                .id = random_id(kind == answer_kind::chat ? "chatcmpl-" : "cmpl-", core.random),
                .created = std::time(nullptr),
                .model = core.options.model},
          is_stream_(request.stream),
          stream_(head_, request.include_usage),
          whole_(head_),
          has_calls_(!calls.functions.empty()),
          calls_(std::move(calls)) {}

    /// To its end, or until the client is gone.
    awaitable<void> run(reply r, const admitted& who) {
        exchange_.when_gone([&r] { r.interrupt(); });
        for (;;) {
            error_code ec;
            const auto piece = co_await r.async_next_chunk(
                boost::asio::redirect_error(boost::asio::use_awaitable, ec));
            if (!piece) break;
            r.continue_after(piece->id);
            take(read(piece->text));
            co_await send_what_is_there();
            // The model would go on behind the last call that is wanted.
            if (has_calls_ && calls_.is_full()) r.interrupt();
        }
        if (has_calls_) take(calls_.finish());
        note(r.result(), who);
        co_await end(r.result());
        exchange_.when_gone(nullptr);
    }

 private:
    text_and_calls read(const std::string& text) {
        return has_calls_ ? calls_.feed(text) : text_and_calls{.text = text};
    }
    void take(const text_and_calls& read) {
        if (is_stream_) {
            stream_.text(read.text, out_);
            for (const auto& call : read.calls) stream_.call(call, out_);
        } else {
            whole_.text(read.text);
            for (const auto& call : read.calls) whole_.call(call);
        }
    }
    // The status waits for the first text: what fails before it has a status of its own.
    awaitable<void> send_what_is_there() {
        if (out_.empty()) co_return;
        if (!std::exchange(has_begun_, true)) co_await exchange_.begin_stream();
        co_await exchange_.write(out_);
        out_.clear();
    }

    void note(const reply_result& result, const admitted& who) {
        const auto& u = result.usage;
        core_.gate.charge(who, detail::now(), u.prompt + u.generated);
        exchange_.record.model = head_.model;
        exchange_.record.tokens_in = u.prompt;
        exchange_.record.tokens_out = u.generated;
        exchange_.record.finish_reason = to_string(result.finish_reason);
    }

    awaitable<void> end(const reply_result& result) {
        const bool has_failed = result.finish_reason == finish_reason::error;
        if (has_failed) {
            const auto error = error_of(result.error, result.diagnostics);
            if (!is_stream_ || !has_begun_) co_return co_await exchange_.send(error);
            stream_.fail(error, out_);
            co_await send_what_is_there();
            co_return co_await exchange_.end_stream();
        }
        const bool is_full = has_calls_ && calls_.is_full();
        const auto reason = is_full ? finish_reason::eos : result.finish_reason;
        const auto usage = usage_of(result.usage);
        if (is_stream_) {
            stream_.end(reason, usage, out_);
            co_await send_what_is_there();
            co_return co_await exchange_.end_stream();
        }
        auto whole = whole_.end(reason, usage);
        if (const auto* error = std::get_if<api_error>(&whole)) {
            co_await exchange_.send(*error);
        } else {
            co_await exchange_.send(200, std::move(std::get<std::string>(whole)));
        }
    }

    http_exchange& exchange_;
    gateway_core& core_;
    answer_head head_;
    bool is_stream_;
    answer_stream stream_;
    whole_answer whole_;
    bool has_calls_;
    tool_call_reader calls_;
    std::string out_;
    bool has_begun_ = false;
};

std::optional<api_error> refusal(const gateway_core& core, const admitted& who,
                                 const std::vector<std::string_view>& texts) {
    if (core.is_stopping)
        return api_error{.status = 503,
                         .code = "stopping",
                         .message = "the gateway is being stopped; try again",
                         .retry_after = std::chrono::seconds(1)};
    if (auto error = may_use(who, core.options.model)) return error;
    return core.policy.verdict(texts);
}

// Only what a line of the audit can hold.
void note_prompt(http_exchange& exchange, const gateway_core& core,
                 const std::vector<std::string_view>& texts) {
    if (!core.options.audit || !core.options.audit_prompts) return;
    std::string prompt;
    for (const auto& text : texts) {
        if (prompt.size() > max_audit_prompt_bytes) break;
        if (!prompt.empty()) prompt += '\n';
        prompt += text.substr(0, max_audit_prompt_bytes + 1);
    }
    exchange.record.prompt = std::move(prompt);
}

// One request, whole or as a stream: a piece for each token only where somebody reads them.
reply start(conversation& talk, const generation_request& request) {
    return talk.stream(request.options,
                       request.stream ? request.stream_by : tandem::stream_by::chunk);
}

}  // namespace

awaitable<void> answer_chat(http_exchange& exchange, gateway_core& core, admitted who) {
    auto read = read_chat_request(exchange.body(), core.defaults());
    if (const auto* error = std::get_if<api_error>(&read)) co_return co_await exchange.send(*error);
    auto& request = std::get<chat_request>(read);
    std::vector<std::string_view> texts;
    for (const auto& m : request.messages) texts.push_back(m.content);
    note_prompt(exchange, core, texts);
    if (const auto error = refusal(core, who, texts)) co_return co_await exchange.send(*error);

    auto options = core.options.service.conversation;
    options.messages = std::move(request.messages);
    auto talk = core.bots.create(std::move(options));
    reply_answer answer(exchange, core, answer_kind::chat, request,
                        {.functions = std::move(request.functions),
                         .id_seed = core.random(),
                         .most_calls = request.parallel_tool_calls ? 128u : 1u});
    co_await answer.run(start(talk, request), who);
}

awaitable<void> answer_completion(http_exchange& exchange, gateway_core& core, admitted who) {
    auto read = read_completion_request(exchange.body(), core.defaults());
    if (const auto* error = std::get_if<api_error>(&read)) co_return co_await exchange.send(*error);
    auto& request = std::get<completion_request>(read);
    const std::vector<std::string_view> texts{request.prompt};
    note_prompt(exchange, core, texts);
    if (const auto error = refusal(core, who, texts)) co_return co_await exchange.send(*error);

    auto options = core.options.service.conversation;
    options.messages = {};
    options.raw = true;
    auto talk = core.bots.create(std::move(options));
    talk.append({.role = "user", .content = std::move(request.prompt)});
    reply_answer answer(exchange, core, answer_kind::completion, request, {});
    co_await answer.run(start(talk, request), who);
}

}  // namespace tandem::gateway
