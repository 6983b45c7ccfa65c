// The fields of a configuration with words to replace and marks for the voice.

#include "tandem/config.hpp"
#include "tandem/config_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace {

using namespace tandem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string fault_of(speech_replacements words) {
    config c;
    c.speech.replace = std::move(words);
    const auto faults = check(c);
    return faults.empty() ? "" : faults[0].field + " " + faults[0].message;
}

std::string tag_fault_of(std::string tag) {
    config c;
    c.speech.mark_tags = {std::move(tag)};
    const auto faults = check(c);
    return faults.empty() ? "" : faults[0].field + " " + faults[0].message;
}

TEST(speech_replace, takes_one_word_a_call_or_none) {
    config c;
    EXPECT_EQ(set_field(c, "speech_replace", "Dr.=Doctor"), std::nullopt);
    EXPECT_EQ(set_field(c, "speech_replace", "1+1=1 plus 1 = 2"), std::nullopt);
    EXPECT_THAT(c.speech.replace, ElementsAre(Pair("1+1", "1 plus 1 = 2"), Pair("Dr.", "Doctor")));
    EXPECT_EQ(field_text(c, "speech_replace"), "1+1=1 plus 1 = 2, Dr.=Doctor");
    EXPECT_EQ(set_field(c, "speech_replace", "none"), std::nullopt);
    EXPECT_THAT(c.speech.replace, ElementsAre());
    for (const auto* wrong : {"Doctor", "=Doctor", ""})
        EXPECT_THAT(set_field(c, "speech_replace", wrong).value_or(""),
                    HasSubstr("such as Dr.=Doctor"));
}

TEST(speech_replace, has_bounds) {
    EXPECT_EQ(fault_of({{std::string(64, 'a'), std::string(256, 'b')}}), "");
    EXPECT_THAT(fault_of({{std::string(65, 'a'), "b"}}), HasSubstr("must have 1 to 64"));
    EXPECT_THAT(fault_of({{"a", std::string(257, 'b')}}), HasSubstr("must have 1 to 256"));
    EXPECT_THAT(fault_of({{"a", ""}}), HasSubstr("1 to 256"));
    EXPECT_THAT(fault_of({{"a ", "b"}}), HasSubstr("white space"));
    EXPECT_THAT(fault_of({{"a=b", "c"}}), HasSubstr("must not contain ="));
    EXPECT_THAT(fault_of({{"a", "\xFF"}}), HasSubstr("UTF-8"));
    speech_replacements many;
    for (int i = 0; i < 129; ++i) many[std::to_string(i)] = "n";
    EXPECT_THAT(fault_of(many), HasSubstr("speech_replace has 129 words; the maximum is 128"));
}

TEST(speech_mark_tags, are_words) {
    for (const auto* good : {"laughs", "clears throat", "fl\xC3\xBCstert", "clear_throat", "S1"})
        EXPECT_EQ(tag_fault_of(good), "");
    for (const auto* bad : {"", " a", "a.", "a]", "a\nb", "\xFF"})
        EXPECT_THAT(tag_fault_of(bad), HasSubstr("speech_mark_tags"));
    EXPECT_THAT(tag_fault_of(std::string(65, 'a')), HasSubstr("1 to 64 bytes"));
    config c;
    c.speech.mark_tags.assign(129, "a");
    EXPECT_THAT(check(c)[0].message, HasSubstr("has 129 texts; the maximum is 128"));
}

TEST(speech_marks, are_dropped_kept_or_reported) {
    config c;
    EXPECT_EQ(set_field(c, "speech_marks", "report"), std::nullopt);
    EXPECT_EQ(c.speech.marks, mark_speech::report);
    EXPECT_THAT(set_field(c, "speech_marks", "eat").value_or(""),
                HasSubstr("drop, keep or report"));
    c.speech.marks = static_cast<mark_speech>(9);
    EXPECT_THAT(check(c)[0].message, HasSubstr("not a valid value"));
}

}  // namespace
