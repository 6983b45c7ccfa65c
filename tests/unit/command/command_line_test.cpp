#include "arguments_fixture.hpp"

#include "tandem/config_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::command;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(arguments, leave_the_defaults) {
    const auto c = replay({});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.slots, std::nullopt);
    EXPECT_EQ(c.replay->service.client.server.reuse_guard, tandem::auto_guard);
    EXPECT_EQ(c.replay->service.client.generation.temperature, std::nullopt);
    EXPECT_EQ(c.replay->concurrency, 1);
    EXPECT_FALSE(c.replay->json);
    EXPECT_THAT(c.replay->prompts, ElementsAre("x"));
}

TEST_F(arguments, have_a_flag_for_each_field_of_the_configuration) {
    const auto help = parse({"replay", "--help=all"}).out;
    tandem::config defaults;
    tandem::for_each_field(defaults, [&](const tandem::field_info& f, const auto&) {
        EXPECT_THAT(help, HasSubstr(flag_name(f.name)));
    });
}

TEST_F(arguments, have_values_of_every_kind) {
    const auto c = replay({"--reuse-guard", "250ms", "--temperature=0.5", "--seed", "-1",
                           "--presence-penalty", "-.5", "--erase-after-cut", "--stop", "[a,b]",
                           "--stop", "c", "--server", "http://host:1"});
    ASSERT_TRUE(c.replay) << c.err;
    const auto& s = c.replay->service.client;
    EXPECT_EQ(s.server.reuse_guard, 250ms);
    EXPECT_EQ(s.generation.temperature, 0.5);
    EXPECT_EQ(s.generation.seed, -1);
    EXPECT_EQ(s.generation.presence_penalty, -0.5);
    EXPECT_TRUE(s.server.erase_after_cut);
    EXPECT_THAT(s.generation.stop, ElementsAre("[a,b]", "c"));
    EXPECT_EQ(s.server.url, "http://host:1");
}

