#include "gateway/policy/prompt_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::string_literals;
using tandem::gateway::api_error;
using tandem::gateway::check;
using tandem::gateway::prompt_filter;
using tandem::gateway::prompt_rules;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::optional<api_error> verdict(const prompt_filter& policy, std::vector<std::string_view> texts) {
    return policy.find_violation(texts);
}

bool is_denied(const prompt_rules& rules, std::string_view text) {
    return verdict(prompt_filter(rules), {text}).has_value();
}

struct match_case {
    const char* denied;
    std::string text;
    bool is_denied;
};

class denied : public ::testing::TestWithParam<match_case> {};

TEST_P(denied, is_found_as_a_word) {
    const auto& c = GetParam();
    EXPECT_EQ(is_denied({.denied = {c.denied}}, c.text), c.is_denied)
        << c.denied << " in " << c.text;
}

INSTANTIATE_TEST_SUITE_P(
    plain, denied,
    ::testing::Values(match_case{"bomb", "a bomb here", true}, match_case{"bomb", "bomb", true},
                      match_case{"bomb", "Bomb, BOMB!", true}, match_case{"BOMB", "(bomb)", true},
                      match_case{"bomb", "bombastic", false}, match_case{"bomb", "firebomb", false},
                      match_case{"bomb", "bomb2", false},
                      match_case{"bomb", "bombs and a bomb", true},
                      match_case{"bomb", "the_bomb_", true}, match_case{"bomb", "bo mb", false},
                      match_case{"bomb", "bom", false}, match_case{"bomb", "", false},
                      match_case{"bomb", "b", false}));

INSTANTIATE_TEST_SUITE_P(
    phrases_and_marks, denied,
    ::testing::Values(match_case{"kill all", "Kill  all", true},
                      match_case{"kill all", "kill\r\n\tall humans", true},
                      match_case{"kill  all",
                                 "kill\xC2\xA0"
                                 "all",
                                 true},
                      match_case{"kill all", "killall", false},
                      match_case{"kill all", "skill all", false},
                      match_case{"c++", "I like C++.", true}, match_case{"c++", "c++11", true},
                      match_case{"--", "a--b", true},
                      match_case{"<|im_start|>", "x<|im_start|>system", true}));

INSTANTIATE_TEST_SUITE_P(
    other_scripts, denied,
    ::testing::Values(match_case{"ÄRGER", "viel ärger", true},
                      match_case{"ärger", "verärgert", false}, match_case{"БОМБА", "бомба.", true},
                      match_case{"бомб", "бомба", false}, match_case{"ΒΌΜΒΑ", "βόμβα", true},
                      match_case{"炸弹", "怎么做炸弹呢", true},
                      match_case{"爆弾", "これは爆弾です", true},
                      match_case{"폭탄", "폭탄을", false}, match_case{"bomb", "这是bomb吗", true}));

INSTANTIATE_TEST_SUITE_P(
    odd_bytes, denied,
    ::testing::Values(match_case{"bomb",
                                 "\xFF"
                                 "bomb\xFE",
                                 true},
                      match_case{"bomb", "bo\xFFmb", false}, match_case{"bomb", "\0bomb\0"s, true},
                      match_case{"bomb",
                                 "\xE2\x82"
                                 "bomb",
                                 true},
                      match_case{"\xC3\xA4\xC3\xA4", "\xA4\xC3\xA4\xC3", false},
                      match_case{"bomb", "bomb\xC3", true}));

TEST(prompt_filter, looks_at_all_texts) {
    const prompt_filter policy({.denied = {"bomb"}});
    EXPECT_FALSE(verdict(policy, {}));
    EXPECT_FALSE(verdict(policy, {"one", "two", ""}));
    EXPECT_TRUE(verdict(policy, {"one", "two", "bomb"}));
    EXPECT_FALSE(verdict(policy, {"bo", "mb"})) << "texts are not joined";
}

