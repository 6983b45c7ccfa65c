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

/// One token of a simulated model.
struct model_token {
    wire::token_id id = 0;
    std::string bytes;  // may be a part of a character
};

/// A place in a reply: after so many tokens, and bytes of the next one.
struct model_position {
    std::size_t tokens = 0;
    std::size_t bytes = 0;
};

/// What a model that always says the same text answers: the text in random tokens, some of which
/// hold a part of a character only.
class simulated_model {
 public:
    simulated_model(rng& random, std::string prompt);

    const std::string& prompt() const noexcept { return prompt_; }
    const std::string& text() const noexcept { return text_; }
    const std::vector<model_token>& tokens() const noexcept { return tokens_; }
    /// What ends the reply where it comes; empty = nothing.
    const std::string& stop_word() const noexcept { return stop_word_; }
    /// Tokens that a slot holds; a prompt with as many is too long.
    int context() const noexcept { return context_; }
    /// Token ids of the prompt; the reply's are 1000 and up, one for each token. In another
    /// vocabulary the same ids mean other words.
    std::vector<wire::token_id> prompt_ids(int vocabulary) const;
    /// What ids say there.
    std::string text_of(std::span<const wire::token_id> ids, int vocabulary) const;

    /// How much of the reply a prompt holds; nothing if it is not this model's prompt and the start
    /// of its reply. Text may end inside a token only where the stop word follows: of that the
    /// server sends nothing.
    std::optional<model_position> position_of(std::span<const wire::token_id> ids,
                                              int vocabulary) const;
    std::optional<model_position> position_of(std::string_view text) const;
    /// So many bytes of the reply are before the place.
    std::size_t bytes_before(model_position at) const;

    /// Ids of a piece of the reply that starts at some token; empty if there is no such piece.
    std::vector<wire::token_id> ids_of(std::string_view piece, int vocabulary) const;

 private:
    bool stop_word_follows(std::size_t at) const;

    std::string prompt_;
    std::string text_;
    std::string stop_word_;
    int context_;
    std::vector<model_token> tokens_;
};

/// The events that a server sends for tokens from `position` on; none if the prompt is too long.
/// A token that leaves half a character gives no event, and its id is lost; one after which the
/// stop word may come gives an event without its text. `n_predict` of -1 is no bound.
std::vector<wire::token_event> events_from(const simulated_model& model, model_position position,
                                           int n_predict, int vocabulary = 0);

}  // namespace tandem::test
