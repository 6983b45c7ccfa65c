#include "line_input/typed_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::command {

void PrintTo(const typed_key& k, std::ostream* out) {
    *out << static_cast<int>(k.what) << ' ' << k.text << ' ' << k.missing;
}

namespace {

using key_kind = typed_key::kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct key_row {
    std::string bytes;
    std::vector<typed_key> keys;
};

std::vector<typed_key> joined(std::vector<typed_key> keys) {
    std::vector<typed_key> all;
    for (auto& k : keys) {
        if (k.what == key_kind::text && !all.empty() && all.back().what == key_kind::text)
            all.back().text += k.text;
        else
            all.push_back(std::move(k));
    }
    return all;
}

class typed_bytes : public ::testing::TestWithParam<key_row> {};

TEST_P(typed_bytes, are_keys) {
    EXPECT_EQ(joined(key_decoder(100).decode(GetParam().bytes)), GetParam().keys);
}

TEST_P(typed_bytes, are_the_same_keys_if_they_come_one_by_one) {
    key_decoder decoder(100);
    std::vector<typed_key> keys;
    for (const char c : GetParam().bytes)
        for (auto& k : decoder.decode({&c, 1})) keys.push_back(std::move(k));
    EXPECT_EQ(joined(keys), GetParam().keys);
}

typed_key text(const std::string& t) {
    return {.what = key_kind::text, .text = t};
}
typed_key pasted(const std::string& t) {
    return {.what = key_kind::pasted, .text = t};
}

INSTANTIATE_TEST_SUITE_P(
    rows, typed_bytes,
    ::testing::Values(
        key_row{"Hi\r", {text("Hi"), {key_kind::enter}}},  //
        key_row{"\n", {{key_kind::enter}}},
        key_row{"h\xC3\xA9\xF0\x9F\xA6\x8A\x7f",
                {text("h\xC3\xA9\xF0\x9F\xA6\x8A"), {key_kind::erase}}},
        key_row{"\x1b[A\x1bOB\x1b[C\x1bOD",
                {{key_kind::earlier}, {key_kind::later}, {key_kind::right}, {key_kind::left}}},
        key_row{"\x1b[1;5C\x1b[1;3D\x1b"
                "b",
                {{key_kind::word_right}, {key_kind::word_left}, {key_kind::word_left}}},
        key_row{"\x1b[H\x1b[4~\x1b[3~",
                {{key_kind::line_start}, {key_kind::line_end}, {key_kind::erase_next}}},
        key_row{"\x1b\x7f\x17", {{key_kind::erase_word}, {key_kind::erase_word}}},
        key_row{"\x04\x1a", {{key_kind::end_of_input}, {key_kind::suspend}}},
        key_row{"a\x1b[15~\x1b[<0;3;4M\x1bOPb", {text("ab")}}, key_row{"\x1bxyz", {text("xyz")}},
        key_row{"a\tb\x12\x16"
                "c",
                {text("abc")}},
        key_row{"\x1b[200~one\rtwo\r\nthree\n\x1b[201~\r",
                {pasted("one\ntwo\nthree"), {key_kind::enter}}},
        key_row{"\x1b[200~\x1b[31mred\x1b[0m\x04\x03\t!\x1b[201~", {pasted("red\t!")}},
        key_row{"\x1b[200~\xFF\x1b[201~", {pasted("\xEF\xBF\xBD")}},
        key_row{"\x1b[200~\x1b[201~", {pasted("")}}));

TEST(typed_bytes_alone, wait_for_the_rest_of_a_character) {
    key_decoder decoder(100);
    EXPECT_THAT(decoder.decode("\xF0\x9F"), IsEmpty());
    EXPECT_THAT(decoder.decode("\xA6\x8A"), ElementsAre(text("\xF0\x9F\xA6\x8A")));
}

TEST(typed_bytes_alone, report_how_much_of_a_long_paste_is_missing) {
    key_decoder decoder(4);
    EXPECT_THAT(decoder.decode("\x1b[200~abcdef\x1b[201~"),
                ElementsAre(typed_key{.what = key_kind::pasted, .text = "abcd", .missing = 2}));
    EXPECT_THAT(decoder.decode("\x1b[200~abcd\x1b[201~"), ElementsAre(pasted("abcd")));
}

}  // namespace
}  // namespace tandem::command
