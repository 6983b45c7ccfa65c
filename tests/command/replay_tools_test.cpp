#include "replay_fixture.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

// Dialogues in which the model calls functions.
namespace tandem::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* call = R"(<tool_call>
{"name": "get_time", "arguments": {"zone": "UTC"}}
</tool_call>)";

class replay_of_tools : public replay_test {
 protected:
    ~replay_of_tools() override { std::remove(recording.c_str()); }

    // The model first calls a function, and then replies `then` to the result `result`.
    void start_calling_server(const std::string& result, const std::string& then) {
        mock::options o;
        o.tool_template = true;
        o.replies = {{mock::render_prompt({{"tool", result}}), then},
                     {"Thanks.<|im_end|>\n<|im_start|>assistant\n", "You are welcome."},
                     {"", std::string("One moment, please.\n") + call}};
        start_server(std::move(o));
    }
    // A dialogue with a function, in JSON, and with the further members `members`.
    static std::string line(const std::string& members) {
        return R"({"id":"d","tools":[{"type":"function","function":{"name":"get_time"}}],)" +
               members + "}";
    }
    std::vector<std::string> prompts() const {
        std::vector<std::string> all;
        for (const auto& r : server_->observe().of_path("/completion")) all.push_back(r.prompt);
        return all;
    }

    const std::string recording =
        ::testing::TempDir() + "replay_of_tools_" + std::to_string(::getpid());
};

const std::string noon = R"("turns":["What time is it?","Thanks."],"results":{"get_time":"12:00"})";

TEST_F(replay_of_tools, answers_calls_and_shows_the_reply_to_the_result) {
    start_calling_server("12:00", "It is noon.");
    const auto r = run({"--json", "-"}, line(noon));
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(3));
    EXPECT_EQ(ends[0]["finish_reason"], "tool_calls");
    EXPECT_EQ(ends[0]["calls"][0]["name"], "get_time");
    EXPECT_EQ(ends[0]["calls"][0]["arguments"], R"({"zone": "UTC"})");
    EXPECT_EQ(ends[1]["turn"], 0);
    EXPECT_EQ(ends[1]["reply"], 1);
    EXPECT_EQ(ends[1]["text"], "It is noon.");
    EXPECT_EQ(ends[2]["turn"], 1);
    EXPECT_EQ(ends[2]["reply"], 2);
    EXPECT_EQ(ends[2]["text"], "You are welcome.");
    const auto summary = r.event("summary");
    EXPECT_EQ(summary["calls"], 1);
    EXPECT_EQ(summary["replies"], 3);
    EXPECT_EQ(summary["complete"], 3);
}

TEST_F(replay_of_tools, names_test_cases_by_the_turn_of_the_line) {
    start_calling_server("12:00", "It is noon.");
    run({"--junit", recording, "-"}, line(noon + R"(,"expect":{"text":"welcome"})"));
    std::ifstream file(recording);
    const std::string xml{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(xml, HasSubstr(R"(name="d.1" time=)"));
}

TEST_F(replay_of_tools, shows_people_calls_and_results) {
    start_calling_server("12:00", "It is noon.");
    EXPECT_THAT(run({"-"}, line(noon)).out,
                AllOf(HasSubstr("calls get_time {\"zone\": \"UTC\"}"), HasSubstr("d.1  «12:00»"),
                      HasSubstr("  calls          1\n")));
}

TEST_F(replay_of_tools, answers_a_function_without_results_with_an_error) {
    start_calling_server("Error: there is no result for \"get_time\"", "I do not know.");
    const auto tools = R"([{"type":"function","function":{"name":"get_time"}},)"
                       R"({"type":"function","function":{"name":"get_date"}}])";
    const auto r = run({"--json", "--tools", tools, "-"},
                       R"({"turns":["What time is it?"],"results":{"get_date":"1 May"}})");
    EXPECT_EQ(r.events("end").back()["text"], "I do not know.");
}

TEST_F(replay_of_tools, sends_nothing_if_a_line_names_a_function_that_its_tools_do_not_have) {
    start_calling_server("12:00", "It is noon.");
    const auto r = run({"--json", "-"}, line(R"("turns":["Hi"],"expect":{"calls":["get_date"]})"));
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("stdin:1: expect names the function \"get_date\", but the tools"));
    EXPECT_THAT(prompts(), testing::IsEmpty());
}

TEST_F(replay_of_tools, gives_each_run_of_a_dialogue_the_results_from_the_first) {
    start_calling_server("12:00", "It is noon.");
    const auto r =
        run({"--json", "--conversations", "2", "-"},
            line(R"("turns":["What time is it?"],"results":{"get_time":["12:00","1"]})"));
    EXPECT_EQ(r.event("summary")["complete"], 4) << r.out;
    for (const auto& end : r.events("end"))
        EXPECT_EQ(end["text"], end["reply"] == 0 ? "One moment, please." : "It is noon.");
}

TEST_F(replay_of_tools, ends_a_turn_of_a_model_that_only_calls) {
    start_calling_server("12:00", call);
    const auto r = run({"--json", "-"}, line(noon));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("summary")["calls"], 10);
    EXPECT_EQ(r.events("end").back()["text"], "You are welcome.");
}

TEST_F(replay_of_tools, plays_a_recording_with_the_same_calls) {
    start_calling_server("12:00", "It is noon.");
    const auto live = run({"--json", "--record", recording, "-"}, line(noon));
    server_.reset();
    const auto played = run({"--json", "--from-recording", recording, "--speed", "max"});
    EXPECT_EQ(played.status, 0) << played.err;
    ASSERT_THAT(played.events("end"), SizeIs(3));
    EXPECT_EQ(played.events("end")[0]["calls"][0]["name"], "get_time");
    EXPECT_EQ(played.events("end")[1]["text"], live.events("end")[1]["text"]);
}

TEST_F(replay_of_tools, leaves_calls_open_in_a_dialogue_without_results) {
    start_calling_server("12:00", "It is noon.");
    const auto r = run({"--json", "-"}, line(R"("turns":["What time is it?","Thanks."])"));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.events("end"), SizeIs(2));
    EXPECT_THAT(prompts().back(), HasSubstr("No result: interrupted."));
}

TEST_F(replay_of_tools, does_not_reply_to_the_results_of_an_interrupted_reply) {
    start_calling_server("12:00", "It is noon.");
    const auto r =
        run({"--json", "--tts", "wpm=9", "-"}, line(noon + R"(,"interrupt_after_ms":300)"));
    EXPECT_EQ(r.status, 0) << r.err;
    ASSERT_THAT(r.events("end"), SizeIs(2));
    EXPECT_EQ(r.events("end")[0]["finish_reason"], "interrupted");
    EXPECT_THAT(prompts(), Each(Not(HasSubstr("noon"))));
}

}  // namespace
}  // namespace tandem::testing
