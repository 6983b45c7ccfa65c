#include "serve_fixture.hpp"
#include "support/poll_until.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>

// Records the answers of a gateway's servers, and replays them without the servers.
namespace {

using namespace tandem::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class serve_recording_test : public serve_test {
 protected:
    serve_recording_test() { start_server(); }

    /// Records one request, and stops the gateway.
    child_process::ended record(std::vector<std::string> more) {
        more.insert(more.end(), {"--model", "talk"});
        auto g = serve(std::move(more));
        const auto a = g.client().post("/v1/chat/completions", chat());
        EXPECT_EQ(a.parsed()["choices"][0]["message"]["content"], story) << a.body;
        return g.stop(SIGTERM);
    }
    /// Replays the recording without the server, and returns the texts of all replies.
    std::vector<std::string> play() {
        server_.reset();
        const auto end =
            run({"replay", "--json", "--speed", "max", "--from-recording", recording_});
        EXPECT_EQ(end.status, 0) << end.err;
        std::vector<std::string> texts;
        for (const auto& line : lines_of(end.out))
            if (const auto e = json::parse(line); e["event"] == "end") texts.push_back(e["text"]);
        return texts;
    }

    /// The paths of the recorded requests.
    std::vector<std::string> recorded_paths() const {
        std::vector<std::string> paths;
        for (const auto& line : lines_of_file(recording_))
            if (const auto e = json::parse(line); e.contains("path")) paths.push_back(e["path"]);
        return paths;
    }

    static constexpr const char* older = R"({"ms":0.0,"recording":1})";

    std::string recording_ = temporary_path("rec");
    std::string older_file_ = temporary_path("rec.old");
};

TEST_F(serve_recording_test, is_played_to_what_was_said) {
    EXPECT_EQ(record({"--record", recording_}).status, 0);
    EXPECT_EQ(play(), std::vector<std::string>{story});
}

TEST_F(serve_recording_test, has_each_reply) {
    {
        auto g = serve({"--model", "talk", "--record", recording_, "--answer-cache", "0"});
        for (int i = 0; i < 4; ++i) g.client().post("/v1/chat/completions", chat());
        EXPECT_EQ(g.stop(SIGTERM).status, 0);
    }
    EXPECT_EQ(play(), std::vector<std::string>(4, story));
}

TEST_F(serve_recording_test, has_the_question_for_the_name_of_the_model) {
    auto g = serve({"--record", recording_});
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    EXPECT_THAT(recorded_paths(), Contains("/props"));
}

TEST_F(serve_recording_test, has_the_deployment_of_an_adapter) {
    start_server({.lora = {"formal.gguf"}});
    auto g = serve({"--model", "talk", "--adapter", "formal=0", "--record", recording_});
    const std::string job =
        g.client().post("/admin/adapters/formal/load", json{{"scale", 0.5}}).parsed()["job"];
    EXPECT_TRUE(poll_until(
        [&] { return g.client().get("/admin/jobs/" + job).parsed()["state"] == "done"; }));
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    EXPECT_THAT(recorded_paths(), Contains("/lora-adapters"));
}

TEST_F(serve_recording_test, may_be_without_what_clients_asked) {
    EXPECT_EQ(record({"--record", recording_, "--record-no-prompts"}).status, 0);
    for (const auto& line : lines_of_file(recording_)) EXPECT_THAT(line, Not(HasSubstr("Hello!")));
    EXPECT_EQ(play(), std::vector<std::string>{story});
}

TEST_F(serve_recording_test, must_have_a_place_before_it_listens) {
    const auto end = run(args({"--record", "/no/such/folder/x"}));
    EXPECT_EQ(end.status, 2);
    EXPECT_THAT(end.err,
                HasSubstr("tandem serve: --record /no/such/folder/x: No such file or directory"));
    EXPECT_THAT(end.out, IsEmpty());
}

TEST_F(serve_recording_test, is_left_alone_by_a_second_one_that_is_started) {
    auto g = serve({"--model", "talk", "--record", recording_});
    const auto second = run(args({"--model", "talk", "--record", recording_}));
    EXPECT_EQ(second.status, 2);
    EXPECT_THAT(second.err, HasSubstr(recording_ + ": another process is recording to it"));
    g.client().post("/v1/chat/completions", chat());
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    EXPECT_EQ(play(), std::vector<std::string>{story});
}

TEST_F(serve_recording_test, takes_the_place_of_an_older_one_that_others_could_read) {
    write(recording_, older);
    record({"--record", recording_});
    namespace fs = std::filesystem;
    EXPECT_EQ(fs::status(recording_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(play(), std::vector<std::string>{story});
}

// systemd restarts the gateway after a crash. The recording of the run that crashed must survive
// the restart.
TEST_F(serve_recording_test, is_kept_when_the_gateway_was_killed_and_is_started_again) {
    {
        auto g = serve({"--model", "talk", "--record", recording_});
        g.client().post("/v1/chat/completions", chat());
        g.stop(SIGKILL);
    }
    const auto of_crash = lines_of_file(recording_);
    auto g = serve({"--model", "talk", "--record", recording_});
    EXPECT_EQ(g.stop(SIGTERM).status, 0);
    EXPECT_THAT(of_crash, Not(IsEmpty()));
    EXPECT_EQ(lines_of_file(older_file_), of_crash);
}

TEST_F(serve_recording_test, stays_if_the_next_gateway_cannot_listen) {
    write(recording_, older);
    auto g = serve();
    auto all = args({"--model", "talk", "--record", recording_});
    *std::ranges::find(all, "127.0.0.1:0") = "127.0.0.1:" + std::to_string(g.port);
    const auto second = run(std::move(all));
    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.err, HasSubstr("cannot listen"));
    const auto state = temporary_path("db");
    write(state, std::string(4096, 'x'));
    EXPECT_EQ(run(args({"--model", "talk", "--record", recording_, "--state", state})).status, 2);
    EXPECT_EQ(lines_of_file(recording_), std::vector<std::string>{older});
    EXPECT_THAT(lines_of_file(older_file_), IsEmpty());
}

TEST_F(serve_recording_test, needs_the_name_of_its_file) {
    EXPECT_THAT(run(args({"--record", ""})).err, HasSubstr("--record is empty"));
    EXPECT_THAT(run(args({"--record-no-prompts"})).err,
                HasSubstr("--record-no-prompts requires --record FILE"));
}

TEST_F(serve_recording_test, continues_if_it_cannot_be_written_and_reports_that_once) {
    // Limits files to 1 KiB. The trap ignores the signal, so that the write fails instead.
    auto all = args({"--model", "talk", "--record", recording_});
    all.insert(all.begin(), {"-c", R"(trap '' XFSZ; ulimit -f 2; exec "$0" "$@")", program});
    running_gateway g("/bin/sh", std::move(all));
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(g.client().post("/v1/chat/completions", chat()).status, 200);
    const auto end = g.stop(SIGTERM);
    EXPECT_EQ(end.status, 1);
    const auto is_told = [this](const std::string& line) {
        return line.find("--record " + recording_ + ": File too large") != line.npos;
    };
    EXPECT_EQ(std::ranges::count_if(lines_of(end.err), is_told), 1) << end.err;
}

}  // namespace
