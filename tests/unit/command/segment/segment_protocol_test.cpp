#include "segment/segment_protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <random>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using tandem::command::replace_lone_surrogates;
using tandem::command::segment_protocol;
using testing::ElementsAre;
using testing::IsEmpty;

using texts = std::vector<std::string>;

json answered(segment_protocol& p, const std::string& line) {
    return json::parse(p.answer(line));
}
json answered(const std::string& line) {
    segment_protocol p({});
    return answered(p, line);
}
std::string error_of(const std::string& line) {
    const auto answer = answered(line);
    EXPECT_THAT(answer["chunks"], IsEmpty());
    return answer["error"];
}
std::string joined(const texts& parts) {
    std::string all;
    for (const auto& part : parts) all += part;
    return all;
}

TEST(segment_batch, reports_the_chunks_and_when_each_was_complete) {
    segment_protocol p({});
    EXPECT_EQ(p.answer(R"({"tokens": ["Hi", ".", " Come", " in"], "lang": "en"})"),
              "{\"chunks\":[\"Hi.\",\" Come in\"],\"at\":[3,5]}\n");
    EXPECT_EQ(p.bad_lines(), 0u);
}

TEST(segment_batch, starts_again_with_each_line) {
    segment_protocol p({});
    answered(p, R"({"tokens": ["He said (and"]})");
    EXPECT_THAT(answered(p, R"({"tokens": ["Hi. You. Ok."]})")["chunks"].get<texts>(),
                ElementsAre("Hi.", " You.", " Ok."));
}

TEST(segment_batch, leaves_a_text_that_comes_in_steps_alone) {
    segment_protocol p({});
    answered(p, R"({"token": "Hi"})");
    answered(p, R"({"tokens": ["Other."]})");
    EXPECT_THAT(answered(p, R"({"end": true})")["chunks"].get<texts>(), ElementsAre("Hi"));
}

TEST(segment_batch, takes_no_tokens_and_empty_ones) {
    EXPECT_THAT(answered(R"({"tokens": []})")["chunks"], IsEmpty());
    EXPECT_THAT(answered(R"({"tokens": ["", "a", ""]})")["chunks"].get<texts>(), ElementsAre("a"));
}

// "14." is part of a date in German, and the end of a sentence in English.
constexpr const char* german_date = R"("tokens": ["Am", " 14", ".", " Mai", " ging", " er", "."])";

TEST(segment_language, is_that_of_the_line) {
    segment_protocol english({.language = "en"});
    const auto line = std::string("{") + german_date + R"(, "lang": "de"})";
    EXPECT_THAT(answered(english, line)["chunks"], testing::SizeIs(1));
}

TEST(segment_language, is_the_default_if_the_line_has_none) {
    segment_protocol german({.language = "de"});
    segment_protocol english({.language = "en"});
    for (const auto* end : {"}", R"(, "lang": ""})"}) {
        const auto line = std::string("{") + german_date + end;
        EXPECT_THAT(answered(german, line)["chunks"], testing::SizeIs(1));
        EXPECT_THAT(answered(english, line)["chunks"], testing::SizeIs(2));
    }
}

TEST(segment_rule, is_the_one_that_was_chosen) {
    segment_protocol classic({.rule = tandem::boundary_rule::classic});
    EXPECT_THAT(answered(classic, R"({"tokens": ["Dr", ".", " No"]})")["chunks"].get<texts>(),
                ElementsAre("Dr.", " No"));
    EXPECT_THAT(answered(R"({"tokens": ["Dr", ".", " No"]})")["chunks"].get<texts>(),
                ElementsAre("Dr. No"));
}

TEST(segment_steps, want_no_answer_to_a_start) {
    segment_protocol p({});
    EXPECT_EQ(p.answer(R"({"start": true, "lang": "en"})"), "");
}

TEST(segment_steps, hand_out_what_is_complete_and_at_the_end_the_rest) {
    segment_protocol p({});
    p.answer(R"({"start": true})");
    EXPECT_EQ(p.answer(R"({"token": "Hi"})"), "{\"chunks\":[]}\n");
    EXPECT_EQ(p.answer(R"({"token": "!"})"), "{\"chunks\":[]}\n");
    EXPECT_EQ(p.answer(R"({"token": " You"})"), "{\"chunks\":[\"Hi!\"]}\n");
    EXPECT_EQ(p.answer(R"({"end": true})"), "{\"chunks\":[\" You\"]}\n");
}

TEST(segment_steps, begin_a_text_with_a_token_too) {
    segment_protocol p({});
    answered(p, R"({"token": "Hi"})");
    EXPECT_THAT(answered(p, R"({"end": true})")["chunks"].get<texts>(), ElementsAre("Hi"));
    EXPECT_THAT(answered(p, R"({"end": true})")["chunks"], IsEmpty());
}

TEST(segment_steps, forget_a_text_that_was_not_ended) {
    segment_protocol p({});
    answered(p, R"({"token": "Old"})");
    p.answer(R"({"start": true})");
    answered(p, R"({"token": "New"})");
    EXPECT_THAT(answered(p, R"({"end": true})")["chunks"].get<texts>(), ElementsAre("New"));
}

TEST(segment_steps, forget_the_language_with_the_text) {
    segment_protocol p({.language = "en"});
    p.answer(R"({"start": true, "lang": "de"})");
    p.answer(R"({"end": true})");
    for (const auto* token : {"Am", " 14", ".", " Mai"}) answered(p, json{{"token", token}}.dump());
    EXPECT_THAT(answered(p, R"({"end": true})")["chunks"].get<texts>(), ElementsAre(" Mai"));
}

TEST(segment_steps, continue_after_a_bad_line) {
    segment_protocol p({});
    answered(p, R"({"token": "Hi"})");
    answered(p, R"({"token": 5})");
    answered(p, R"({"token": " you"})");
    EXPECT_THAT(answered(p, R"({"end": true})")["chunks"].get<texts>(), ElementsAre("Hi you"));
    EXPECT_EQ(p.bad_lines(), 1u);
}

TEST(segment_strings, may_have_escapes_and_nul) {
    const auto chunks = answered(R"({"tokens": ["a\u0000b", "\t\"\\\/", "\u00e9\ud83d\ude00"]})");
    EXPECT_EQ(joined(chunks["chunks"].get<texts>()),
              std::string("a\0b", 3) + "\t\"\\/" + "\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(segment_strings, have_a_replacement_for_lone_surrogates) {
    const auto answer = answered(R"({"tokens": ["\ud83d", "\uDE00 x"]})");
    EXPECT_EQ(joined(answer["chunks"].get<texts>()), "\xEF\xBF\xBD\xEF\xBF\xBD x");
}

