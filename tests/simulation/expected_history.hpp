#pragma once

#include "base/time.hpp"

#include "tandem/chunk.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/result.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::test {

/// Computes the expected history by a simple rule: each turn is a prefix of the model's text,
/// described by the length of that prefix. The whole text is known, so this rule cannot double or
/// lose any part of the text.
class expected_history {
 public:
    explicit expected_history(conversation_options options) : options_(std::move(options)) {}

    void said(std::string text);
    /// A turn begins. `model_text` is the model's whole text for the turn.
    void prepare_turn(std::string_view model_text);
    void on_handed_over(const chunk& c);
    /// The reply ended after this number of bytes of the model's text had been generated.
    void on_reply_ended(time_point now, finish_reason why, std::size_t generated);
    void on_interrupted(time_point now);
    bool can_resume(time_point now) const;
    /// Returns the generated text that the listener did not hear. The turn continues with this
    /// text.
    std::string resume();
    /// Returns false if the chunk is no longer known.
    bool heard(time_point now, chunk_id id, std::size_t characters);
    void on_continued(time_point now, chunk_id id);
    /// The model's reply contains these calls.
    void record_calls(std::vector<tool_call> calls) { calls_ = std::move(calls); }
    /// Returns false if the turn has no call with this id, or if the call already has its final
    /// result.
    bool answer_call(const std::string& id, std::string content, bool is_final);
    /// Returns the user message that reports the final result of a call of an earlier turn; nullopt
    /// if there is no such call or it already has its final result.
    std::optional<std::string> take_late_result(const std::string& id, const std::string& content);
    /// Drops the oldest exchanges, but never the last one. Returns the number of dropped exchanges.
    std::size_t drop(std::size_t exchanges);

    std::string spoken() const { return text_.substr(0, handed_over_); }
    bool is_open() const noexcept { return state_ != state::none; }
    std::size_t exchanges() const noexcept { return exchanges_.size(); }
    std::vector<chat_message> transcript() const;
    std::size_t generated() const noexcept { return generated_; }
    std::size_t handed_over() const noexcept { return handed_over_; }
    std::size_t heard() const noexcept { return heard_; }

 private:
    enum class state { none, running, complete, interrupted, failed };
    struct span {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool ends_word = false;
    };

    void reach(std::size_t offset);
    void settle();
    void settle_if_over(time_point now);
    bool is_over(time_point now) const;
    std::size_t heard_end_offset() const;
    std::size_t end_of_kept() const;
    std::string kept() const;
    std::vector<chat_message> turn_messages() const;

    conversation_options options_;
    std::vector<std::vector<chat_message>> exchanges_;
    state state_ = state::none;
    time_point interrupted_at_{};
    std::string text_;
    std::size_t generated_ = 0;
    std::size_t handed_over_ = 0;
    std::size_t heard_ = 0;
    std::size_t spoken_ = 0;  // the end of the last fully heard chunk that ends a word
    std::map<chunk_id, span> chunks_;
    std::vector<tool_call> calls_;
    std::map<std::string, std::string> results_;     // by the ids of the calls
    std::map<std::string, std::string> late_calls_;  // names by ids
};

}  // namespace tandem::test
