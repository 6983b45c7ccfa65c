#include "text/chunks/chunker.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {
namespace {

using ::testing::ElementsAre;
using enum boundary;
using status = chunker::status;
using tokens = std::vector<std::string_view>;

struct end_of_chunk {
    std::string text;
    boundary why = end;
    bool operator==(const end_of_chunk&) const = default;
};

void PrintTo(const end_of_chunk& e, std::ostream* out) {
    *out << '"' << e.text << "\" " << static_cast<int>(e.why);
}

chunker chunker_with(int min_chars, chunk_limits limits = {0, 24, 96}) {
    limits.min_chars = min_chars;
    return chunker(make_boundary_detector(boundary_rule::spoken), limits);
}

std::vector<end_of_chunk> taken(chunker& chunks) {
    std::vector<end_of_chunk> list;
    while (chunks.current() == status::ready) {
        auto p = chunks.take_chunk();
        list.push_back({std::move(p.text), p.why});
    }
    return list;
}

std::vector<end_of_chunk> chunks_of(chunker chunks, const tokens& list) {
    for (const auto t : list) chunks.feed(t);
    chunks.finish();
    return taken(chunks);
}

const tokens chat{"Hello", " there", ".",   " No",    ".", " Not", " so", ".",
                  " We",   " open",  " at", " eight", ".", " Ask", " Bo", "."};

TEST(min_chars, joins_short_sentences_until_they_are_long_enough) {
    EXPECT_THAT(
        chunks_of(chunker_with(12), chat),
        ElementsAre(end_of_chunk{"Hello there.", sentence}, end_of_chunk{" No. Not so.", sentence},
                    end_of_chunk{" We open at eight.", sentence}, end_of_chunk{" Ask Bo.", end}));
}

TEST(min_chars, joins_a_short_sentence_with_a_long_one) {
    EXPECT_THAT(chunks_of(chunker_with(13), chat),
                ElementsAre(end_of_chunk{"Hello there.", sentence},
                            end_of_chunk{" No. Not so. We open at eight.", sentence},
                            end_of_chunk{" Ask Bo.", end}));
}

TEST(min_chars, is_off_at_zero) {
    for (const int off : {0, -1, 1})
        EXPECT_THAT(chunks_of(chunker_with(off), chat),
                    ElementsAre(end_of_chunk{"Hello there.", sentence},
                                end_of_chunk{" No.", sentence}, end_of_chunk{" Not so.", sentence},
                                end_of_chunk{" We open at eight.", sentence},
                                end_of_chunk{" Ask Bo.", end}))
            << off;
}

TEST(min_chars, does_not_delay_the_first_chunk) {
    auto chunks = chunker_with(1000);
    for (const auto t : {"Yes", ".", " We"}) chunks.feed(t);
    EXPECT_THAT(taken(chunks), ElementsAre(end_of_chunk{"Yes.", sentence}));
}

TEST(min_chars, leaves_the_least_tokens_of_the_first_chunk_as_they_are) {
    auto chunks = chunker_with(1, {5, 24, 96});
    for (const auto t : {"Yes", ".", " No", ".", " So", "."}) chunks.feed(t);
    chunks.feed(" We");
    EXPECT_THAT(taken(chunks), ElementsAre(end_of_chunk{"Yes. No. So.", sentence}));
}

TEST(min_chars, counts_characters_and_not_bytes) {
    const tokens russian{"Привет", ".", " Да", "!", " Ещё", " нет", ".", " Потом", "."};
    EXPECT_THAT(chunks_of(chunker_with(4), russian),
                ElementsAre(end_of_chunk{"Привет.", sentence}, end_of_chunk{" Да!", sentence},
                            end_of_chunk{" Ещё нет.", sentence}, end_of_chunk{" Потом.", end}));
    EXPECT_THAT(chunks_of(chunker_with(5), russian),
                ElementsAre(end_of_chunk{"Привет.", sentence},
                            end_of_chunk{" Да! Ещё нет.", sentence}, end_of_chunk{" Потом.", end}));
}

TEST(min_chars, does_not_hold_at_the_end_of_a_short_sentence) {
    auto chunks = chunker_with(20);
    for (const auto t : {"Hello", " Ann", ".", " Hi", " Bo"}) chunks.feed(t);
    taken(chunks);
    EXPECT_EQ(chunks.feed("!"), status::reading);
    EXPECT_EQ(chunks.on_hold_expired(), status::reading);
    for (const auto t : {" Please", " sit", " down", ","}) chunks.feed(t);
    chunks.feed(" Ed");
    EXPECT_EQ(chunks.feed("!"), status::holding);
    EXPECT_EQ(chunks.on_hold_expired(), status::ready);
    EXPECT_THAT(taken(chunks), ElementsAre(end_of_chunk{" Hi Bo! Please sit down, Ed!", sentence}));
}

TEST(min_chars, gives_a_short_rest_at_the_end) {
    EXPECT_THAT(chunks_of(chunker_with(500), {"Hello", " Ann", ".", " No", "."}),
                ElementsAre(end_of_chunk{"Hello Ann.", sentence}, end_of_chunk{" No.", end}));
}

TEST(min_chars, never_lengthens_a_chunk_beyond_its_limit) {
    auto chunks = chunker_with(500, {0, 24, 6});
    for (const auto t : {"Hello", " Ann", ".", " No", ".", " Not", " so", ".", " We"})
        chunks.feed(t);
    EXPECT_THAT(taken(chunks), ElementsAre(end_of_chunk{"Hello Ann.", sentence},
                                           end_of_chunk{" No. Not so.", sentence}));
    EXPECT_EQ(chunks.untaken_text(), " We");
}

TEST(min_chars, keeps_the_text_whole_and_its_chunks_within_the_limit) {
    constexpr std::string_view parts[] = {" Yes", ".", " no", "!", ",", " Dr", " word", "。",
                                          "好",   "?", "\n",  " ", "1", "é",   "\"",    " so"};
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 random(seed);
        const int most = 1 + static_cast<int>(random() % 20);
        auto chunks = chunker_with(static_cast<int>(random() % 40),
                                   {static_cast<int>(random() % 10), most, most});
        std::string fed;
        for (auto n = random() % 100; n > 0; --n) {
            const auto t = parts[random() % std::size(parts)];
            fed += t;
            chunks.feed(t);
            if (random() % 4 == 0) chunks.on_hold_expired();
        }
        chunks.finish();
        std::string all;
        while (chunks.current() == status::ready) {
            const auto p = chunks.take_chunk();
            // The token that the chunker reads after the limit may become part of the sentence end.
            ASSERT_LE(p.tokens, most + 1) << "seed " << seed;
            all += p.text;
        }
        ASSERT_EQ(all, fed) << "seed " << seed;
    }
}

}  // namespace
}  // namespace tandem::text
