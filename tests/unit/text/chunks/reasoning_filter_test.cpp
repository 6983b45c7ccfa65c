#include "text/chunks/reasoning_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::text {
namespace {

const std::vector<tag_pair> think{{"<think>", "</think>"}};

/// The total output of a filter.
struct outcome {
    std::string text{};
    int tokens = 0;
    std::string reasoning{};
    int reasoning_tokens = 0;

    void add(const visible_text& v) {
        text += v.text;
        reasoning += v.reasoning;
        tokens += v.tokens;
        reasoning_tokens += v.reasoning_tokens;
    }
};

outcome read(reasoning_filter filter, const std::vector<std::string>& tokens) {
    outcome out;
    for (const auto& t : tokens) out.add(filter.feed(t));
    out.add(filter.finish());
    return out;
}

std::string visible(std::string_view text, std::vector<tag_pair> tags = default_reasoning_tags()) {
    return read(reasoning_filter(std::move(tags)), {std::string(text)}).text;
}

std::vector<std::string> characters(std::string_view text) {
    std::vector<std::string> out;
    for (const char c : text) {
        if ((c & 0xC0) != 0x80) out.emplace_back();
        out.back() += c;
    }
    return out;
}

struct row {
    const char* text;
    const char* visible;
};

class reasoning : public testing::TestWithParam<row> {};

TEST_P(reasoning, is_left_out_and_the_rest_is_whole) {
    EXPECT_EQ(visible(GetParam().text), GetParam().visible);
    EXPECT_EQ(read(reasoning_filter(default_reasoning_tags()), characters(GetParam().text)).text,
              GetParam().visible);
}

INSTANTIATE_TEST_SUITE_P(
    table, reasoning,
    testing::Values(
        row{"", ""}, row{"Hello.", "Hello."}, row{"<think>Hm.</think>Hello.", "Hello."},
        row{"<think>\nHm.\n</think>\n\n \tHello.", "Hello."},
        row{"<think></think>Hello.", "Hello."}, row{"<think></think>\xE3\x80\x80Hi", "Hi"},
        row{"a <think>b</think> c", "a c"}, row{"a<think>b</think> c", "a c"},
        row{"a<think>b</think>c", "ac"}, row{"a\n<think>b</think>\n<think>c</think>\nd", "a\nd"},
        row{"a <think>b <think>c</think> d", "a d"}, row{"<thinking>a</thinking>b", "b"},
        row{"<think>a</thinking>b</think>c", "c"}, row{"<reasoning>a</reasoning> b", "b"},
        row{"<thought>a</thought> b", "b"}, row{"<seed:think>a</seed:think> b", "b"},
        row{"<mm:think>a</mm:think> b", "b"}, row{"[THINK]a[/THINK] b", "b"},
        row{"<|START_THINKING|>a<|END_THINKING|>b", "b"},
        row{"<|inner_prefix|>a<|inner_suffix|>b", "b"},
        row{"<|begin_of_thought|>a<|end_of_thought|>b", "b"},
        row{"\xE2\x97\x81think\xE2\x96\xB7 a \xE2\x97\x81/think\xE2\x96\xB7 b", "b"},
        row{"<|channel>thought\na<channel|>b", "b"},
        row{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "b"},
        row{"<|channel|>analysis<|message|>a<|start|>assistant<|channel|>commentary to=f<|message|>"
            "b<|start|>assistant<|channel|>final<|message|>c",
            "c"},
        row{"<|channel|>final<|message|>a", "a"}, row{"Hm.</think>\n\nHello.", "Hm.\n\nHello."},
        row{"</think>\n\nHello.", "Hello."}, row{"a < b", "a < b"}, row{"<thin", "<thin"},
        row{"<thinker>", "<thinker>"}, row{"<<think>a</think>b", "<b"}, row{"a <think>b", "a "},
        row{"a <think>b</thin", "a "}, row{"\xE2\x97\x81\xE2\x80\x94", "\xE2\x97\x81\xE2\x80\x94"},
        row{"<|channel|>finally", "<|channel|>finally"}));

std::string hidden(std::string_view text) {
    const auto whole = read(reasoning_filter(default_reasoning_tags()), {std::string(text)});
    const auto divided = read(reasoning_filter(default_reasoning_tags()), characters(text));
    EXPECT_EQ(divided.reasoning, whole.reasoning);
    return whole.reasoning;
}

TEST(reasoning, is_reported_apart_without_its_marks) {
    EXPECT_EQ(hidden("Hello."), "");
    EXPECT_EQ(hidden("<think>\n Hm. So.\n</think>\n\nHello."), "Hm. So.\n");
    EXPECT_EQ(hidden("a <think>b</think> c <think> d</think>"), "bd");
    EXPECT_EQ(hidden("<think>2 < 3</think>yes"), "2 < 3");
    EXPECT_EQ(hidden("<think> \n</think>Hi"), "");
    EXPECT_EQ(hidden("<think>not closed </thi"), "not closed </thi");
    EXPECT_EQ(
        hidden("<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>b"),
        "Hm.");
    EXPECT_EQ(hidden("<|channel|>analysis<|mess"), "");
    EXPECT_EQ(hidden("<|channel|>analysis<|me too"), "<|me too");
}

TEST(reasoning_filter, is_the_identity_without_tags) {
    EXPECT_EQ(visible("<think>a</think> b", {}), "<think>a</think> b");
}

TEST(reasoning_filter, gives_text_out_at_once_if_no_mark_can_start) {
    reasoning_filter filter(think);
    EXPECT_EQ(filter.feed("Hello, world. ").text, "Hello, world. ");
    EXPECT_EQ(filter.withheld(), 0u);
}

TEST(reasoning_filter, withholds_the_start_of_a_mark_until_it_is_none) {
    reasoning_filter filter(think);
    EXPECT_EQ(filter.feed("a <th").text, "a ");
    EXPECT_EQ(filter.withheld(), 3u);
    EXPECT_EQ(filter.feed("em>").text, "<them>");
}

TEST(reasoning_filter, gives_a_withheld_start_out_at_the_end) {
    reasoning_filter filter(think);
    filter.feed("a <th");
    EXPECT_EQ(filter.finish().text, "<th");
    EXPECT_EQ(filter.withheld(), 0u);
}

TEST(reasoning_filter, hides_an_unclosed_reasoning_at_the_end) {
    reasoning_filter filter(think);
    filter.feed("<think>a</th");
    EXPECT_EQ(filter.finish().text, "");
    EXPECT_TRUE(filter.is_inside());
}

TEST(reasoning_filter, hides_the_start_if_the_prompt_opened_a_reasoning) {
    const auto tags = default_reasoning_tags();
    reasoning_filter filter(tags, find_open_reasoning("user: hi\nassistant: <think>\n", tags));
    EXPECT_TRUE(filter.is_inside());
    EXPECT_EQ(filter.feed("Hm.</think>\n\nHello.").text, "Hello.");
}

TEST(reasoning_filter, closes_with_each_mark_that_has_the_same_opening) {
    const std::vector<tag_pair> tags{{"<a>", "<b>"}, {"<a>", "<c>"}, {"<d>", "<e>"}};
    EXPECT_EQ(visible("<a>1<b>2<a>3<c>4<a>5<e>6", tags), "24");
}

TEST(reasoning_filter, takes_the_first_mark_and_of_two_the_shorter) {
    const std::vector<tag_pair> tags{{"abcd", "x"}, {"bc", "y"}, {"ab!", "z"}, {"ab!!", "z"}};
    EXPECT_EQ(visible("abc1y2", tags), "a2");
    EXPECT_EQ(visible("abcd1y2x3", tags), "3");
    EXPECT_EQ(visible("ab!!z1", tags), "1");
    EXPECT_EQ(visible("abc", tags), "a");
}

TEST(reasoning_filter, toggles_with_a_mark_that_opens_and_closes) {
    EXPECT_EQ(visible("a%%b%%c", {{"%%", "%%"}}), "ac");
}

TEST(reasoning_filter, counts_the_tokens_of_a_reasoning_and_its_marks) {
    const auto hidden = [](const std::vector<std::string>& tokens) {
        return read(reasoning_filter(think), tokens).reasoning_tokens;
    };
    EXPECT_EQ(hidden({"a", " b"}), 0);
    EXPECT_EQ(hidden({"<think>", "a", "</think>", "\n", "b"}), 4);
    EXPECT_EQ(hidden({"a", " <", "think", ">", "b", "c</think>d"}), 3);
    EXPECT_EQ(hidden({"<think>", "a", "</th"}), 3);
}

TEST(reasoning_filter, names_the_mark_that_closes_the_open_reasoning) {
    reasoning_filter filter(default_reasoning_tags());
    filter.feed("<think>Hm.");
    EXPECT_EQ(filter.closing_mark(), "</think>");
    filter = reasoning_filter(default_reasoning_tags());
    filter.feed("<|channel|>analysis<|message|>Hm.");
    EXPECT_EQ(filter.closing_mark(), "<|start|>assistant<|channel|>final<|message|>");
}

TEST(reasoning_filter, counts_tokens_with_visible_text) {
    EXPECT_EQ(read(reasoning_filter(think), {"a", " b", "", "c"}).tokens, 3);
    EXPECT_EQ(read(reasoning_filter(think), {"<think>", "a", "</think>", "\n", "b"}).tokens, 1);
    EXPECT_EQ(read(reasoning_filter(think), {"a<", "th", "ing", ">"}).tokens, 4);
    EXPECT_EQ(read(reasoning_filter(think), {"a <", "think>", "b", "</think>c"}).tokens, 2);
    EXPECT_EQ(read(reasoning_filter(think), {"a <"}).tokens, 1);
}

TEST(reasoning_filter, counts_a_token_when_its_first_byte_is_given_out) {
    reasoning_filter filter(think);
    EXPECT_EQ(filter.feed("a <").tokens, 1);
    EXPECT_EQ(filter.feed("t").tokens, 0);
    const auto both = filter.feed("o");
    EXPECT_EQ(both.text, "<to");
    EXPECT_EQ(both.tokens, 2);
}

TEST(reasoning_filter, counts_the_tokens_that_made_a_text_together) {
    reasoning_filter filter(think);
    EXPECT_EQ(filter.feed("\xF0\x9F\x98\x80", 3).tokens, 3);
}

struct prompt_row {
    const char* prompt;
    bool is_open;
};

class open_reasoning_of : public testing::TestWithParam<prompt_row> {};

TEST_P(open_reasoning_of, the_prompt_is_reported_by_its_end) {
    EXPECT_EQ(find_open_reasoning(GetParam().prompt, default_reasoning_tags()).has_value(),
              GetParam().is_open);
}

INSTANTIATE_TEST_SUITE_P(
    table, open_reasoning_of,
    testing::Values(prompt_row{"", false}, prompt_row{" \n", false}, prompt_row{"<think>", true},
                    prompt_row{"x<think>\n", true}, prompt_row{"x<think> \n\xE3\x80\x80", true},
                    prompt_row{"<think>\n\n</think>\n\n", false}, prompt_row{"think>", false},
                    prompt_row{"<think>Hm", false}, prompt_row{"<|channel>thought\n", true},
                    prompt_row{"<|start|>assistant<|channel|>analysis<|message|>", true},
                    prompt_row{"<|start|>assistant", false}));

TEST(find_open_reasoning, is_the_longest_mark_that_fits) {
    const std::vector<tag_pair> tags{{">", "a"}, {"<b>\n", "b"}, {"b>", "c"}};
    EXPECT_EQ(find_open_reasoning("<b>", tags), 1u);
}

std::string random_text(std::mt19937& random) {
    static constexpr std::string_view parts[] = {"a",
                                                 " ",
                                                 "\n",
                                                 "<",
                                                 "<th",
                                                 "<think>",
                                                 "</think>",
                                                 "</",
                                                 "k>",
                                                 "|",
                                                 "[",
                                                 "[THINK]",
                                                 "[/THINK]",
                                                 "<|channel",
                                                 "|>",
                                                 "analysis",
                                                 ".",
                                                 "\xC3\xA9",
                                                 "<thinking>",
                                                 "final<|message|>",
                                                 "\xE2\x97\x81",
                                                 "think",
                                                 "\xE2\x96\xB7",
                                                 "\xE3\x80\x80"};
    std::string text;
    for (auto n = random() % 30; n > 0; --n) text += parts[random() % std::size(parts)];
    return text;
}

TEST(reasoning_filter_properties, the_visible_text_is_the_same_for_every_division) {
    const auto tags = default_reasoning_tags();
    std::size_t longest = 0;
    for (const auto& t : tags) longest = std::max({longest, t.open.size(), t.close.size()});
    for (unsigned seed = 0; seed < 20000 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto text = random_text(random);
        reasoning_filter filter(tags);
        outcome out;
        std::string token;
        int fed = 0;
        for (const auto& c : characters(text)) {
            token += c;
            if (random() % 3) continue;
            out.add(filter.feed(token));
            token.clear();
            EXPECT_LT(filter.withheld(), longest);
            ++fed;
        }
        out.add(filter.feed(token));
        out.add(filter.finish());
        EXPECT_EQ(out.text, visible(text));
        EXPECT_EQ(out.tokens + out.reasoning_tokens, fed + (token.empty() ? 0 : 1));
    }
}

TEST(reasoning_filter_properties, a_hostile_text_takes_linear_time) {
    std::string starts;
    for (int i = 0; i < 200000; ++i) starts += "<|channel|";
    reasoning_filter filter(default_reasoning_tags());
    EXPECT_EQ(filter.feed(starts).text.size() + filter.finish().text.size(), starts.size());
}

}  // namespace
}  // namespace tandem::text
