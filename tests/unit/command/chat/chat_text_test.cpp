#include "chat/chat_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string joined(std::initializer_list<std::string> texts) {
    std::string all;
    std::string pending_space;
    for (const auto& t : texts) all += wrap_continued_text(t, pending_space);
    return all;
}

TEST(a_chats_text, runs_on_from_chunk_to_chunk) {
    EXPECT_EQ(joined({"One.", " Two."}), "One. Two.");
    EXPECT_EQ(joined({"One. ", "Two."}), "One. Two.");
    EXPECT_EQ(joined({"Unspa", "ced"}), "Unspaced");
}

TEST(a_chats_text, keeps_its_line_breaks) {
    EXPECT_EQ(joined({"One:\n- a\n- b"}), "One:\n- a\n- b");
    EXPECT_EQ(joined({"One.\n\n", "Two."}), "One.\n\nTwo.");
    EXPECT_EQ(joined({"One.", " \n", "Two."}), "One.\nTwo.");
}

TEST(a_chats_text, cannot_steer_the_terminal) {
    EXPECT_THAT(joined({"a\x1b[2Jb"}), HasSubstr("a�[2Jb"));
}

struct placed_text_row {
    const char* before;
    const char* text;
    text_position place;
    const char* shown;
};

class a_chats_text_in_a_terminal : public ::testing::TestWithParam<placed_text_row> {};

TEST_P(a_chats_text_in_a_terminal, is_wrapped_at_words) {
    std::string pending_space = GetParam().before;
    EXPECT_EQ(wrap_continued_text(GetParam().text, pending_space, GetParam().place),
              GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(rows, a_chats_text_in_a_terminal,
                         ::testing::Values(placed_text_row{"", "One two.", {8, 0}, "One two."},
                                           placed_text_row{"", "One two!!", {8, 0}, "One\ntwo!!"},
                                           placed_text_row{"", " two", {8, 4}, " two"},
                                           placed_text_row{"", " two", {8, 5}, "\ntwo"},
                                           placed_text_row{" ", "two", {8, 8}, "\ntwo"},
                                           placed_text_row{"", "ced", {8, 6}, "\nced"},
                                           placed_text_row{"\n", "two", {8, 6}, "\ntwo"},
                                           placed_text_row{
                                               "", "0123456789", {8, 0}, "01234567\n89"}));

TEST(what_a_chat_tells, is_wrapped_and_indented) {
    EXPECT_EQ(format_notice("no sound here", 20), "tandem chat: no\n    sound here");
    EXPECT_EQ(format_notice("no sound here"), "tandem chat: no sound here");
    EXPECT_EQ(indented_lines("voice to voice", 12), "  voice to\n    voice");
}

spoken_timing some_timing() {
    spoken_timing t;
    t.stage.detector = 200ms;
    t.stage.first_token = 30ms;
    t.synthesis = 12500us;
    return t;
}

TEST(the_times_of_a_reply, leave_out_what_took_none) {
    EXPECT_EQ(format_timing(some_timing()),
              "voice to voice 242 ms: detector 200 ms, first token 30 ms, synthesis 12 ms");
}

TEST(an_interrupt, reports_what_history_keeps) {
    const reply_result r;
    EXPECT_EQ(format_interruption({.result = r}), "[interrupted, nothing was heard]");
    EXPECT_EQ(format_interruption({.result = r, .kept = "A fox went"}),
              "[interrupted, heard up to \"A fox went\"]");
}

TEST(a_chunks_json_line, has_its_sound_and_the_silence_before) {
    const chunk c{.id = {7, 2}, .text = " *Hi*.", .speech = "Hi.", .boundary = boundary::sentence};
    const auto line = json::parse(json_line(spoken_chunk{.where = {1, 2},
                                                         .chunk = c,
                                                         .at = 3s,
                                                         .length = 1500ms,
                                                         .synthesis = 20ms,
                                                         .silence = 250ms,
                                                         .has_sound = true}));
    EXPECT_EQ(line,
              json::parse(R"({"event": "chunk", "turn": 1, "reply": 2, "seq": 2, "text": " *Hi*.",
        "speech": "Hi.", "boundary": "sentence", "at_ms": 3000.0, "sound_ms": 1500.0,
        "has_sound": true, "synthesis_ms": 20.0, "silence_ms": 250.0})"));
}

TEST(a_replys_json_line, has_parts_that_add_up) {
    const reply_result r{.finish_reason = finish_reason::eos, .text = "Hi."};
    const auto line = json::parse(json_line(
        spoken_reply_end{.where = {1, 2}, .result = r, .kept = "Hi.", .timing = some_timing()}));
    EXPECT_EQ(line["reply"], 2);
    EXPECT_EQ(line["history"], "Hi.");
    double sum = 0;
    for (const auto& part : line["voice_to_voice"]["parts_ms"]) sum += part.get<double>();
    EXPECT_DOUBLE_EQ(sum, 242.5);
    EXPECT_EQ(line["voice_to_voice"]["total_ms"], 242.5);
    EXPECT_FALSE(line.contains("code"));
}

TEST(a_replys_json_line, names_the_functions_that_a_reply_called) {
    const tool_call call{.id = "1", .name = "get_time", .arguments = R"({"zone":"UTC"})"};
    EXPECT_EQ(format_function_call(call), R"([calls get_time {"zone":"UTC"}])");
    const reply_result r{.finish_reason = finish_reason::tool_calls, .calls = {call}};
    EXPECT_EQ(json::parse(json_line(spoken_reply_end{.result = r})).at("calls"),
              json::parse(R"([{"id":"1","name":"get_time","arguments":"{\"zone\":\"UTC\"}"}])"));
}

function_result noon() {
    return {.call = {.id = "1", .name = "get_time"},
            .content = "12:00\nUTC",
            .how = function_result::outcome::returned,
            .took = 5ms};
}

TEST(the_result_of_a_function, is_shown_on_one_line) {
    auto r = noon();
    EXPECT_EQ(format_function_result(r), "[get_time: 12:00 UTC]");
    r.how = function_result::outcome::interrupted;
    EXPECT_EQ(format_function_result(r), "[get_time was interrupted]");
}

TEST(the_result_of_a_function, is_a_json_line) {
    EXPECT_EQ(json::parse(json_line({3, 1}, noon())),
              json::parse(R"({"event":"result","turn":3,"reply":1,
        "id":"1","name":"get_time","outcome":"returned","content":"12:00\nUTC","ms":5.0})"));
}

TEST(a_replys_json_line, has_its_error) {
    reply_result r;
    r.error = errc::no_model;
    const auto line = json::parse(json_line(spoken_reply_end{.result = r, .hint = "wait"}));
    EXPECT_EQ(line["code"], "no_model");
    EXPECT_THAT(line["message"].get<std::string>(),
                AllOf(Not(HasSubstr("no_model")), HasSubstr("; wait")));
    EXPECT_TRUE(line["voice_to_voice"].is_null());
}

}  // namespace
}  // namespace tandem::command