TEST_F(arguments, may_name_several_servers) {
    const auto c = replay({"--url", "http://a:1", "--server", "http://b:1"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_THAT(c.replay->service.servers, ElementsAre("http://a:1", "http://b:1"));
}

TEST_F(arguments, have_the_servers_of_the_uppermost_source) {
    const std::vector<std::string> file{"--config",
                                        file_with(R"({"servers": ["http://a:1", "http://b:1"]})")};
    auto c = replay(file);
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_THAT(c.replay->service.servers, ElementsAre("http://a:1", "http://b:1"));
    variables_ = {{"TANDEM_URL", "http://c:1"}};
    c = replay(file);
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_THAT(c.replay->service.servers, ElementsAre("http://c:1"));
}

TEST_F(arguments, have_one_list_of_servers_in_the_file) {
    const auto url = R"({"url": "http://a:1", "servers": ["http://b:1"]})";
    EXPECT_THAT(replay({"--config", file_with(url)}).err,
                HasSubstr("url and servers are both given; use only one of them"));
    EXPECT_THAT(replay({"--config", file_with(R"({"servers": "http://b:1"})")}).err,
                HasSubstr("servers must be a list of strings"));
}

TEST_F(arguments, run_as_many_at_a_time_as_there_are_conversations) {
    const auto c = replay({"--conversations", "3"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->conversations, 3);
    EXPECT_EQ(c.replay->concurrency, 3);
    EXPECT_EQ(replay({"--conversations", "3", "--concurrency", "2"}).replay->concurrency, 2);
}

TEST_F(arguments, report_how_conversations_are_held) {
    const auto c = replay(
        {"--placement", "round_robin", "--interrupted", "handed_over", "--interrupted-mark", "…"});
    ASSERT_TRUE(c.replay) << c.err;
    const auto& s = c.replay->service;
    EXPECT_EQ(s.placement, tandem::placement::round_robin);
    EXPECT_EQ(s.conversation.interrupted, tandem::history_policy::handed_over);
    EXPECT_EQ(s.conversation.interrupted_mark, "…");
}

TEST_F(arguments, hold_conversations_as_the_library_does_by_default) {
    const auto c = replay({});
    ASSERT_TRUE(c.replay) << c.err;
    const tandem::service_config defaults;
    EXPECT_EQ(c.replay->service.placement, defaults.placement);
    EXPECT_EQ(c.replay->service.conversation, defaults.conversation);
}

TEST_F(arguments, report_whether_slots_are_asked_for) {
    const auto slots = [&](const std::vector<std::string>& flags) {
        return replay(flags).replay->service.client.server.slots;
    };
    EXPECT_EQ(slots({}), std::nullopt);
    EXPECT_EQ(slots({"--slots", "2"}), 2);
    variables_ = {{"TANDEM_SLOTS", "3"}};
    EXPECT_EQ(slots({}), 3);
}

TEST_F(arguments, may_leave_the_guard_to_the_build_of_the_server) {
    for (const auto& args : {std::vector<std::string>{"--reuse-guard", "auto"},
                             {"--config", file_with(R"({"reuse_guard": "auto"})")}}) {
        const auto c = replay(args);
        ASSERT_TRUE(c.replay) << c.err;
        EXPECT_EQ(c.replay->service.client.server.reuse_guard, tandem::auto_guard);
    }
    variables_ = {{"TANDEM_REUSE_GUARD", "auto"}};
    const auto c = replay({});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.reuse_guard, tandem::auto_guard);
}

TEST_F(arguments, have_prompts_that_look_like_flags_or_lists) {
    const auto c = parse({"replay", "--prompt", "--json", "--prompt", "[a,b]", "--user", "-x"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_THAT(c.replay->prompts, ElementsAre("--json", "[a,b]"));
    EXPECT_THAT(c.replay->user_messages, ElementsAre("-x"));
    EXPECT_FALSE(c.replay->json);
}

TEST_F(arguments, count_the_last_of_a_flag_that_is_repeated) {
    const auto c = replay({"--slots", "3", "--slots", "4"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.slots, 4);
}

TEST_F(arguments, let_the_file_win_over_the_defaults) {
    const auto c = replay({"--config", file_with(R"({"slots": 3, "reuse_guard": 0.5,
        "peek_hold": "10ms", "temperature": 1, "erase_after_cut": true, "stop": ["a", "b"]})")});
    ASSERT_TRUE(c.replay) << c.err;
    const auto& s = c.replay->service.client;
    EXPECT_EQ(s.server.slots, 3);
    EXPECT_EQ(s.server.reuse_guard, 500ms);
    EXPECT_EQ(s.chunking.peek_hold, 10ms);
    EXPECT_EQ(s.generation.temperature, 1.0);
    EXPECT_TRUE(s.server.erase_after_cut);
    EXPECT_THAT(s.generation.stop, ElementsAre("a", "b"));
}

TEST_F(arguments, let_variables_win_over_the_file) {
    variables_ = {{"TANDEM_SLOTS", "4"}, {"TANDEM_STOP", "c"}};
    const auto c = replay({"--config", file_with(R"({"slots": 3, "stop": ["a", "b"]})")});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.slots, 4);
    EXPECT_THAT(c.replay->service.client.generation.stop, ElementsAre("c"));
}

TEST_F(arguments, let_flags_win_over_variables) {
    variables_ = {{"TANDEM_SLOTS", "4"}, {"TANDEM_STOP", "c"}};
    const auto c = replay({"--slots", "5", "--stop", "d", "--stop", "e"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.slots, 5);
    EXPECT_THAT(c.replay->service.client.generation.stop, ElementsAre("d", "e"));
}

TEST_F(arguments, have_pairs_of_reasoning_tags_in_place_of_the_default_ones) {
    const auto c = replay({"--reasoning-tags", "<a> </a>", "--reasoning-tags", "<b> </b>"});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_THAT(c.replay->service.client.speech.reasoning_tags,
                ElementsAre(tandem::tag_pair{"<a>", "</a>"}, tandem::tag_pair{"<b>", "</b>"}));
    const auto none = replay({"--reasoning-tags", "none"});
    ASSERT_TRUE(none.replay) << none.err;
    EXPECT_THAT(none.replay->service.client.speech.reasoning_tags, ElementsAre());
}

TEST_F(arguments, have_pairs_of_reasoning_tags_in_the_file) {
    const auto c =
        replay({"--config", file_with(R"({"reasoning_tags": [["<a>", "</a>"], ["<b>", "b c"]]})")});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_THAT(c.replay->service.client.speech.reasoning_tags,
                ElementsAre(tandem::tag_pair{"<a>", "</a>"}, tandem::tag_pair{"<b>", "b c"}));
    for (const auto* empty : {R"({"reasoning_tags": []})", R"({"reasoning_tags": "none"})"}) {
        const auto none = replay({"--config", file_with(empty)});
        ASSERT_TRUE(none.replay) << none.err;
        EXPECT_THAT(none.replay->service.client.speech.reasoning_tags, ElementsAre());
    }
}

TEST_F(arguments, have_words_to_speak_in_flags_in_place_of_those_in_the_file) {
    const auto file = file_with(R"({"speech_replace": {"Dr.": "Doctor", "a": "b = c"}})");
    auto c = replay({"--config", file});
    EXPECT_EQ(c.replay.value().service.client.speech.replace,
              (tandem::speech_replacements{{"Dr.", "Doctor"}, {"a", "b = c"}}));
    c = replay({"--config", file, "--speech-replace", "x=y", "--speech-replace", "kWh=k"});
    EXPECT_EQ(c.replay.value().service.client.speech.replace,
              (tandem::speech_replacements{{"kWh", "k"}, {"x", "y"}}));
}

TEST_F(arguments, refuse_reasoning_tags_that_are_no_pairs) {
    for (const auto* wrong :
         {R"({"reasoning_tags": ["<a>", "</a>"]})", R"({"reasoning_tags": [["<a>"]]})",
          R"({"reasoning_tags": [["a b", "c"]]})", R"({"reasoning_tags": "<a>"})",
          R"({"reasoning_tags": 1})"}) {
        const auto c = replay({"--config", file_with(wrong)});
        EXPECT_FALSE(c.replay) << wrong;
        EXPECT_THAT(c.err, HasSubstr("must be a list of pairs")) << wrong;
    }
}

TEST_F(arguments, leave_foreign_and_empty_variables_alone) {
    variables_ = {{"TANDEM_LLAMA_SERVER_DIR", "/x"}, {"TANDEM_SLOTS", ""}};
    const auto c = replay({});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.slots, std::nullopt);
}

TEST_F(arguments, bring_the_key_from_a_file_without_its_line_end) {
    const auto c = replay({"--api-key-file", file_with("secret\r\n")});
    ASSERT_TRUE(c.replay) << c.err;
    EXPECT_EQ(c.replay->service.client.server.api_key, "secret");
}

TEST_F(arguments, never_show_a_key) {
    variables_["TANDEM_API_KEY"] = "sec\x01ret";
    const auto from_variable = replay({});
    EXPECT_EQ(from_variable.status, 2);
    EXPECT_THAT(from_variable.err, AllOf(HasSubstr("TANDEM_API_KEY"), Not(HasSubstr("sec"))));
    const auto from_file = replay({"--config", file_with(R"({"api_key": ["sesame"]})")});
    EXPECT_THAT(from_file.err,
                AllOf(HasSubstr("api_key must be a string"), Not(HasSubstr("sesame"))));
    const auto broken = replay({"--config", file_with("{\"api_key\": \"sesame\n\"}")});
    EXPECT_THAT(broken.err, AllOf(HasSubstr("not valid JSON"), Not(HasSubstr("sesame"))));
    const auto behind_a_flag_without_value = replay({"--model", "--api-key=sesame"});
    EXPECT_EQ(behind_a_flag_without_value.status, 2);
    EXPECT_THAT(behind_a_flag_without_value.err, Not(HasSubstr("sesame")));
}

TEST_F(arguments, report_all_their_faults_at_once) {
    variables_["TANDEM_TOP_K"] = "many";
    const auto c =
        replay({"--slots", "5000", "--reuse-guard", "soon", "--tts", "fast", "--foo",
                "--concurrency", "0", "--config", file_with(R"({"slot": 1, "min_p": "much"})")});
    EXPECT_EQ(c.status, 2);
    for (const auto* fault :
         {"--slots is 5000; it must be a whole number from 0 to 1024",
          "--reuse-guard is soon; it must be a time from 0 to 1h, such as 250ms, 2s, 1m or 0.5h, "
          "or auto",
          "TANDEM_TOP_K is many; it must be a whole number from 0 to 1000000",
          "--tts is fast; it must be none, or wpm=N with N ",
          "--concurrency is 0; it must be a whole number from 1 to 1000",
          "--foo is an unknown flag", ": unknown field slot", ": min_p must be a number"})
        EXPECT_THAT(c.err, HasSubstr(fault));
}

TEST_F(arguments, tell_an_unknown_flag_once_whatever_its_value_is_taken_for) {
    constexpr auto told =
        "tandem replay: --slotz is an unknown flag; did you mean --slots?\n"
        "See \"tandem replay --help\".";
    EXPECT_EQ(parse({"replay", "--slotz", "3", "file"}).err, told);
    EXPECT_EQ(parse({"replay", "--slotz", "3"}).err, told);
    EXPECT_EQ(parse({"replay", "--slotz"}).err, told);
    EXPECT_EQ(replay({"--slotz", "3"}).err, told);
    EXPECT_EQ(replay({"--slotz=3"}).err,
              "tandem replay: --slotz=3 is an unknown flag; did you mean --slots?\n"
              "See \"tandem replay --help\".");
}

TEST_F(arguments, suggest_no_flag_that_is_not_alike) {
    EXPECT_THAT(replay({"--foo"}).err, Not(HasSubstr("did you mean")));
    EXPECT_THAT(replay({"-v"}).err, Not(HasSubstr("did you mean")));
}

TEST_F(arguments, start_their_help_with_an_example) {
    const auto c = parse({"replay", "--help"});
    EXPECT_EQ(c.status, 0);
    EXPECT_THAT(c.out, StartsWith("Example:\n  tandem replay "));
    EXPECT_THAT(parse({"segment", "-h"}).out, StartsWith("Example:\n  echo "));
}

TEST_F(arguments, report_which_server_to_examine) {
    variables_["TANDEM_SLOTS"] = "3";
    const auto c =
        parse({"doctor", "--url", "http://a:1", "--config", file_with(R"({"reuse_guard": 5})")});
    ASSERT_TRUE(c.doctor) << c.err;
    EXPECT_EQ(c.doctor->settings.server.url, "http://a:1");
    EXPECT_EQ(c.doctor->settings.server.slots, 3);
    EXPECT_EQ(c.doctor->settings.server.reuse_guard, 5s);
    EXPECT_EQ(c.doctor->wait, 30s);
    EXPECT_FALSE(c.doctor->quick);
    EXPECT_FALSE(c.doctor->json);
}

TEST_F(arguments, report_how_to_examine_it) {
    const auto c = parse({"doctor", "--wait", "5m", "--quick", "--json", "--color", "always"});
    ASSERT_TRUE(c.doctor) << c.err;
    EXPECT_EQ(c.doctor->wait, 5min);
    EXPECT_TRUE(c.doctor->quick);
    EXPECT_TRUE(c.doctor->json);
    EXPECT_EQ(c.doctor->color, color_choice::always);
}

TEST_F(arguments, of_a_look_at_a_server_are_not_about_replies) {
    const auto help = parse({"doctor", "--help=all"}).out;
    EXPECT_THAT(help, StartsWith("Example:\n  tandem doctor --url "));
    for (const char* flag :
         {"--api-key-file", "--ca-file", "--proxy", "--request-timeout", "--held-chunks-max"})
        EXPECT_THAT(help, HasSubstr(flag));
    EXPECT_THAT(help, Not(HasSubstr("--temperature")));
    EXPECT_THAT(parse({"doctor", "--temperature", "1"}).err, HasSubstr("is an unknown flag"));
}

TEST_F(arguments, report_what_to_segment) {
    const auto c = parse({"segment"});
    ASSERT_TRUE(c.segment) << c.err;
    EXPECT_FALSE(c.replay);
    EXPECT_EQ(c.segment->file, "-");
    EXPECT_FALSE(c.segment->text);
    EXPECT_EQ(c.segment->sentences.rule, tandem::boundary_rule::spoken);
    EXPECT_EQ(c.segment->sentences.language, "");
}

TEST_F(arguments, report_how_to_segment) {
    const auto c = parse({"segment", "--rule", "classic", "--language", "de", "--text", "f"});
    ASSERT_TRUE(c.segment) << c.err;
    EXPECT_EQ(c.segment->file, "f");
    EXPECT_TRUE(c.segment->text);
    EXPECT_EQ(c.segment->sentences.rule, tandem::boundary_rule::classic);
    EXPECT_EQ(c.segment->sentences.language, "de");
}

TEST_F(arguments, name_files_as_commands_are_named) {
    EXPECT_EQ(parse({"segment", "replay"}).segment->file, "replay");
    EXPECT_EQ(parse({"replay", "segment"}).replay->file, "segment");
}

TEST_F(arguments, fail_with_the_help_without_a_command) {
    const auto c = parse({});
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(c.err, HasSubstr("replay"));
}

TEST_F(arguments, ask_for_the_version) {
    EXPECT_THAT(parse({"--version"}).out, StartsWith("tandem 0."));
    EXPECT_EQ(parse({"-V"}).out, parse({"--version"}).out);
}

struct refusal {
    const char* name;
    std::vector<std::string> args;
    const char* message;
};

class refused_arguments : public testing::TestWithParam<refusal> {};

TEST_P(refused_arguments, are_named) {
    const auto c = parse_command_line(GetParam().args, {});
    EXPECT_EQ(c.status, 2);
    EXPECT_FALSE(c.replay);
    EXPECT_THAT(c.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    table, refused_arguments,
    testing::Values(
        refusal{"a_blank_message", {"replay", "--user", " "}, "--user is empty or only white"},
        refusal{"a_message_of_invalid_bytes",
                {"replay", "--user", "ab\xFF"},
                "--user has invalid UTF-8 at byte 3"},
        refusal{"a_prompt_of_invalid_bytes",
                {"replay", "--prompt", "\xFF"},
                "--prompt has invalid UTF-8 at byte 1"},
        refusal{"nothing_to_replay", {"replay"}, "nothing to replay"},
        refusal{"a_file_and_prompts", {"replay", "f", "--prompt", "x"}, "cannot be combined"},
        refusal{"two_files", {"replay", "f", "g"}, "g is an unexpected argument"},
        refusal{"a_flag_without_value", {"replay", "f", "--slots"}, "--slots needs a value (N)"},
        refusal{"a_flag_in_the_place_of_a_value",
                {"replay", "f", "--pacing", "--slots", "2"},
                "--pacing needs a value (MODE), but --slots follows"},
        refusal{"an_empty_value", {"replay", "f", "--stop=", "--slots=2"}, "--stop= has no value"},
        refusal{"an_unknown_flag", {"replay", "f", "--slot", "1"}, "did you mean --slots?"},
        refusal{"an_unknown_flag_that_is_part_of_one",
                {"replay", "f", "--temp", "1"},
                "did you mean --temperature?"},
        refusal{"an_unknown_flag_that_is_the_end_of_one",
                {"replay", "f", "--key", "1"},
                "did you mean --api-key?"},
        refusal{"the_help_misspelt", {"--hlep"}, "--hlep is an unknown flag; did you mean --help?"},
        refusal{"the_help_of_a_command_misspelt",
                {"key", "--hlep"},
                "--hlep is an unknown flag; did you mean --help?"},
        refusal{"the_version_misspelt", {"--verison"}, "did you mean --version?"},
        refusal{"a_misspelt_flag_before_its_command",
                {"--jsno", "replay", "f"},
                "did you mean --json? Write it after replay, chat, doctor, bench and cluster"},
        refusal{"keys_of_clients_by_another_name",
                {"serve", "--api-keys", "f"},
                "--api-keys is an unknown flag; did you mean --keys or --api-key?"},
        refusal{"keys_of_a_server_by_another_name",
                {"replay", "f", "--api-keys", "f"},
                "--api-keys is an unknown flag; did you mean --api-key?"},
        refusal{"a_flag_before_its_command",
                {"--json", "replay", "f"},
                "--json is a flag of replay, chat, doctor, bench and cluster; write it after one "
                "of these commands"},
        refusal{"a_flag_of_one_command_before_it",
                {"--tts", "none", "replay", "f"},
                "--tts is a flag of replay, chat and bench; write it after one of these commands"},
        refusal{"a_flag_with_its_value_before_its_command",
                {"--slots", "3", "replay", "f"},
                "--slots is a flag of replay, chat, doctor, bench and serve; write it after one of "
                "these commands"},
        refusal{"a_file_for_the_doctor", {"doctor", "f"}, "f is an unexpected argument"},
        refusal{"a_wait_that_is_no_time",
                {"doctor", "--wait", "2d"},
                "--wait is 2d; it must be a time from 0 to 1h"},
        refusal{"minutes_that_are_written_otherwise",
                {"doctor", "--wait", "3min"},
                "--wait is 3min; it must be a time from 0 to 1h, such as 250ms, 2s, 1m or 0.5h"},
        refusal{"a_pacing",
                {"replay", "f", "--pacing", "fast"},
                "--pacing is fast; it must be auto, strict, warm, ahead or stream"},
        refusal{"nothing_in_the_place_of_a_word",
                {"replay", "f", "--color", ""},
                "--color is empty; it must be auto, always or never"},
        refusal{"a_colour_for_the_doctor",
                {"doctor", "--color", "red"},
                "--color is red; it must be auto, always or never"},
        refusal{"an_unknown_command",
                {"replya", "f"},
                "replya is an unknown command; did you mean replay? Known commands: replay"},
        refusal{"a_name_of_no_command",
                {"say"},
                "known commands: replay, chat, doctor, bench, segment, serve, key"},
        refusal{"a_flag_before_two_commands",
                {"--language", "segment"},
                "--language is a flag of replay, chat, bench, segment and serve; write it after "
                "one of these commands"},
        refusal{"a_rule", {"segment", "--rule", "old"}, "--rule is old; it must be classic or"},
        refusal{"two_files_to_segment", {"segment", "f", "g"}, "g is an unexpected argument"},
        refusal{"an_unknown_flag_of_segment", {"segment", "--lang"}, "did you mean --language?"},
        refusal{"two_servers_for_the_doctor",
                {"doctor", "--url", "http://a:1", "--url", "http://b:1"},
                "--url names 2 servers; doctor checks only one"},
        refusal{"a_server_twice",
                {"replay", "f", "--url", "http://a:1", "--server", "http://a:1"},
                "--url has http://a:1 twice"},
        refusal{"a_wrong_url", {"replay", "f", "--url", "u:p@host"}, R"(--url: "host" is not a)"},
        refusal{"a_wrong_url_of_two",
                {"replay", "f", "--url", "localhost", "--url", "http://a:1"},
                R"(--url "localhost" is not a URL; write it as http://host:port)"},
        refusal{"a_colour", {"replay", "f", "--color", "red"}, "--color is red"},
        refusal{"a_level", {"replay", "f", "--log-level", "all"}, "--log-level is all"},
        refusal{"concurrency_that_is_no_number",
                {"replay", "f", "--concurrency", "2x"},
                "--concurrency is 2x"},
        refusal{"no_conversations",
                {"replay", "f", "--conversations", "0"},
                "--conversations is 0; it must be a whole number from 1 to 1000"},
        refusal{"a_placement",
                {"replay", "f", "--placement", "any"},
                "--placement is any; it must be round_robin or least_busy"},
        refusal{"a_flag_that_was_removed",
                {"replay", "f", "--slots-per-conversation", "2"},
                "--slots-per-conversation was removed: all conversations share all slots"},
        refusal{"a_history",
                {"replay", "f", "--interrupted", "some"},
                "--interrupted is some; it must be heard, handed_over, full or none"},
        refusal{"a_long_mark",
                {"replay", "f", "--interrupted-mark", std::string(65, '.')},
                "--interrupted-mark has 65 bytes; the maximum is 64"},
        refusal{
            "a_huge_number",
            {"replay", "f", "--max-tokens", "99999999999999999999"},
            "--max-tokens is 99999999999999999999; it must be a whole number from 0 to 1000000"},
        refusal{"not_a_number", {"replay", "f", "--temperature", "nan"}, "--temperature is nan"},
        refusal{"a_config_that_is_not_there",
                {"replay", "f", "--config", "/nowhere/x"},
                "--config /nowhere/x: No such file or directory"},
        refusal{"a_key_file_that_is_not_there",
                {"replay", "f", "--api-key-file", "/nowhere/x"},
                "--api-key-file /nowhere/x: No such file or directory"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(arguments, tell_to_leave_the_v1_of_openai_out_of_a_url) {
    for (const char* command : {"replay", "chat", "doctor", "bench", "serve"}) {
        const auto c = parse({command, "--url", "http://127.0.0.1:8080/v1"});
        EXPECT_EQ(c.status, 2) << command;
        EXPECT_THAT(c.err, AllOf(HasSubstr("--url"), HasSubstr("remove /v1"))) << command;
    }
}

}  // namespace
