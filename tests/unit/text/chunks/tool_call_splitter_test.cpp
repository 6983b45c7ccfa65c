#include "text/chunks/tool_call_splitter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::text {
namespace {

struct split_reply {
    std::string text;
    std::string call;
    int tokens = 0;
};

/// Splits the reply, which arrives in tokens of `piece` bytes.
split_reply split(std::string_view reply, std::size_t piece, std::string mark = "<tool_call>") {
    tool_call_splitter splitter(std::move(mark));
    split_reply all;
    const auto add = [&](const tool_call_splitter::visible& shown) {
        all.text += shown.text;
        all.tokens += shown.tokens;
    };
    for (std::size_t at = 0; at < reply.size(); at += piece)
        add(splitter.feed(reply.substr(at, piece), 1));
    add(splitter.finish());
    all.call = splitter.call();
    return all;
}

TEST(tool_call_splitter, separates_a_call_from_the_text_before_it_however_the_text_arrives) {
    constexpr std::string_view reply =
        "A <b> <tool_ <tool_call>{\"name\":1}</tool_call>\n<tool_call>";
    for (std::size_t piece = 1; piece <= reply.size(); ++piece) {
        const auto all = split(reply, piece);
        EXPECT_EQ(all.text, "A <b> <tool_ ") << piece;
        EXPECT_EQ(all.call, "<tool_call>{\"name\":1}</tool_call>\n<tool_call>") << piece;
    }
}

TEST(tool_call_splitter, shows_all_text_and_counts_its_tokens_if_no_call_comes) {
    constexpr std::string_view reply = "One < two, <tool_calls and <tool_cal";
    for (std::size_t piece = 1; piece <= reply.size(); ++piece) {
        const auto all = split(reply, piece);
        EXPECT_EQ(all.text, reply) << piece;
        EXPECT_EQ(all.tokens, (reply.size() + piece - 1) / piece) << piece;
    }
}

TEST(tool_call_splitter, withholds_no_more_than_may_become_the_mark) {
    tool_call_splitter splitter("<tool_call>");
    EXPECT_EQ(splitter.feed("One. <tool", 1).text, "One. ");
    EXPECT_EQ(splitter.feed("box", 1).text, "<toolbox");
    EXPECT_FALSE(splitter.has_call());
}

TEST(tool_call_splitter, may_withhold_all_text_and_show_it_when_it_is_no_call) {
    auto splitter = tool_call_splitter::withholding_all();
    EXPECT_TRUE(splitter.has_mark());
    EXPECT_EQ(splitter.feed("{\"a\":", 2).text, "");
    EXPECT_EQ(splitter.feed("1}", 1).text, "");
    EXPECT_EQ(splitter.finish().text, "");
    EXPECT_EQ(splitter.call(), "{\"a\":1}");
    const auto all = splitter.show_all_as_text();
    EXPECT_EQ(all.text, "{\"a\":1}");
    EXPECT_EQ(all.tokens, 3);
    EXPECT_FALSE(splitter.has_call());
}

TEST(tool_call_splitter, shows_a_call_that_is_none_with_its_mark) {
    tool_call_splitter splitter("<tool_call>");
    splitter.feed("<tool_", 1);
    splitter.feed("call>", 1);
    splitter.feed("no", 1);
    const auto all = splitter.show_all_as_text();
    EXPECT_EQ(all.text, "<tool_call>no");
    EXPECT_EQ(all.tokens, 3);
    splitter.feed(" <tool_", 1);
    EXPECT_EQ(splitter.show_all_as_text().text, "<tool_");
}

TEST(tool_call_splitter, shows_everything_without_a_mark) {
    EXPECT_EQ(split("a <tool_call>", 3, "").text, "a <tool_call>");
}

TEST(tool_call_splitter, keeps_a_bounded_part_of_a_call_without_end) {
    tool_call_splitter splitter("<");
    splitter.feed("<", 1);
    const std::string piece(1000, 'x');
    for (int i = 0; i < 2000; ++i) splitter.feed(piece, 1);
    EXPECT_TRUE(splitter.is_too_long());
    EXPECT_LE(splitter.call().size(), max_call_bytes + piece.size());
}

// Functionary: the prompt ends with the ">>>" with which every part of a reply begins.
const reply_delimiters recipient{.opening = ">>>all\n"};
// In Muse, the marks of words and of thoughts differ only in the recipient: user or self.
const reply_delimiters addressed{.opening = "<start>to=user<sep>",
                                 .closing = "<start>to=self<sep>"};
const reply_delimiters answer{.opening = "<answer>\n", .closing = "</answer>"};
const reply_delimiters channel{.opening = "<open>words<sep>", .closing = "<close>words<sep>"};

struct marked_reply {
    std::string reply;
    std::string text;
    std::string call;
    reply_delimiters words = recipient;
    std::string mark = ">>>";
    std::string prompt = "Hi.\n\n>>>";
};

class marked : public ::testing::TestWithParam<marked_reply> {};
INSTANTIATE_TEST_SUITE_P(
    replies, marked,
    ::testing::Values(
        marked_reply{"all\nOne moment.", "One moment.", ""},
        marked_reply{"all\nOne moment.>>>f\n{}", "One moment.", ">>>f\n{}"},
        marked_reply{"f\n{}>>>g\n{}", "", ">>>f\n{}>>>g\n{}"},
        marked_reply{"all\nOne.>>>all\nTwo > 1 >", "One.Two > 1 >", ""},
        marked_reply{"all\nOne.>>>al", "One.", ""}, marked_reply{"al", "", ""},
        marked_reply{"all\nOne.>>>f\n{}", "One.>>>f\n{}", "", recipient, ""},
        marked_reply{"{\"a\":1}", "{\"a\":1}", "", recipient, ""},
        marked_reply{"One >>> all", "One ", ">>> all", recipient, ">>>", "Hi.\n\n>>>all\n"},
        marked_reply{"<open>words<sep>One.<close>words<sep><close>message<sep>", "One.", "",
                     channel, "<open>calls<sep>", "<open>thought<sep>"},
        marked_reply{"One.<close>words<sep>\n<open>calls<sep>f", "One.", "<open>calls<sep>f",
                     channel, "<open>calls<sep>", "<open>words<sep>"},
        marked_reply{"One.<close>words<sep>no<open>words<sep>Two <open>word", "One.Two <open>word",
                     "", channel, "", "<open>words<sep>"},
        marked_reply{"One.<close>words<sep>Two.<close>w", "One.<close>words<sep>Two.<close>w", "",
                     channel, "", "<open>words<sep>Hi.<close>words<sep>"},
        marked_reply{"words<sep>One.<close>words<sep>no", "One.", "", channel, "", "<open>"},
        marked_reply{"One.<close>words<sep>no", "One.", "", channel, "", "<open>words<sep><think>"},
        marked_reply{"One <open>words<sep>two.<close>w", "One two.", "", channel, ""},
        marked_reply{"<answer>One.</answer>no", "One.", "", answer, "<call>", "Hi.\n"},
        marked_reply{"<answer>\nOne.\n</answer>no", "One.\n", "", answer, "", "Hi.\n"},
        marked_reply{"<answer>", "", "", answer, "", "Hi.\n"},
        marked_reply{"One <answer", "One <answer", "", answer, "", "Hi.\n"},
        marked_reply{" two.</answer>no", " two.", "", answer, "", "Hi.\n<answer>One"},
        marked_reply{"One.</answer>no", "One.", "", answer, "", "Hi.\n<answer>"},
        marked_reply{"One.<c", "One.<c", "", channel, "", "<open>words<sep>"},
        marked_reply{"to=self<sep>no<start>to=user<sep>One.<start>to=f<sep>", "One.",
                     "<start>to=f<sep>", addressed, "<start>to=", "<start>"},
        marked_reply{"to=self<sep>no<start>to=f<sep>", "", "<start>to=f<sep>", addressed,
                     "<start>to=", "<start>"}));

TEST_P(marked, reply_has_its_words_and_its_call_however_the_text_arrives) {
    const auto& [reply, text, call, words, mark, prompt] = GetParam();
    for (std::size_t piece = 1; piece <= reply.size(); ++piece) {
        tool_call_splitter splitter(mark, words);
        splitter.start_after_prompt(prompt);
        std::string shown;
        for (std::size_t at = 0; at < reply.size(); at += piece)
            shown += splitter.feed(std::string_view(reply).substr(at, piece), 1).text;
        shown += splitter.finish().text;
        EXPECT_EQ(shown, text) << piece;
        EXPECT_EQ(splitter.call(), call) << piece;
    }
}

TEST(tool_call_splitter, counts_no_tokens_of_marks_and_of_what_follows_the_words) {
    tool_call_splitter splitter({}, channel);
    EXPECT_EQ(splitter.feed("<open>words<", 4).tokens, 0);
    EXPECT_EQ(splitter.feed("sep>One", 2).tokens, 2);
    EXPECT_EQ(splitter.feed(".<close>", 2).tokens, 2);
    splitter.feed("words<sep>unspoken", 5);
    EXPECT_EQ(splitter.feed("<open>words<sep>", 3).tokens, 0);
    EXPECT_EQ(splitter.feed("Two", 1).tokens, 4) << "of the mark's last event, too";
}

TEST(tool_call_splitter, may_get_its_mark_within_a_mark_of_words) {
    tool_call_splitter splitter({}, channel);
    splitter.feed("<open>wo", 1);
    splitter.set_mark("<call>");
    EXPECT_EQ(splitter.feed("rds<sep>One.<call>f", 1).text, "One.");
    EXPECT_EQ(splitter.call(), "<call>f");
}

TEST(reply_delimiters, may_begin_in_the_prompt) {
    EXPECT_EQ(find_begun_opening(recipient, "Hi.\n\n>>>"), ">>>");
    EXPECT_EQ(find_begun_opening(recipient, ">>>all\n"), ">>>all\n");
    EXPECT_EQ(find_begun_opening(recipient, "Hi."), "");
    EXPECT_EQ(find_begun_opening({}, "Hi."), "");
}

}  // namespace
}  // namespace tandem::text
