#include "reply/machine/known_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::detail::known_text;
using testing::ElementsAre;
using testing::IsEmpty;

// "Hi" is token 1, " you" 2, "!" 3.
const known_text said("Hi you!", {1, 2, 3}, {{2, 1}, {6, 2}, {7, 3}});

TEST(known_text, gives_all_its_ids_to_a_prompt_that_goes_on_from_it) {
    const auto p = said.begin("Hi you! And me?");
    EXPECT_THAT(p.ids, ElementsAre(1, 2, 3));
    EXPECT_EQ(p.known_bytes, 7u);
    EXPECT_EQ(p.text, "Hi you! And me?");
}

TEST(known_text, gives_the_ids_up_to_the_last_token_that_the_prompt_has_whole) {
    const auto p = said.begin("Hi yo-yo");
    EXPECT_THAT(p.ids, ElementsAre(1));
    EXPECT_EQ(p.known_bytes, 2u);
}

TEST(known_text, gives_nothing_to_a_prompt_that_begins_otherwise) {
    for (const std::string prompt : {"", "H", "Ho ho"}) {
        const auto p = said.begin(prompt);
        EXPECT_THAT(p.ids, IsEmpty()) << prompt;
        EXPECT_EQ(p.known_bytes, 0u);
    }
}

TEST(known_text, gives_nothing_where_nothing_is_known) {
    EXPECT_EQ(known_text().begin("Hi").known_bytes, 0u);
    EXPECT_EQ(known_text("Hi", {}, {}).begin("Hi you").known_bytes, 0u);
}

}  // namespace
