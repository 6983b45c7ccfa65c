#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/chunks/chunker.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {
namespace {

using status = chunker::status;

/// One reply with random tokens and limits. The seed determines the reply.
class random_reply {
 public:
    explicit random_reply(unsigned seed) : random_(seed) {
        const int count = below(120);
        for (int i = 0; i < count; ++i) tokens.push_back(random_token());
        limits = {below(12), below(26), below(40)};
        if (below(8) == 0) limits.max_tokens = 1;
        if (below(2) == 0) limits.min_chars = below(60);
        rule = below(2) == 0 ? boundary_rule::classic : boundary_rule::spoken;
    }

    chunk_limits limits;
    boundary_rule rule = boundary_rule::classic;
    std::vector<std::string> tokens;

 private:
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

    std::string random_token() {
        static constexpr std::string_view parts[] = {"a",
                                                     "word",
                                                     " the",
                                                     " quick",
                                                     ".",
                                                     "!",
                                                     "?",
                                                     "...",
                                                     "\"",
                                                     "'",
                                                     ")",
                                                     " \"",
                                                     ",",
                                                     ", ",
                                                     ";",
                                                     ":",
                                                     " ",
                                                     "  ",
                                                     "\n\n",
                                                     "\xC2\xA0",
                                                     "1",
                                                     "000",
                                                     "\xC3\xA9",
                                                     "\xE2\x82\xAC",
                                                     "\xE2\x80\x94",
                                                     "\xE2\x80\x9D",
                                                     "\xEF\xBC\x8C",
                                                     "\xE3\x80\x82",
                                                     "\n",
                                                     "\n1.",
                                                     "```",
                                                     "</p>",
                                                     "<",
                                                     "**",
                                                     " Dr",
                                                     " No",
                                                     " works",
                                                     "\xF0\x9F\x98\x80"};
        std::string token;
        for (int n = below(4); n > 0; --n) token += parts[below(std::size(parts))];
        return token;
    }

    std::mt19937 random_;
};

chunker make_chunker(const random_reply& reply) {
    return {make_boundary_detector(reply.rule), reply.limits};
}

void take_all(chunker& chunks, std::vector<chunk_text>& out) {
    while (chunks.current() == status::ready) out.push_back(chunks.take_chunk());
}

std::vector<chunk_text> taken_at_once(const random_reply& reply) {
    auto chunks = make_chunker(reply);
    std::vector<chunk_text> out;
    for (const auto& token : reply.tokens) {
        chunks.feed(token);
        take_all(chunks, out);
    }
    chunks.finish();
    take_all(chunks, out);
    EXPECT_EQ(chunks.untaken_text(), "");
    return out;
}

std::vector<chunk_text> taken_at_the_end(const random_reply& reply) {
    auto chunks = make_chunker(reply);
    std::vector<chunk_text> out;
    for (const auto& token : reply.tokens) chunks.feed(token);
    chunks.finish();
    take_all(chunks, out);
    return out;
}

std::string joined(const std::vector<chunk_text>& pieces) {
    std::string text;
    for (const auto& p : pieces) text += p.text;
    return text;
}

constexpr unsigned replies = 4000;

class ChunkerProperties : public testing::Test {
 protected:
    template <class Check>
    void for_all(Check check) {
        for (unsigned seed = 0; seed < replies && !HasFailure(); ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            const random_reply reply(seed);
            check(reply, taken_at_once(reply));
        }
    }
};

TEST_F(ChunkerProperties, PiecesJoinedAreTheText) {
    for_all([](const random_reply& reply, const std::vector<chunk_text>& pieces) {
        std::string text;
        for (const auto& token : reply.tokens) text += token;
        EXPECT_EQ(joined(pieces), text);
    });
}

TEST_F(ChunkerProperties, TokensOfThePiecesAreThoseWithText) {
    for_all([](const random_reply& reply, const std::vector<chunk_text>& pieces) {
        int fed = 0, counted = 0;
        for (const auto& token : reply.tokens) fed += !token.empty();
        for (const auto& p : pieces) counted += p.tokens;
        EXPECT_EQ(counted, fed);
    });
}

TEST_F(ChunkerProperties, NoPieceIsEmptyOrEndsInsideACharacter) {
    for_all([](const random_reply&, const std::vector<chunk_text>& pieces) {
        for (const auto& p : pieces) {
            EXPECT_NE(p.text, "");
            EXPECT_EQ(find_invalid_utf8(p.text), std::string_view::npos);
        }
    });
}

TEST_F(ChunkerProperties, NoPieceHasMoreTokensThanItsLimitAndAPeek) {
    for_all([](const random_reply& reply, const std::vector<chunk_text>& pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto& l = reply.limits;
            const int most = i == 0 && l.first_max_tokens ? l.first_max_tokens : l.max_tokens;
            if (most == 0) continue;
            EXPECT_LE(pieces[i].tokens, most + (pieces[i].why == boundary::sentence));
        }
    });
}

TEST_F(ChunkerProperties, OnlyTheLastPieceIsTheEnd) {
    for_all([](const random_reply&, const std::vector<chunk_text>& pieces) {
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i) EXPECT_NE(pieces[i].why, boundary::end);
    });
}

TEST_F(ChunkerProperties, AWordPieceEndsBeforeWhiteSpace) {
    for_all([](const random_reply&, const std::vector<chunk_text>& pieces) {
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
            if (pieces[i].why != boundary::word) continue;
            EXPECT_TRUE(is_white_space(decode_first_character(pieces[i + 1].text).character));
            EXPECT_FALSE(is_all_white_space(pieces[i].text));
        }
    });
}

TEST_F(ChunkerProperties, PiecesAreTheSameWheneverTheyAreTaken) {
    for_all([](const random_reply& reply, const std::vector<chunk_text>& pieces) {
        const auto later = taken_at_the_end(reply);
        ASSERT_EQ(later.size(), pieces.size());
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            EXPECT_EQ(later[i].text, pieces[i].text);
            EXPECT_EQ(later[i].why, pieces[i].why);
            EXPECT_EQ(later[i].tokens, pieces[i].tokens);
        }
    });
}

}  // namespace
}  // namespace tandem::text
