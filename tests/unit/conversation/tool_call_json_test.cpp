#include "conversation/history/conversation_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using tandem::wire::format_tool_call;

TEST(format_tool_call, has_the_name_and_the_arguments_as_they_were_written) {
    EXPECT_EQ(format_tool_call({"7", "weather", R"({"city": "Bonn",  "days":2})"}),
              R"({"name": "weather", "arguments": {"city": "Bonn",  "days":2}})");
}

TEST(format_tool_call, has_an_empty_object_if_there_are_no_arguments) {
    EXPECT_EQ(format_tool_call({"", "now", ""}), R"({"name": "now", "arguments": {}})");
}

TEST(format_tool_call, is_json_whatever_the_call) {
    for (const std::string arguments : {"{\"a\":", "}, \"x\": {", "\"\xFF\"", "\xFF", "{} {}"})
        for (const std::string name : {"a\"b", "a\nb", "\xC3"})
            EXPECT_TRUE(nlohmann::json::accept(format_tool_call({"", name, arguments})))
                << name << arguments;
    EXPECT_EQ(format_tool_call({"", "f", "a\"b"}), R"({"name": "f", "arguments": "a\"b"})");
}

}  // namespace
