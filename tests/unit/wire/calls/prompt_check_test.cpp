#include "wire/calls/prompt_check.hpp"

#include "wire/json/wire_limits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using tandem::chat_message;
using tandem::errc;
using tandem::tool_call;
using tandem::wire::check_messages;
using tandem::wire::check_raw_prompt;
using tandem::wire::check_request_text;
using tandem::wire::check_slot_file_name;

TEST(sendable, is_valid_text_of_any_kind) {
    EXPECT_FALSE(check_request_text("the text", ""));
    EXPECT_FALSE(check_raw_prompt("caf\xC3\xA9 \xF0\x9F\x98\x80\n"));
}

TEST(sendable, is_no_text_that_is_not_utf8) {
    const auto why = check_request_text("message 3", "ab\xFF");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_prompt);
    EXPECT_EQ(why->diag.client_message, "message 3 is not valid UTF-8 at byte 2");
}

TEST(sendable, is_no_prompt_that_ends_inside_a_character) {
    const auto why = check_raw_prompt("caf\xC3");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->diag.client_message, "the prompt is not valid UTF-8 at byte 3");
}

TEST(sendable, is_no_prompt_without_words) {
    for (const auto* const prompt : {"", " \n\u3000"}) {
        const auto why = check_raw_prompt(prompt);
        ASSERT_TRUE(why);
        EXPECT_EQ(why->ec, errc::invalid_prompt);
        EXPECT_EQ(why->diag.client_message, "the prompt is empty or only white space");
    }
}

TEST(sendable, is_a_prompt_up_to_the_bound) {
    std::string prompt(tandem::wire::max_prompt_bytes, 'a');
    EXPECT_FALSE(check_raw_prompt(prompt));
    prompt += 'a';
    const auto why = check_raw_prompt(prompt);
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_prompt);
    EXPECT_EQ(why->diag.client_message,
              "the prompt has 67108865 bytes; at most 67108864 can be sent");
}

chat_message tool_message() {
    return {.role = "tool", .content = "No.", .tool_call_id = "c1", .name = "rain"};
}

chat_message calling_message() {
    return {.role = "assistant",
            .content = "",
            .tool_calls = {{.id = "c0", .name = "now", .arguments = "{}"},
                           {.id = "c1", .name = "rain", .arguments = "{}"}}};
}

std::string refusal_of(const chat_message& m) {
    const std::vector<chat_message> messages{{"user", "Rain?"}, m};
    const auto why = check_messages(messages);
    EXPECT_TRUE(!why || why->ec == errc::invalid_prompt);
    return why ? why->diag.client_message : "";
}

TEST(sendable, are_messages_with_tool_calls_and_results) {
    EXPECT_EQ(refusal_of(tool_message()), "");
    EXPECT_EQ(refusal_of(calling_message()), "");
    EXPECT_EQ(refusal_of({}), "");
}

TEST(sendable, is_no_message_with_a_text_that_is_not_utf8) {
    const struct {
        std::string chat_message::*text;
        std::string name;
    } table[] = {{&chat_message::role, "role"},
                 {&chat_message::content, "content"},
                 {&chat_message::tool_call_id, "tool_call_id"},
                 {&chat_message::name, "name"}};
    for (const auto& row : table) {
        auto message = tool_message();
        message.*row.text = "a\xFF";
        EXPECT_EQ(refusal_of(message),
                  "the " + row.name + " of message 1 is not valid UTF-8 at byte 1");
    }
}

TEST(sendable, is_no_tool_call_with_a_text_that_is_not_utf8) {
    const struct {
        std::string tool_call::*text;
        std::string name;
    } table[] = {
        {&tool_call::id, "id"}, {&tool_call::name, "name"}, {&tool_call::arguments, "arguments"}};
    for (const auto& row : table) {
        auto message = calling_message();
        message.tool_calls[1].*row.text = "\xC3";
        EXPECT_EQ(refusal_of(message),
                  "the " + row.name + " of tool call 1 of message 1 is not valid UTF-8 at byte 0");
    }
}

TEST(sendable, is_a_file_name_of_plain_characters) {
    for (const std::string& name :
         {std::string("a"), std::string("call-7_b.2.bin"), std::string("-"), std::string(128, 'Z')})
        EXPECT_FALSE(check_slot_file_name(name)) << name;
}

TEST(sendable, is_no_file_name_that_is_hidden_or_leads_elsewhere) {
    for (const std::string& name :
         {std::string(), std::string("."), std::string(".."), std::string(".a"), std::string("a/b"),
          std::string("a\\b"), std::string("a b"), std::string("caf\xC3\xA9"), std::string("a:b"),
          std::string("a\0b", 3), std::string(129, 'a')}) {
        const auto why = check_slot_file_name(name);
        ASSERT_TRUE(why) << name;
        EXPECT_EQ(why->ec, errc::bad_request);
    }
}

TEST(sendable, is_no_file_name_without_a_word_about_it) {
    const std::string rule =
        "\" cannot be the name of a slot's file: it must be 1 to 128 of A-Z, a-z, 0-9, '.', '_' "
        "and '-', and not start with '.'";
    EXPECT_EQ(check_slot_file_name("../etc")->diag.client_message, "\"../etc" + rule);
    EXPECT_EQ(check_slot_file_name("a\n\xFF")->diag.client_message, "\"a \xEF\xBF\xBD" + rule);
    EXPECT_EQ(check_slot_file_name(std::string(5000, 'a'))->diag.client_message,
              "\"" + std::string(128, 'a') + "..." + rule);
}

}  // namespace
