#pragma once

#include "answers/completion_request.hpp"
#include "answers/tokenizer.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::mock {

enum class stop_kind { none, eos, word, limit };

/// One sampled token.
struct sampled_token {
    token_id id = 0;
    bool has_event = true;  ///< false while a character is incomplete: no event is sent
    std::string content;    ///< text to send
};

/// Generates the tokens of one completion, and decides when and why it ends.
class generation {
 public:
    /// `text` is the model's output up to its end of turn.
    generation(const completion_request& request, const std::string& text);

    /// The next token. `room` is the number of tokens that still fit into the slot. Precondition:
    /// not finished().
    sampled_token generate_token(int room);

    bool finished() const { return finished_; }
    stop_kind stop() const { return stop_; }
    const std::string& stopping_word() const { return stopping_word_; }
    bool truncated() const { return truncated_; }
    bool has_new_line() const { return has_new_line_; }
    int predicted() const { return predicted_; }
    /// The whole text without a stop string, and its tokens; only for non-streamed responses.
    const std::string& text() const { return text_; }
    const std::vector<token_id>& tokens() const { return tokens_; }

 private:
    token_id sample();
    bool is_shown(token_id id) const;
    std::string take_sendable_text(token_id id);
    void check_limits(token_id id, int room);
    void end(stop_kind why);

    const bool keep_all_;
    const bool ignore_eos_;
    const int n_predict_;
    const std::vector<std::string> stops_;
    const std::vector<std::string> preserved_;
    const std::optional<token_id> forced_;
    std::vector<token_id> planned_;
    std::size_t next_ = 0;

    std::string unsent_;
    std::string text_;
    std::vector<token_id> tokens_;
    std::string stopping_word_;
    stop_kind stop_ = stop_kind::none;
    bool finished_ = false;
    bool truncated_ = false;
    bool has_new_line_ = false;
    int predicted_ = 0;
};

}  // namespace tandem::mock
