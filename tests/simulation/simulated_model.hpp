#pragma once

#include "simulation/simulated_world.hpp"
#include "wire/json/token_event.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::test {

/// The text with which a tool call begins.
inline constexpr std::string_view call_mark = "<call>";

/// One token of a simulated model.
struct model_token {
    wire::token_id id = 0;
    std::string bytes;  // may be part of a character
};

/// A position in a reply: a number of whole tokens, and a number of bytes of the next token.
struct model_position {
    std::size_t tokens = 0;
    std::size_t bytes = 0;
};

/// A model that always generates the same text, split into random tokens. Some tokens contain only
/// part of a character.
class simulated_model {
 public:
    simulated_model(rng& random, std::string prompt);

    const std::string& prompt() const noexcept { return prompt_; }
    const std::string& text() const noexcept { return text_; }
    /// The text before the tool call; the whole text if there is no call.
    std::string_view text_before_call() const noexcept {
        return std::string_view(text_).substr(0, text_.find(call_mark));
    }
    bool has_call() const noexcept { return text_before_call().size() < text_.size(); }
    const std::vector<model_token>& tokens() const noexcept { return tokens_; }
    /// The stop word that ends the reply; empty = none.
    const std::string& stop_word() const noexcept { return stop_word_; }
    /// The number of tokens that a slot can hold. A prompt of this length is too long.
    int context() const noexcept { return context_; }
    /// The token ids of the prompt. The ids of the reply start at 1000, one for each token. Another
    /// vocabulary gives the same ids another meaning.
    std::vector<wire::token_id> prompt_ids(int vocabulary) const;
    /// The text of the ids in this vocabulary.
    std::string text_of(std::span<const wire::token_id> ids, int vocabulary) const;

    /// The part of the reply that a prompt contains. Empty if the prompt is not this model's prompt
    /// followed by a prefix of the reply. Text may end inside a token only before the stop word,
    /// because the server does not send the stop word.
    std::optional<model_position> position_of(std::span<const wire::token_id> ids,
                                              int vocabulary) const;
    std::optional<model_position> position_of(std::string_view text) const;
    /// The number of bytes of the reply before this position.
    std::size_t bytes_before(model_position at) const;

    /// The ids of a piece of the reply. Empty if the piece does not consist of whole tokens.
    std::vector<wire::token_id> ids_of(std::string_view piece, int vocabulary) const;

 private:
    bool stop_word_follows(std::size_t at) const;

    std::string prompt_;
    std::string text_;
    std::string stop_word_;
    int context_;
    std::vector<model_token> tokens_;
};

/// The events that a server sends for the tokens from `position`; none if the prompt is too long. A
/// token that ends inside a character gives no event, so its id is lost. While the text may end in
/// the start of the stop word, an event has no text. `n_predict` of -1 means no limit.
std::vector<wire::token_event> events_from(const simulated_model& model, model_position position,
                                           int n_predict, int vocabulary = 0);

}  // namespace tandem::test
