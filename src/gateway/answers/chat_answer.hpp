#pragma once

#include "gateway/json/api_error.hpp"

#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Answers to /v1/chat/completions and /v1/completions, in the form of OpenAI's API. Objects share
// nothing, and are not thread-safe. Throws std::bad_alloc only. Texts are made valid UTF-8.
namespace tandem::gateway {

enum class answer_kind {
    chat,        ///< chat.completion
    completion,  ///< text_completion, which has no reasoning and no calls
};

/// What all parts of one answer begin with.
struct answer_head {
    answer_kind kind = answer_kind::chat;
    /// "chatcmpl-…" or "cmpl-…"; see random_id().
    std::string id{};
    /// Unix time, in seconds.
    std::int64_t created = 0;
    std::string model{};
};

struct answer_usage {
    int prompt_tokens = 0;
    int completion_tokens = 0;
    /// Of the prompt's tokens; not more than these.
    int cached_tokens = 0;
};

/// Of a reply: the prompt counts once, however many requests it took.
answer_usage usage_of(const token_usage& usage) noexcept;

/// An answer as a stream of server-sent events. It receives what happened, and appends the bytes to
/// send to `out`; what does not fit appends nothing. So the role comes once, with the first delta;
/// each call is one event, and its index one more than the last one's; the finish reason comes
/// once, in an event of its own; then the usage, if it is wanted, and [DONE]; and nothing after it.
/// An event costs no more than the text's escaping and its copies.
class answer_stream {
 public:
    explicit answer_stream(const answer_head& head, bool include_usage = false);

    /// Text of the answer; empty text is no event.
    void text(std::string_view text, std::string& out);
    /// What the model wrote for itself (`reasoning_content`).
    void reasoning(std::string_view text, std::string& out);
    void call(const tool_call& call, std::string& out);

    /// The reply ended. One that was interrupted, or failed, is an error: a client must not take it
    /// for a whole one.
    void end(finish_reason reason, const answer_usage& usage, std::string& out);
    /// The last event is the error, as OpenAI's clients raise it, and no [DONE] follows. An answer
    /// of which nothing was sent yet should have the error's HTTP status instead.
    void fail(const api_error& error, std::string& out);

    /// A comment, which shows proxies and clients that the stream is alive.
    void keep_alive(std::string& out) const;

    bool has_ended() const noexcept { return has_ended_; }

 private:
    void open_delta(std::string& out);
    void close_delta(std::string& out) const;
    void finish_event(std::string_view word, std::string& out) const;
    void usage_event(const answer_usage& usage, std::string& out) const;

    answer_kind kind_;
    bool include_usage_;
    /// An event up to its choices; after them.
    std::string head_;
    std::string tail_;
    bool has_role_ = false;
    bool has_ended_ = false;
    int calls_ = 0;
};

/// All that a reply came to, independent of the client that asked.
struct finished_answer {
    std::string text{};
    /// What the model wrote for itself.
    std::string reasoning{};
    std::vector<tool_call> calls{};
    finish_reason reason = finish_reason::error;
    answer_usage usage{};
};

/// The model ended it, or its bound did.
bool is_whole(const finished_answer& answer) noexcept;
/// What it takes to keep it.
std::size_t bytes_of(const finished_answer& answer) noexcept;
/// The answer in one body; or an error if it is not whole.
std::variant<std::string, api_error> whole_body(const answer_head& head,
                                                const finished_answer& answer);

}  // namespace tandem::gateway
