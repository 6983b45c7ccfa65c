#pragma once

#include "gateway/answers/answer_writer.hpp"
#include "gateway/answers/finished_answer.hpp"
#include "gateway/json/api_error.hpp"

#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// Responses of /v1/chat/completions and /v1/completions, in OpenAI's format. Not thread-safe, but
// different threads may use different objects. Throws only std::bad_alloc. Text is converted to
// valid UTF-8.
namespace tandem::gateway {

enum class answer_kind {
    chat,        ///< chat.completion
    completion,  ///< text_completion, without reasoning or tool calls
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

/// Writes a response as events. The role is sent once, with the first delta. Tool calls are
/// numbered in order, and each takes one or more events. The finish reason has its own event,
/// followed by the usage, if requested, and [DONE]. No [DONE] follows an error event, which
/// OpenAI's clients turn into an exception.
class answer_stream final : public answer_writer {
 public:
    explicit answer_stream(const answer_head& head, bool include_usage = false);

    void write_text_piece(std::string_view text, std::string& out) override;
    /// Sends the text as `reasoning_content`.
    void write_reasoning_piece(std::string_view text, std::string& out) override;
    void write_call_piece(const tool_call& piece, std::string& out) override;
    void end_call(std::string& /*out*/) override { ++calls_; }
    void end(finish_reason reason, const answer_usage& usage, std::string& out) override;
    void end_with_error(const api_error& error, std::string& out) override;
    void write_keep_alive(std::string& out) const override;

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

/// The response body, or an error if the answer is incomplete.
std::variant<std::string, api_error> encode_complete_answer(const answer_head& head,
                                                            const finished_answer& answer);

}  // namespace tandem::gateway
