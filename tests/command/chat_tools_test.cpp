#include "replay_fixture.hpp"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

// `tandem chat` with functions that the model calls.
namespace tandem::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class chat_with_tools : public replay_test {
 protected:
    ~chat_with_tools() override {
        for (const auto& f : {tools, saved, fifo}) std::remove(f.c_str());
    }
    static std::string path(const std::string& name) {
        return ::testing::TempDir() + "chat_tools_" + std::to_string(::getpid()) + name;
    }
    static std::string call_of(const std::string& name) {
        return "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": {\"zone\": \"UTC\"}}\n" +
               "</tool_call>";
    }
    // The model first replies `first`, which calls functions, and then replies `then` to `result`.
    void start_calling_server(const std::string& first, const std::string& result,
                              const std::string& then) {
        mock::options o;
        o.tool_template = true;
        o.replies = {{mock::render_prompt({{"tool", result}}), then},
                     {mock::render_prompt({{"user", "Never mind."}}), "All right."},
                     {"", first}};
        start_server(std::move(o));
    }
    // Writes a file with one function, whose command is /bin/sh with `script`.
    void declare(const std::string& name, const std::string& script) const {
        json item{{"type", "function"}, {"function", {{"name", name}}}};
        item["command"] = {"/bin/sh", "-c", script};
        item["timeout_ms"] = 600'000;
        std::ofstream(tools) << json::array({item});
    }
    std::vector<std::string> chat_args(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"chat", "--reuse-guard", "0",           "--tts",
                                     "none", "--speed",       "450",         "--tools",
                                     tools,  "--url",         server_->url()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    finished_run talk(const std::string& lines, const std::vector<std::string>& more) const {
        auto end = child_process(program, {.args = chat_args(more), .input = lines}).wait();
        return {end.status, std::move(end.out), std::move(end.err)};
    }
    std::string last_prompt() const {
        const auto requests = server_->observe().of_path("/completion");
        return requests.empty() ? std::string() : requests.back().prompt;
    }

    const std::string tools = path(".tools");
    const std::string saved = path(".json");
    const std::string fifo = path(".fifo");
};

TEST_F(chat_with_tools, runs_what_the_model_calls_and_speaks_the_reply_to_the_result) {
    start_calling_server("One moment, please.\n" + call_of("get_time"), "12:00", "It is noon.");
    declare("get_time", "grep -q UTC && echo 12:00");
    const auto r = talk("What time is it?\n", {"--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends[0]["finish_reason"], "tool_calls");
    EXPECT_EQ(ends[0]["calls"][0]["name"], "get_time");
    EXPECT_EQ(ends[0]["reply"], 0);
    EXPECT_EQ(ends[1]["turn"], 0);
    EXPECT_EQ(ends[1]["reply"], 1);
    const auto chunks = r.events("chunk");
    EXPECT_TRUE(chunks.front()["silence_ms"].is_null());
    EXPECT_EQ(chunks.back()["reply"], 1);
    EXPECT_GE(chunks.back()["silence_ms"], 0) << "since the sound before the call";
    EXPECT_EQ(ends[1]["text"], "It is noon.");
    const auto result = r.event("result");
    EXPECT_EQ(result["id"], ends[0]["calls"][0]["id"]);
    EXPECT_EQ(result["turn"], 0);
    EXPECT_EQ(result["reply"], 0);
    EXPECT_EQ(result["outcome"], "returned");
    EXPECT_EQ(result["content"], "12:00");
}

TEST_F(chat_with_tools, shows_people_calls_and_results) {
    start_calling_server(call_of("get_time"), "12:00", "It is noon.");
    declare("get_time", "echo 12:00");
    EXPECT_EQ(talk("What time is it?\n", {"--quiet"}).out,
              "[calls get_time {\"zone\": \"UTC\"}]\n[get_time: 12:00]\nIt is noon.\n");
}

TEST_F(chat_with_tools, lets_the_model_know_that_a_function_failed) {
    start_calling_server(call_of("get_time"), "Error: no clock", "I cannot say.");
    declare("get_time", "echo no clock >&2; exit 1");
    const auto r = talk("What time is it?\n", {"--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("result")["outcome"], "failed");
    EXPECT_EQ(r.events("end").back()["text"], "I cannot say.");
}

TEST_F(chat_with_tools, ends_a_model_that_only_calls) {
    start_calling_server(call_of("get_time"), "12:00", call_of("get_time"));
    declare("get_time", "echo 12:00");
    const auto r = talk("What time is it?\n", {"--json"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.events("end"), SizeIs(10));
    EXPECT_THAT(r.err, HasSubstr("10 replies in a row called functions"));
}

// The function waits for a reader of its pipe, and then sleeps much longer than a test runs, so
// that only the command can end it.
class chat_with_a_slow_tool : public chat_with_tools {
 protected:
    chat_with_a_slow_tool() {
        EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
        start_calling_server("One moment, please.\n" + call_of("get_time"), "12:00", "It is noon.");
        declare("get_time", "echo started > '" + fifo + "'; exec sleep 600");
    }
    // Waits until the function runs.
    void wait_for_function() const {
        std::string line;
        std::ifstream in(fifo);
        std::getline(in, line);
        EXPECT_EQ(line, "started");
    }
    static json next(child_process& child, const std::string& kind) {
        for (;;)
            if (auto event = json::parse(child.read_line()); event["event"] == kind) return event;
    }
};

TEST_F(chat_with_a_slow_tool, kills_it_at_ctrl_c) {
    child_process child(
        program, {.args = chat_args({"--json", "--save", saved}), .input = "What time is it?\n"});
    wait_for_function();
    next(child, "end");
    child.send_signal(SIGINT);
    const auto end = child.wait();
    EXPECT_EQ(end.status, 130) << end.err;
    EXPECT_EQ(json::parse(end.out)["outcome"], "interrupted");
}

TEST_F(chat_with_a_slow_tool, has_a_history_that_says_so) {
    child_process child(
        program, {.args = chat_args({"--json", "--save", saved}), .input = "What time is it?\n"});
    wait_for_function();
    next(child, "end");
    child.send_signal(SIGINT);
    child.wait();
    EXPECT_EQ(talk("Never mind.\n", {"--quiet", "--load", saved}).out, "All right.\n");
    EXPECT_THAT(last_prompt(), HasSubstr("No result: interrupted."));
    EXPECT_THAT(last_prompt(), HasSubstr("Never mind."));
}

TEST_F(chat_with_a_slow_tool, is_interrupted_by_the_next_line) {
    const auto lines = path(".lines");
    ASSERT_EQ(::mkfifo(lines.c_str(), 0600), 0);
    auto args = chat_args({"--json", "--barge-in"});
    args.insert(args.begin(), {"-c", "f=$0; exec \"$@\" < \"$f\"", lines, program});
    child_process child("/bin/sh", {.args = args});
    std::ofstream typed(lines);
    typed << "What time is it?" << std::endl;
    wait_for_function();
    EXPECT_EQ(next(child, "end")["interrupted"], false);
    typed << "Never mind." << std::endl;
    EXPECT_EQ(next(child, "result")["outcome"], "interrupted");
    next(child, "chunk");
    EXPECT_THAT(last_prompt(),
                AllOf(HasSubstr("No result: interrupted."), HasSubstr("Never mind.")));
    child.send_signal(SIGINT);
    std::remove(lines.c_str());
}

TEST_F(chat_with_tools, does_not_begin_with_a_bad_file) {
    start_calling_server(call_of("f"), "", "");
    std::ofstream(tools) << R"([{"type":"function","function":{"name":"f"}},2])";
    const auto r = talk("Hello.\n", {});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, AllOf(HasSubstr("--tools " + tools + ": [0].command must be a list"),
                             HasSubstr(": [1] must be an object, not number")));
    EXPECT_THAT(r.out, IsEmpty());
}

}  // namespace
}  // namespace tandem::testing
