#include "raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tandem::mock {
namespace {

// The program tandem-mock-server. The destructor kills it if the test leaves it running.
class program {
 public:
    explicit program(std::vector<std::string> arguments) {
        int out[2];
        int err[2];
        if (::pipe(out) != 0 || ::pipe(err) != 0) throw std::runtime_error("no pipe");
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
        ::posix_spawn_file_actions_adddup2(&actions, err[1], 2);
        for (int fd : {out[0], out[1], err[0], err[1]}) {
            ::posix_spawn_file_actions_addclose(&actions, fd);
        }
        arguments.insert(arguments.begin(), TANDEM_MOCK_SERVER_PROGRAM);
        std::vector<char*> argv;
        for (std::string& a : arguments) argv.push_back(a.data());
        argv.push_back(nullptr);
        const int error = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(out[1]);
        ::close(err[1]);
        out_ = out[0];
        err_ = err[0];
        if (error != 0) throw std::runtime_error("cannot run tandem-mock-server");
    }
    ~program() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            wait();
        }
        ::close(out_);
        ::close(err_);
    }
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    std::string first_line() {
        std::string line;
        for (char c = 0; ::read(out_, &c, 1) == 1 && c != '\n';) line += c;
        return line;
    }
    std::uint16_t port() {
        const std::string line = first_line();
        return static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
    }
    std::string errors() {
        std::string text;
        std::array<char, 4096> bytes;
        for (ssize_t n = 0; (n = ::read(err_, bytes.data(), bytes.size())) > 0;) {
            text.append(bytes.data(), static_cast<std::size_t>(n));
        }
        return text;
    }
    void signal(int number) { ::kill(pid_, number); }
    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = 0;
        return status;
    }

 private:
    pid_t pid_ = 0;
    int out_ = -1;
    int err_ = -1;
};

class ended_by : public testing::TestWithParam<int> {};

TEST_P(ended_by, a_signal) {
    program p({"--port", "0"});
    EXPECT_EQ(p.first_line().rfind("listening on http://127.0.0.1:", 0), 0u);
    p.signal(GetParam());
    const int status = p.wait();
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(program, ended_by, testing::Values(SIGINT, SIGTERM));

TEST(program, takes_dialogues_from_a_file) {
    const std::string path = testing::TempDir() + "program_dialogues.jsonl";
    std::ofstream(path) << R"({"id":"a","messages":[{"role":"user","content":"Hi"},)"
                        << R"({"role":"assistant","content":"Hello."}]})"
                        << "\n";
    program p({"--dialogues", path, "--parallel", "3", "--ctx-size", "300"});
    const std::uint16_t port = p.port();
    const auto a =
        test::post(port, "/completion",
                   {{"prompt", "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"}});
    EXPECT_EQ(nlohmann::json::parse(a.body)["content"], "Hello.");
    const auto props = nlohmann::json::parse(test::get(port, "/props").body);
    EXPECT_EQ(props["total_slots"], 3);
    EXPECT_EQ(props["default_generation_settings"]["n_ctx"], 100);
    std::remove(path.c_str());
}

TEST(program, reports_what_its_flags_say) {
    program p({"--build-info", "b7000-abc", "--kv-unified", "--ctx-size", "300", "--no-slots",
               "--no-chat-template"});
    const std::uint16_t port = p.port();
    const auto props = nlohmann::json::parse(test::get(port, "/props").body);
    EXPECT_EQ(props["build_info"], "b7000-abc");
    EXPECT_EQ(props["default_generation_settings"]["n_ctx"], 300);
    EXPECT_EQ(test::get(port, "/slots").status, 501);
    EXPECT_EQ(props["chat_template"], "");
    EXPECT_EQ(test::post(port, "/apply-template", {{"messages", nlohmann::json::array()}}).status,
              501);
}

// The checkpoint is 4 tokens before the end of the first prompt. The second prompt diverges after
// the checkpoint, so 96 of its 100 tokens are reused.
TEST(program, plays_a_model_that_cannot_roll_back) {
    program p({"--memory", "recurrent"});
    const std::uint16_t port = p.port();
    std::vector<int> ids(100, 'a');
    const auto cached = [&] {
        const auto a = test::post(port, "/completion", {{"prompt", ids}, {"n_predict", 1}});
        return nlohmann::json::parse(a.body)["timings"]["cache_n"];
    };
    EXPECT_EQ(cached(), 0);
    ids.back() = 'b';
    EXPECT_EQ(cached(), 96);
}

TEST(program, has_no_host_memory_if_told_so) {
    program p({"--cache-ram", "0"});
    const std::uint16_t port = p.port();
    const auto cached = [&](int token) {
        const auto a = test::post(
            port, "/completion",
            {{"prompt", std::vector<int>(100, token)}, {"n_predict", 1}, {"id_slot", 0}});
        return nlohmann::json::parse(a.body)["timings"]["cache_n"];
    };
    cached('a');
    cached('b');
    EXPECT_EQ(cached('a'), 0);
}

TEST(program, plays_the_faults_of_its_flags) {
    program p({"--fault", "http_error:status=500,text=first", "--fault", "unavailable"});
    const std::uint16_t port = p.port();
    const nlohmann::json request{{"prompt", "Hi"}};
    EXPECT_EQ(test::post(port, "/completion", request).status, 500);
    EXPECT_EQ(test::post(port, "/completion", request).status, 503);
    EXPECT_EQ(test::post(port, "/completion", request).status, 200);
}

TEST(program, aborts_with_the_assert_of_the_old_crash) {
    program p({"--crash-within-ms", "600000", "--tokens-per-second", "50"});
    const std::uint16_t port = p.port();
    const nlohmann::json request{{"prompt", "Hi"}, {"stream", true}, {"id_slot", 0}};
    test::raw_client first(port), second(port);
    first.post("/completion", request);
    first.read_events(2);
    first.close();
    second.post("/completion", request);
    const int status = p.wait();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
    EXPECT_EQ(p.errors(),
              "GGML_ASSERT(!slot.is_processing()) failed\nsrc/server-context.cpp:1011\n");
}

TEST(program, reports_what_is_wrong_with_its_flags) {
    program p({"--fault", "earthquake"});
    const int status = p.wait();
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_EQ(p.errors(), "tandem-mock-server: fault: unknown kind 'earthquake'\n");
}

TEST(program, has_one_status_for_all_that_is_wrong_with_its_flags) {
    for (const char* flags :
         {"--nosuch", "--port=70000", "--memory=long", "--parallel=257", "--cache-ram=-2",
          "--conversation-change-ms=-1", "--total-tokens-per-second=-1"})
        EXPECT_EQ(WEXITSTATUS(program({flags}).wait()), 2) << flags;
    EXPECT_EQ(WEXITSTATUS(program({"--help"}).wait()), 0);
}

TEST(program, says_where_it_cannot_listen) {
    program p({"--host", "localhost", "--port", "8080"});
    EXPECT_EQ(WEXITSTATUS(p.wait()), 2);
    EXPECT_EQ(p.errors(),
              "tandem-mock-server: cannot listen on localhost port 8080: Invalid argument\n");
}

}  // namespace
}  // namespace tandem::mock
