#include "text/chunks/call_splitter.hpp"

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

/// Splits the reply, which arrives in pieces of this many bytes, each a token.
split_reply split(std::string_view reply, std::size_t piece, std::string mark = "<tool_call>") {
    call_splitter splitter(std::move(mark));
    split_reply all;
    const auto add = [&](const call_splitter::visible& shown) {
        all.text += shown.text;
        all.tokens += shown.tokens;
    };
    for (std::size_t at = 0; at < reply.size(); at += piece)
        add(splitter.feed(reply.substr(at, piece), 1));
    add(splitter.finish());
    all.call = splitter.call();
    return all;
}

TEST(call_splitter, separates_a_call_from_the_text_before_it_however_the_text_arrives) {
    constexpr std::string_view reply =
        "A <b> <tool_ <tool_call>{\"name\":1}</tool_call>\n<tool_call>";
    for (std::size_t piece = 1; piece <= reply.size(); ++piece) {
        const auto all = split(reply, piece);
        EXPECT_EQ(all.text, "A <b> <tool_ ") << piece;
        EXPECT_EQ(all.call, "<tool_call>{\"name\":1}</tool_call>\n<tool_call>") << piece;
    }
}

TEST(call_splitter, shows_all_text_and_counts_its_tokens_if_no_call_comes) {
    constexpr std::string_view reply = "One < two, <tool_calls and <tool_cal";
    for (std::size_t piece = 1; piece <= reply.size(); ++piece) {
        const auto all = split(reply, piece);
        EXPECT_EQ(all.text, reply) << piece;
        EXPECT_EQ(all.tokens, (reply.size() + piece - 1) / piece) << piece;
    }
}

TEST(call_splitter, withholds_no_more_than_may_become_the_mark) {
    call_splitter splitter("<tool_call>");
    EXPECT_EQ(splitter.feed("One. <tool", 1).text, "One. ");
    EXPECT_EQ(splitter.feed("box", 1).text, "<toolbox");
    EXPECT_FALSE(splitter.has_call());
}

TEST(call_splitter, may_withhold_all_text_and_show_it_when_it_is_no_call) {
    auto splitter = call_splitter::withholding_all();
    EXPECT_TRUE(splitter.has_mark());
    EXPECT_EQ(splitter.feed("{\"a\":", 2).text, "");
    EXPECT_EQ(splitter.feed("1}", 1).text, "");
    EXPECT_EQ(splitter.finish().text, "");
    EXPECT_EQ(splitter.call(), "{\"a\":1}");
    const auto all = splitter.release();
    EXPECT_EQ(all.text, "{\"a\":1}");
    EXPECT_EQ(all.tokens, 3);
    EXPECT_FALSE(splitter.has_call());
}

TEST(call_splitter, shows_everything_without_a_mark) {
    EXPECT_EQ(split("a <tool_call>", 3, "").text, "a <tool_call>");
}

TEST(call_splitter, keeps_a_bounded_part_of_a_call_without_end) {
    call_splitter splitter("<");
    splitter.feed("<", 1);
    const std::string piece(1000, 'x');
    for (int i = 0; i < 2000; ++i) splitter.feed(piece, 1);
    EXPECT_TRUE(splitter.is_too_long());
    EXPECT_LE(splitter.call().size(), max_call_bytes + piece.size());
}

}  // namespace
}  // namespace tandem::text
