#include "answers/tokenizer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::mock {
namespace {

std::vector<std::string> pieces_of(const std::string& text) {
    std::vector<std::string> pieces;
    for (token_id id : tokenize(text, true)) pieces.push_back(get_token_bytes(id));
    return pieces;
}

TEST(tokenizer, splits_text_into_pieces) {
    const struct {
        std::string text;
        std::vector<std::string> pieces;
    } table[] = {
        {"", {}},
        {"Hello world", {"Hello", " world"}},
        {"Hello, world!", {"Hello", ",", " world", "!"}},
        {"extraordinary", {"extrao", "rdinar", "y"}},
        {"NASA", {"N", "A", "S", "A"}},
        {"camelCase", {"camel", "Case"}},
        {"at 12345", {"at", " 123", "45"}},
        {"He said \"Hi.\"", {"He", " said", " \"", "Hi", ".\""}},
        {"wait....", {"wait", "...", "."}},
        {"a  b", {"a", " ", " b"}},
        {"one\n\ntwo ", {"one", "\n", "\n", "two", " "}},
        {"é", {"\xC3", "\xA9"}},
        {"caf\xC3\xA9 au", {"caf", "\xC3", "\xA9", " au"}},
        {"<|im_start|>user", {"<|im_start|>", "user"}},
        {"a<|im_end|>\n", {"a", "<|im_end|>", "\n"}},
        {"<|no_such|>", {"<|", "no", "_", "such", "|>"}},
    };
    for (const auto& row : table) EXPECT_EQ(pieces_of(row.text), row.pieces) << row.text;
}

TEST(tokenizer, gives_back_every_text) {
    std::string all_bytes;
    for (int c = 0; c < 256; ++c) all_bytes += static_cast<char>(c);
    const std::string texts[] = {
        all_bytes, "I don't know; it's 3.5 km (about) -- or 4?", "日本語 and \xF0\x9F\x98\x80 too",
        "<|im_start|>user\nHi<|im_end|>\n<|endoftext|>", "zzzzzz ZZZZZZ Zzzzzz ~~~ 999"};
    for (const auto& text : texts) {
        EXPECT_EQ(detokenize_text(tokenize(text, true)), text);
        EXPECT_EQ(detokenize_text(tokenize(text, false)), text);
    }
}

TEST(tokenizer, tokenizes_what_was_generated_so_far_as_it_was_generated) {
    const std::string text =
        "Yes, of course!  I'd say \"about 12,500 metres\" \xE2\x80\x94 na\xC3\xAFvely. NASA's "
        "own.\n";
    const std::vector<token_id> all = tokenize(text, false);
    for (std::size_t n = 0; n <= all.size(); ++n) {
        const std::vector<token_id> so_far(all.begin(), all.begin() + static_cast<long>(n));
        EXPECT_EQ(tokenize(detokenize_text(so_far), false), so_far);
    }
}

TEST(tokenizer, keeps_names_of_special_tokens_as_text_on_demand) {
    const auto ids = tokenize("<|im_end|>", false);
    EXPECT_GT(ids.size(), 1u);
    for (token_id id : ids) EXPECT_FALSE(is_special(id));
}

TEST(tokenizer, knows_which_ids_are_tokens) {
    EXPECT_TRUE(is_token(0));
    EXPECT_TRUE(is_token(eos_token));
    EXPECT_TRUE(is_token(vocabulary_size() - 1));
    EXPECT_EQ(get_token_bytes(vocabulary_size() - 1), " Zzzzzz");
    EXPECT_FALSE(is_token(-1));
    EXPECT_FALSE(is_token(eos_token + 1));
    EXPECT_FALSE(is_token(vocabulary_size()));
}

TEST(tokenizer, leaves_out_bos_when_asked_what_a_prompt_says) {
    std::vector<token_id> tokens = tokenize("Hi<|endoftext|>", true);
    tokens.insert(tokens.begin(), bos_token);
    EXPECT_EQ(text_after_bos(tokens), "Hi<|endoftext|>");
    EXPECT_EQ(text_after_bos({bos_token}), "");
}

}  // namespace
}  // namespace tandem::mock
