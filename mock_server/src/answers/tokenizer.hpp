#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A made-up byte-pair encoding without a table: an id is computed from its piece and back, so all
// servers agree. Pieces: up to six letters of a word (capital first), up to three digits, up to
// three punctuation marks, each with the space before it; every other byte is a token of its own.
namespace tandem::mock {

using token_id = std::int32_t;

inline constexpr token_id bos_token = 256;         // <|endoftext|>
inline constexpr token_id turn_start_token = 257;  // <|im_start|>
inline constexpr token_id eos_token = 258;         // <|im_end|>

/// Ids are below this.
token_id vocabulary_size();

bool is_token(std::int64_t id);
bool is_special(token_id id);

/// The bytes of a token; special tokens as their names.
std::string piece_of(token_id id);

std::string text_of(const std::vector<token_id>& tokens);
/// The same, without BOS at the start: what a prompt says, however it was sent.
std::string text_after_bos(const std::vector<token_id>& tokens);

/// With `parse_special`, the names of special tokens become those tokens.
std::vector<token_id> tokenize(std::string_view text, bool parse_special);

}  // namespace tandem::mock
