#include "text/speech/speech_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace tandem::text {
namespace {

using ::testing::ElementsAre;
using runs = std::vector<speech_run>;

TEST(speech_run_builder, joins_what_is_alike) {
    speech_run_builder builder;
    builder.copy(2);
    builder.copy(3);
    builder.omit(1);
    builder.omit(4);
    builder.replace(6, 3);
    builder.replace(0, 2);
    EXPECT_THAT(builder.take(), ElementsAre(speech_run{5, 5}, speech_run{0, 5}, speech_run{6, 3},
                                            speech_run{0, 2}));
    EXPECT_THAT(builder.take(), ElementsAre());
}

TEST(speech_run_builder, takes_back_the_last_speech) {
    speech_run_builder builder;
    builder.copy(5);
    builder.omit(2);
    builder.drop_last_speech(2);
    EXPECT_THAT(builder.take(), ElementsAre(speech_run{3, 3}, speech_run{0, 4}));
}

TEST(text_place, is_known_for_copied_omitted_and_replaced_text) {
    const runs all{{2, 2}, {0, 4}, {6, 3}, {1, 1}};
    const auto place = [&](std::size_t spoken) {
        const auto p = find_text_place(all, spoken);
        return std::vector{p.before, p.after};
    };
    EXPECT_THAT(place(1), ElementsAre(1, 1));
    EXPECT_THAT(place(2), ElementsAre(2, 6));
    EXPECT_THAT(place(7), ElementsAre(6, 6));
    EXPECT_THAT(place(8), ElementsAre(9, 9));
    EXPECT_THAT(place(9), ElementsAre(10, 10));
}

TEST(text_place, of_words_as_long_as_those_they_replace_is_not_inside) {
    speech_run_builder builder;
    builder.replace(4, 4);
    builder.copy(1);
    const auto all = builder.take();
    for (std::size_t spoken = 1; spoken < 4; ++spoken)
        EXPECT_EQ(find_text_place(all, spoken).before, 0u);
    EXPECT_EQ(find_text_place(all, 4).before, 4u);
}

TEST(speech_offset, is_the_speech_before_a_byte_of_the_text) {
    const runs all{{2, 2}, {0, 4}, {1, 0}, {6, 3}, {1, 1}};
    const std::size_t expected[] = {0, 1, 2, 2, 2, 2, 2, 3, 3, 9};
    EXPECT_EQ(find_speech_offset(all, 1), 1u);
    for (std::size_t at = 0; at < std::size(expected); ++at)
        EXPECT_EQ(find_speech_offset(all, at), expected[at]) << at;
}

TEST(edited_speech, keeps_its_map) {
    const mapped_speech from{"ab Dr. c", {{0, 2}, {8, 8}, {0, 1}}};
    const speech_edit edits[] = {{0, 1, ""}, {3, 6, "Doctor"}, {8, 8, "!"}};
    const auto to = edit_speech(from, edits);
    EXPECT_EQ(to.speech, "b Doctor c!");
    EXPECT_THAT(to.runs, ElementsAre(speech_run{0, 3}, speech_run{2, 2}, speech_run{6, 3},
                                     speech_run{2, 2}, speech_run{1, 0}, speech_run{0, 1}));
}

}  // namespace
}  // namespace tandem::text
