#include "wire/json/json_path.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::wire::append_field_path;
using tandem::wire::find_duplicate_field;

TEST(append_field_path, names_a_field_of_what_is_around_it) {
    EXPECT_EQ(append_field_path("", "keys"), "keys");
    EXPECT_EQ(append_field_path("keys[2]", "name"), "keys[2].name");
}

TEST(append_field_path, repeats_no_name_that_may_be_a_secret_or_break_a_line) {
    EXPECT_EQ(append_field_path("", "tdm_" + std::string(43, 'k')), "(name of 47 bytes)");
    EXPECT_EQ(append_field_path("a", "x\ny"), "a.(name of 3 bytes)");
    EXPECT_EQ(append_field_path("a", ""), "a.(name of 0 bytes)");
    EXPECT_EQ(append_field_path("", "\xFF"), "(name of 1 bytes)");
}

struct repeated_case {
    const char* text;
    const char* path;
};

class repeated : public ::testing::TestWithParam<repeated_case> {};

TEST_P(repeated, is_reported_by_its_path) {
    const auto& c = GetParam();
    EXPECT_EQ(find_duplicate_field(c.text).value_or("none"), c.path) << c.text;
}

INSTANTIATE_TEST_SUITE_P(
    field, repeated,
    ::testing::Values(repeated_case{"1", "none"}, repeated_case{"[]", "none"},
                      repeated_case{"[1,1]", "none"},
                      repeated_case{R"({"a":1,"b":{"a":1}})", "none"},
                      repeated_case{R"([{"a":1},{"a":1}])", "none"},
                      repeated_case{R"({"a":{"b":1},"c":{"b":1}})", "none"},
                      repeated_case{R"({"a":1,"a":1})", "a"},
                      repeated_case{R"({"a":{},"b":[],"a":{}})", "a"},
                      repeated_case{R"({"a":1,"\u0061":1})", "a"},
                      repeated_case{R"({"l":[0,[],{"x":1,"y":[{}],"x":2}]})", "l[2].x"},
                      repeated_case{R"([[],[[],{"o":{"p":0,"p":0}}]])", "[1][1].o.p"}));

}  // namespace
