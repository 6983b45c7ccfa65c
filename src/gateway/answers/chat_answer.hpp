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

// Responses of /v1/chat/completions and /v1/completions, in OpenAI's format. Objects are
// independent of each other and not thread-safe. Throws only std::bad_alloc. Text is converted to
// valid UTF-8.
namespace tandem::gateway {

enum class answer_kind {
    chat,        ///< chat.completion
    completion,  ///< text_completion, without reasoning and tool calls
};

/// The fields that all parts of a response share.
struct answer_head {
    answer_kind kind = answer_kind::chat;
    /// "chatcmpl-…" or "cmpl-…"; see make_random_id().
    std::string id{};
    /// Unix time in seconds.
    std::int64_t created = 0;
    std::string model{};
};

struct answer_usage {
    int prompt_tokens = 0;
    int completion_tokens = 0;
    /// Cached part of prompt_tokens.
    int cached_tokens = 0;
};

/// Usage of a reply. The prompt is counted once, even if the reply took several requests.
answer_usage to_answer_usage(const token_usage& usage) noexcept;

/// Serializes an answer as server-sent events. Each call appends the bytes to send to `out`; calls
/// that are invalid in the current state append nothing. The role is sent once, with the first
/// delta. Each tool call is one event with the next index. The finish reason has its own event,
/// followed by the usage, if requested, and [DONE].
class answer_stream {
 public:
    explicit answer_stream(const answer_head& head, bool include_usage = false);

    /// Text of the answer. Empty text creates no event.
    void text(std::string_view text, std::string& out);
    /// Reasoning text (`reasoning_content`).
    void reasoning(std::string_view text, std::string& out);
    void call(const tool_call& call, std::string& out);

    /// Ends the stream. An interrupted or failed reply ends with an error, so that clients do not
    /// mistake it for a complete one.
    void end(finish_reason reason, const answer_usage& usage, std::string& out);
    /// Ends the stream with an error event, which OpenAI's clients raise as an exception, and
    /// without [DONE]. If nothing was sent yet, respond with the error's HTTP status instead.
    void fail(const api_error& error, std::string& out);

    /// An SSE comment, which keeps proxies and clients from closing an idle stream.
    void keep_alive(std::string& out) const;

    bool has_ended() const noexcept { return has_ended_; }

 private:
    void open_delta(std::string& out);
    void close_delta(std::string& out) const;
    void append_finish_event(std::string_view word, std::string& out) const;
    void append_usage_event(const answer_usage& usage, std::string& out) const;

    answer_kind kind_;
    bool include_usage_;
    /// The parts of an event before and after its choices.
    std::string head_;
    std::string tail_;
    bool has_role_ = false;
    bool has_ended_ = false;
    int calls_ = 0;
};

/// The complete result of a reply, independent of the client's request.
struct finished_answer {
    std::string text{};
    /// Reasoning text.
    std::string reasoning{};
    std::vector<tool_call> calls{};
    finish_reason reason = finish_reason::error;
    answer_usage usage{};
};

/// Whether the reply ended normally: by the model, by a stop word, or at its token limit.
bool is_complete(const finished_answer& answer) noexcept;
/// Memory that the answer occupies.
std::size_t estimate_bytes(const finished_answer& answer) noexcept;
/// The response body, or an error if the answer is incomplete.
std::variant<std::string, api_error> encode_complete_answer(const answer_head& head,
                                                            const finished_answer& answer);

}  // namespace tandem::gateway
