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
#include <vector>

namespace tandem::test {

/// What history must be by the plain rule: each turn is a start of what its model says, and where
/// that ends is a number. It knows the whole text, so nothing can be doubled or lost in it.
class expected_history {
 public:
    explicit expected_history(conversation_options options) : options_(std::move(options)) {}

    void said(std::string text);
    /// A turn begins; its model would say all of this.
    void prepare_turn(std::string_view model_text);
    void handed_over(const chunk& c);
    /// So much of the model's text was generated when the reply ended.
    void reply_ended(time_point now, finish_reason why, std::size_t generated);
    void interrupted(time_point now);
    bool can_resume(time_point now) const;
    /// Returns what the listener did not hear, from which the turn continues.
    std::string resume();
    /// False if the chunk is not known any more.
    bool heard(time_point now, chunk_id id, std::size_t characters);
    void continued(time_point now, chunk_id id);
    /// Of the oldest exchanges, but never the last.
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

    conversation_options options_;
    std::vector<std::vector<chat_message>> exchanges_;
    state state_ = state::none;
    time_point interrupted_at_{};
    std::string text_;
    std::size_t generated_ = 0;
    std::size_t handed_over_ = 0;
    std::size_t heard_ = 0;
    std::size_t spoken_ = 0;  // the end of the last chunk that was heard whole
    std::map<chunk_id, span> chunks_;
};

}  // namespace tandem::test
