#include "wire/json/json_limits.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::wire::check_json;
using tandem::wire::json_fault;

json_fault fault_of(const std::string& text) {
    return check_json(text, {.depth = 3, .values = 6});
}

TEST(check_json, finds_no_fault_within_the_bounds) {
    EXPECT_EQ(fault_of("1"), json_fault::none);
    EXPECT_EQ(fault_of(R"([[[1, "a", null]]])"), json_fault::none);
    EXPECT_EQ(fault_of(R"({"a": {"b": true}, "c": -1.5})"), json_fault::too_many_values);
    EXPECT_EQ(fault_of(R"({"a": {"b": true}})"), json_fault::none);
}

TEST(check_json, counts_depth_and_not_lists) {
    EXPECT_EQ(fault_of("[[],[],[]]"), json_fault::none);
    EXPECT_EQ(fault_of("[[[]]]"), json_fault::none);
    EXPECT_EQ(fault_of("[[[[]]]]"), json_fault::too_deep);
    EXPECT_EQ(fault_of(R"({"a":[{"b":{}}]})"), json_fault::too_deep);
}

TEST(check_json, counts_values_of_all_kinds) {
    EXPECT_EQ(fault_of("[1,-1,1.5,null,true]"), json_fault::none);
    EXPECT_EQ(fault_of("[1,-1,1.5,null,true,\"\"]"), json_fault::too_many_values);
}

TEST(check_json, counts_the_keys_of_each_object_alone) {
    const auto fault = [](const char* text) {
        return check_json(text, {.depth = 3, .values = 100, .keys = 2});
    };
    EXPECT_EQ(fault(R"([{"a":1,"b":{"c":1,"d":1}},{"e":1,"f":1}])"), json_fault::none);
    EXPECT_EQ(fault(R"([{"a":1,"b":{"c":1,"d":1},"e":1}])"), json_fault::too_many_keys);
}

TEST(check_json, refuses_what_is_no_json) {
    for (const auto* text : {"", "[", "[1", "nul", "1 2", "\"\xFF\"", "{a:1}", "[1,]"})
        EXPECT_EQ(fault_of(text), json_fault::not_json) << text;
    // The parser would treat a NUL byte as the end of the text.
    EXPECT_EQ(fault_of(std::string("{}\0{", 4)), json_fault::not_json);
}

TEST(check_json, stops_at_the_first_fault) {
    EXPECT_EQ(fault_of("[[[[]]]"), json_fault::too_deep);
    EXPECT_EQ(fault_of("[1,2,3,4,5,6,"), json_fault::too_many_values);
}

TEST(describe_json_fault, follow_a_name) {
    const auto words = [](const std::string& text) {
        return tandem::wire::describe_json_fault(text, {.depth = 3, .values = 6, .keys = 2});
    };
    EXPECT_EQ(words("[1]"), "");
    EXPECT_EQ(words("[1,,2]"), "is not valid JSON near byte 4");
    EXPECT_EQ(words(std::string("{}\0{", 4)), "is not JSON: it has a NUL byte");
    EXPECT_EQ(words("[[[[]]]]"), "is nested deeper than 3 levels");
    EXPECT_EQ(words("[1,2,3,4,5,6]"), "has more than 6 values and keys");
    EXPECT_EQ(words(R"({"a":1,"b":1,"c":1})"), "has an object of more than 2 keys");
}

TEST(prune_deep_json, has_null_for_what_is_nested_deeper) {
    const struct {
        std::string text, shallow;
    } rows[] = {
        {"[[1],{\"a\":2}]", "[[1],{\"a\":2}]"},
        {"[[[1]]]", "[[null]]"},
        {"[{\"a\":[1,[2]],\"b\":{}},3]", "[{\"a\":null,\"b\":null},3]"},
        {"[[\"[[[\",[]]]", "[[\"[[[\",null]]"},
        {R"([["\"[[",[]]])", R"([["\"[[",null]])"},
        {R"([["\\",[]]])", R"([["\\",null]])"},
        {"[[[", "[[null"},
        {"]]", "]]"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(tandem::wire::prune_deep_json(row.text, 2), row.shallow) << row.text;
}

}  // namespace
