#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// An invented byte-pair encoding without a table: ids are computed from their pieces and vice
// versa, so all servers agree. Pieces: up to six letters of a word (capital only first), up to
// three digits, up to three punctuation marks, each with a preceding space; every other byte is its
// own token.
namespace tandem::mock {

using token_id = std::int32_t;

// 257 is <|im_start|>.
inline constexpr token_id bos_token = 256;  // <|endoftext|>
inline constexpr token_id eos_token = 258;  // <|im_end|>

/// All ids are below this value.
token_id vocabulary_size();

bool is_token(std::int64_t id);
bool is_special(token_id id);

/// The bytes of a token; the name of a special token.
std::string get_token_bytes(token_id id);

std::string detokenize_text(const std::vector<token_id>& tokens);
/// Omits a leading BOS, so that a prompt has the same text whether it was sent as text or as ids.
std::string text_after_bos(const std::vector<token_id>& tokens);

/// With `parse_special`, names of special tokens are replaced by those tokens.
std::vector<token_id> tokenize(std::string_view text, bool parse_special);

}  // namespace tandem::mock