struct surrogates {
    const char* name;
    const char* given;
    const char* wanted;
};

class lone_surrogates : public testing::TestWithParam<surrogates> {};

TEST_P(lone_surrogates, are_replaced) {
    std::string line = GetParam().given;
    replace_lone_surrogates(line);
    EXPECT_EQ(line, GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(
    table, lone_surrogates,
    testing::Values(
        surrogates{"high", R"("\uD800")", R"("\uFFFD")"},
        surrogates{"low", R"("\udfff")", R"("\uFFFD")"},
        surrogates{"a_pair_stays", R"("\uD83D\uDE00")", R"("\uD83D\uDE00")"},
        surrogates{"high_before_a_pair", R"("\uD83D\uD83D\uDE00")", R"("\uFFFD\uD83D\uDE00")"},
        surrogates{"low_before_high", R"("\uDE00\uD83D")", R"("\uFFFD\uFFFD")"},
        surrogates{"an_escaped_backslash", R"("\\uD800")", R"("\\uD800")"},
        surrogates{"behind_an_escaped_backslash", R"("\\\uD800")", R"("\\\uFFFD")"},
        surrogates{"other_escapes_stay", R"("\u0000\n\uE000\"")", R"("\u0000\n\uE000\"")"},
        surrogates{"cut_short", R"("\uD8)", R"("\uD8)"},
        surrogates{"a_backslash_at_the_end", "\"\\", "\"\\"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(segment_errors, name_the_line_and_what_is_wrong) {
    segment_protocol p({});
    p.answer(R"({"start": true})");
    answered(p, R"({"token": "a"})");
    EXPECT_EQ(p.answer("Hello"),
              "{\"chunks\":[],\"error\":\"line 3: not valid JSON at byte 1\"}\n");
    EXPECT_EQ(p.refuse("over 9 bytes"), "{\"chunks\":[],\"error\":\"line 4: over 9 bytes\"}\n");
    EXPECT_EQ(p.bad_lines(), 2u);
}

struct bad_request_line {
    const char* name;
    const char* line;
    const char* error;
};

TEST(segment_lines, have_no_answer_if_they_are_empty) {
    segment_protocol protocol({});
    EXPECT_EQ(protocol.answer(""), "");
    EXPECT_EQ(protocol.answer(" \t\r"), "");
    EXPECT_EQ(protocol.bad_lines(), 0u);
    EXPECT_THAT(protocol.answer("x"), testing::HasSubstr("line 3: "));
}

class bad_lines : public testing::TestWithParam<bad_request_line> {};

TEST_P(bad_lines, get_one_answer) {
    EXPECT_EQ(error_of(GetParam().line), std::string("line 1: ") + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    table, bad_lines,
    testing::Values(
        bad_request_line{"cut", R"({"tokens": ["a")",
                         "the JSON object is incomplete at the end of the line"},
        bad_request_line{"no_object", "[]", "expected an object, not array"},
        bad_request_line{"no_known_field", R"({"text": "a"})",
                         "tokens, token, start or end is required"},
        bad_request_line{"two_kinds", R"({"token": "a", "end": true})",
                         "token and end are given; use only one of them"},
        bad_request_line{"tokens", R"({"tokens": "a"})", "tokens must be a list, not string"},
        bad_request_line{"a_token_of_many", R"({"tokens": ["a", 1]})",
                         "tokens[1] must be a string, not number"},
        bad_request_line{"a_token", R"({"token": null})", "token must be a string, not null"},
        bad_request_line{"start", R"({"start": false})", "start must be true"},
        bad_request_line{"end", R"({"end": 1})", "end must be true"},
        bad_request_line{"lang", R"({"start": true, "lang": 1})",
                         "lang must be a string, not number"},
        bad_request_line{"unknown_field", R"({"tokens": ["a"], "language": "de"})",
                         "unknown field \"language\"; known are tokens, token, start, end, lang"},
        bad_request_line{"number", R"({"token": 1e999})", "a number is too large"},
        bad_request_line{"bytes", "{\"token\": \"\xFF\"}", "invalid UTF-8 at byte 12"}),
    [](const auto& row) { return std::string(row.param.name); });

// Three ways to split text: into characters, into words with the space before them, and into short
// pieces.
texts characters(const std::string& text) {
    texts tokens;
    for (const char c : text) {
        if ((c & 0xC0) != 0x80) tokens.emplace_back();
        tokens.back() += c;
    }
    return tokens;
}
texts words(const std::string& text) {
    texts tokens;
    bool in_word = false;
    for (const auto& c : characters(text)) {
        const bool letter = c.size() > 1 || std::isalnum(static_cast<unsigned char>(c[0]));
        const bool goes_on = letter && (in_word || (!tokens.empty() && tokens.back() == " "));
        if (!goes_on) tokens.emplace_back();
        tokens.back() += c;
        in_word = letter;
    }
    return tokens;
}
texts pieces(const std::string& text) {
    texts tokens;
    std::mt19937 random(7);
    std::size_t left = 0;
    for (const auto& c : characters(text)) {
        if (left == 0) {
            left = 1 + random() % 6;
            tokens.emplace_back();
        }
        tokens.back() += c;
        --left;
    }
    return tokens;
}

using tokenizer = texts (*)(const std::string&);

class segment_tokens : public testing::TestWithParam<tokenizer> {
 protected:
    static constexpr const char* stories[] = {
        "Dr. No paid $3.50 at 5 p.m. on Monday. \"Really?\" she said. It's true!",
        "1. Open it.\n2. Close it.\n\nThat is all… or so.  Two spaces. \xF0\x9F\x98\x80 End",
        "\xE4\xBB\x8A\xE5\xA4\xA9\xE3\x80\x82\xE6\x98\x8E\xE5\xA4\xA9\xE3\x80\x82Ok. Caf\xC3\xA9.",
        " ", "No end"};
};

TEST_P(segment_tokens, give_the_same_sentences_in_a_line_and_step_by_step) {
    for (const std::string story : stories) {
        const auto tokens = GetParam()(story);
        const auto batch = answered(json{{"tokens", tokens}, {"lang", "en"}}.dump());
        segment_protocol p({});
        p.answer(R"({"start": true, "lang": "en"})");
        texts chunks;
        std::vector<std::size_t> at;
        const auto take = [&](const json& request, std::size_t read) {
            const auto answer = answered(p, request.dump());
            for (const auto& chunk : answer["chunks"]) {
                chunks.push_back(chunk);
                at.push_back(read);
            }
        };
        for (std::size_t i = 0; i < tokens.size(); ++i) take({{"token", tokens[i]}}, i + 1);
        take({{"end", true}}, tokens.size() + 1);
        EXPECT_EQ(batch["chunks"].get<texts>(), chunks) << story;
        EXPECT_EQ(batch["at"].get<std::vector<std::size_t>>(), at) << story;
    }
}

TEST_P(segment_tokens, keep_each_byte) {
    for (const std::string story : stories) {
        const auto answer = answered(json{{"tokens", GetParam()(story)}}.dump());
        EXPECT_EQ(joined(answer["chunks"].get<texts>()), story);
    }
}

TEST_P(segment_tokens, are_divided_alike_if_it_is_plain) {
    const auto tokens = GetParam()("Dr. No came. He sat down! Did he? Yes.");
    EXPECT_THAT(answered(json{{"tokens", tokens}}.dump())["chunks"].get<texts>(),
                ElementsAre("Dr. No came.", " He sat down!", " Did he?", " Yes."));
}

INSTANTIATE_TEST_SUITE_P(of, segment_tokens, testing::Values(words, pieces, characters),
                         [](const auto& row) {
                             return row.index == 0   ? "words"
                                    : row.index == 1 ? "pieces"
                                                     : "characters";
                         });

}  // namespace
