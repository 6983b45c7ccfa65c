#include "conversation/tool_call_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using tandem::wire::tool_call_text;

TEST(tool_call_text, has_the_name_and_the_arguments_as_they_were_written) {
    EXPECT_EQ(tool_call_text({"7", "weather", R"({"city": "Bonn",  "days":2})"}),
              R"({"name": "weather", "arguments": {"city": "Bonn",  "days":2}})");
}

TEST(tool_call_text, has_an_empty_object_where_there_are_no_arguments) {
    EXPECT_EQ(tool_call_text({"", "now", ""}), R"({"name": "now", "arguments": {}})");
}

TEST(tool_call_text, is_json_whatever_the_call) {
    for (const std::string arguments : {"{\"a\":", "}, \"x\": {", "\"\xFF\"", "\xFF", "{} {}"})
        for (const std::string name : {"a\"b", "a\nb", "\xC3"})
            EXPECT_TRUE(nlohmann::json::accept(tool_call_text({"", name, arguments})))
                << name << arguments;
    EXPECT_EQ(tool_call_text({"", "f", "a\"b"}), R"({"name": "f", "arguments": "a\"b"})");
}

}  // namespace
