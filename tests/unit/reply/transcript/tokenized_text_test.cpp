#include "reply/transcript/tokenized_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::detail::tokenized_text;
using testing::ElementsAre;
using testing::IsEmpty;

// "Hi" is token 1, " you" 2, "!" 3.
const tokenized_text said("Hi you!", {1, 2, 3}, {{2, 1}, {6, 2}, {7, 3}});

TEST(tokenized_text, gives_all_its_ids_to_a_prompt_that_continues_from_it) {
    const auto p = said.attach_known_ids("Hi you! And me?");
    EXPECT_THAT(p.ids, ElementsAre(1, 2, 3));
    EXPECT_EQ(p.bytes_with_ids, 7u);
    EXPECT_EQ(p.text, "Hi you! And me?");
}

TEST(tokenized_text, gives_the_ids_up_to_the_last_token_that_the_prompt_has_whole) {
    const auto p = said.attach_known_ids("Hi yo-yo");
    EXPECT_THAT(p.ids, ElementsAre(1));
    EXPECT_EQ(p.bytes_with_ids, 2u);
}

TEST(tokenized_text, gives_nothing_to_a_prompt_that_begins_otherwise) {
    for (const std::string prompt : {"", "H", "Ho ho"}) {
        const auto p = said.attach_known_ids(prompt);
        EXPECT_THAT(p.ids, IsEmpty()) << prompt;
        EXPECT_EQ(p.bytes_with_ids, 0u);
    }
}

TEST(tokenized_text, gives_nothing_if_nothing_is_known) {
    EXPECT_EQ(tokenized_text().attach_known_ids("Hi").bytes_with_ids, 0u);
    EXPECT_EQ(tokenized_text("Hi", {}, {}).attach_known_ids("Hi you").bytes_with_ids, 0u);
}

}  // namespace
