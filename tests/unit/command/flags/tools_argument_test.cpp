#include "flags/tools_argument.hpp"

#include "unit/command/arguments_fixture.hpp"

#include <gmock/gmock.h>

namespace tandem::command {
namespace {

using ::testing::HasSubstr;

constexpr const char* tools = R"([{"type":"function","function":{"name":"f"}}])";
constexpr const char* with_command =
    R"([{"type":"function","function":{"name":"f"},"command":["f"],"timeout_ms":5}])";

class tools_arguments : public arguments {
 protected:
    std::string tools_of(const std::string& command, const std::string& value) {
        auto c = parse({command, command == "replay" ? "--user=x" : "--mock", "--tools", value});
        EXPECT_EQ(c.err, "");
        if (c.replay) return c.replay->service.client.generation.tools;
        return c.bench ? c.bench->service.client.generation.tools : "";
    }
};

TEST_F(tools_arguments, are_json_or_a_file_in_each_command) {
    const auto file = file_with(tools);
    for (const std::string command : {"replay", "bench"}) {
        EXPECT_EQ(tools_of(command, tools), tools);
        EXPECT_EQ(tools_of(command, file), tools);
    }
}

TEST_F(tools_arguments, that_are_empty_clear_those_of_the_configuration) {
    EXPECT_EQ(tools_of("replay", ""), "");
}

TEST_F(tools_arguments, lose_the_commands_that_only_a_chat_runs) {
    EXPECT_EQ(tools_of("replay", file_with(with_command)), tools);
    EXPECT_EQ(tools_of("replay", with_command), tools);
}

TEST_F(tools_arguments, name_the_file_that_cannot_be_used) {
    EXPECT_THAT(replay({"--tools", "no/file"}).err, HasSubstr("--tools no/file: No such file"));
    EXPECT_THAT(replay({"--tools", file_with("")}).err,
                HasSubstr("--tools " + file_ + ": is empty"));
    EXPECT_THAT(replay({"--tools", file_with("[1]")}).err,
                HasSubstr("--tools " + file_ + " is not a JSON list of objects"));
    EXPECT_THAT(replay({"--tools", "{}"}).err, HasSubstr("--tools is not a JSON list of objects"));
}

TEST(tools_without_commands, keep_what_is_no_list_of_objects) {
    for (const char* text : {"[", "{}", "[1]", " []"}) EXPECT_EQ(remove_command_fields(text), text);
}

}  // namespace
}  // namespace tandem::command