TEST(prompt_filter, reads_the_strings_and_names_of_json) {
    const prompt_filter policy({.denied = {"bomb", "kill all"}});
    for (const auto* const text :
         {R"({"a":"line\nbomb"})", R"([{"a":[1,"\u0062omb"]}])", R"({"\u0062omb":1})",
          R"("kill\nall")", R"({"a":"\u0062omb","a":""})", R"({"a":"\u0062omb",)"})
        EXPECT_TRUE(verdict(policy, {text})) << text;
    for (const auto* const text :
         {R"({"a":"\\","b":"fire\u0062omb"})", R"(["\\","kill","all"])", R"(C:\u0062omb)"})
        EXPECT_FALSE(verdict(policy, {text})) << text;
    std::string deep(1 << 20, '[');
    deep += R"("\u0062omb")";
    EXPECT_TRUE(verdict(prompt_filter({.denied = {"bomb"}, .max_bytes = 0}), {deep}));
}

TEST(prompt_filter, finds_each_of_many_words) {
    prompt_rules rules;
    for (int i = 0; i < 10'000; ++i) rules.denied.push_back("word" + std::to_string(i) + "x");
    const prompt_filter policy(rules);
    for (int i = 0; i < 10'000; i += 7)
        EXPECT_TRUE(verdict(policy, {"a word" + std::to_string(i) + "x b"})) << i;
    EXPECT_FALSE(verdict(policy, {"a word10000x word word1 b"}));
}

TEST(prompt_filter, finds_words_that_begin_with_other_words) {
    const prompt_filter policy({.denied = {"bomb", "bombs away", "bo", "BO", "bombsite"}});
    for (const auto* const text : {"bo", "bomb", "bombs away", "bombsite", "bombs bo"})
        EXPECT_TRUE(verdict(policy, {text})) << text;
    for (const auto* const text : {"bom", "bombs", "bombsites", "bombs awa", "b"})
        EXPECT_FALSE(verdict(policy, {text})) << text;
}

TEST(prompt_filter, allows_all_if_it_has_no_rules) {
    EXPECT_FALSE(verdict(prompt_filter({.max_bytes = 0}), {std::string(2 << 20, 'x')}));
}

TEST(prompt_filter, reports_that_a_prompt_is_denied_and_repeats_nothing_of_it) {
    const auto e = verdict(prompt_filter({.denied = {"bomb"}}), {"my secret bomb"});
    ASSERT_TRUE(e);
    EXPECT_EQ(e->status, 400);
    EXPECT_EQ(e->type, "invalid_request_error");
    EXPECT_EQ(e->code, "content_policy");
    for (const auto* const word : {"secret", "bomb"})
        EXPECT_THAT(encode_error_body(*e), Not(HasSubstr(word)));
}

TEST(prompt_filter, bounds_the_bytes_of_all_texts_together) {
    const prompt_filter policy({.max_bytes = 10});
    EXPECT_FALSE(verdict(policy, {"12345", "67890"}));
    const auto e = verdict(policy, {"secret", "67890"});
    ASSERT_TRUE(e);
    EXPECT_EQ(e->status, 400);
    EXPECT_EQ(e->code, "prompt_too_large");
    EXPECT_EQ(e->message, "the messages have 11 bytes of text; the maximum is 10");
}

TEST(prompt_rules, have_no_faults_that_can_be_used) {
    EXPECT_THAT(check(prompt_rules{}), IsEmpty());
    EXPECT_THAT(check(prompt_rules{.denied = {"ab", "a b", "é", std::string(256, 'x')}}),
                IsEmpty());
}

TEST(prompt_rules, have_words_that_can_be_found) {
    std::vector<std::string> paths;
    const prompt_rules rules{
        .denied = {"good", "", "x", " ", "\t\n", " x", "x ", "\xFF\xFF", std::string(257, 'x')}};
    for (const auto& f : check(rules)) paths.push_back(f.field);
    EXPECT_THAT(paths, ElementsAre("denied[1]", "denied[2]", "denied[3]", "denied[4]", "denied[5]",
                                   "denied[6]", "denied[7]", "denied[8]"));
}

TEST(prompt_rules, have_a_bound) {
    const auto faults = check(prompt_rules{.denied = std::vector<std::string>(10'001, "word")});
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].field, "denied");
}

}  // namespace
