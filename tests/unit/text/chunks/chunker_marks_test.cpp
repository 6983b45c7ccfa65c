// Marks for the voice at chunk limits, and the language by whose rules a chunk ends.

#include "text/chunks/chunker.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include "tandem/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::text {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts_of(std::vector<std::string_view> tokens, int first_max) {
    chunker chunks(make_boundary_detector(boundary_rule::spoken),
                   {.first_min_tokens = 0,
                    .first_max_tokens = first_max,
                    .mark_tags = {"clears throat", "emotion"}});
    for (const auto t : tokens) chunks.feed(t);
    chunks.finish();
    std::vector<std::string> texts;
    while (chunks.current() == chunker::status::ready) texts.push_back(chunks.take_chunk().text);
    return texts;
}

TEST(chunk_limit, leaves_a_mark_whole) {
    EXPECT_THAT(texts_of({"So", " I", " [", "clears", " throat", "]", " ok"}, 5),
                ElementsAre("So I ", "[clears throat] ok"));
    EXPECT_THAT(texts_of({"So", " I", " (", "clears", " thr", "oat", ")"}, 4),
                ElementsAre("So I ", "(clears throat)"));
    EXPECT_THAT(texts_of({"Hm", ", so", " I", " <emotion", " value=", "\"a b\"", "/>"}, 6),
                ElementsAre("Hm,", " so I <emotion value=\"a b\"/>"));
}

TEST(chunk_limit, does_not_heed_what_is_no_mark) {
    EXPECT_THAT(texts_of({"So", " I", " [", "clean", " it", "]", " ok"}, 5),
                ElementsAre("So I [clean", " it] ok"));
    EXPECT_THAT(texts_of({"So", " [clears throat]", " it", " is"}, 4),
                ElementsAre("So [clears throat] it", " is"));
}

TEST(chunk_limit, cuts_a_mark_that_alone_is_longer) {
    EXPECT_THAT(texts_of({"[", "clears", " thr", "oat", "]"}, 3),
                ElementsAre("[clears", " throat]"));
}

std::string language_of(std::string_view text, boundary_rule rule, std::string_view hint) {
    chunker chunks(make_boundary_detector(rule, hint), {});
    chunks.feed(text);
    chunks.finish();
    return chunks.take_chunk().language;
}

TEST(chunk_language, is_the_one_that_is_set_or_that_of_the_script) {
    EXPECT_EQ(language_of("Ja.", boundary_rule::spoken, "de-AT"), "de-AT");
    EXPECT_EQ(language_of("Yes.", boundary_rule::spoken, ""), "en");
    EXPECT_EQ(language_of("Да.", boundary_rule::spoken, ""), "ru");
    EXPECT_EQ(language_of("Да. Yes.", boundary_rule::classic, "ru"), "");
}

}  // namespace
}  // namespace tandem::text
