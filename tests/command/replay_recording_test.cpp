#include "replay_fixture.hpp"
#include "support/poll_until.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <unistd.h>

// Records a run, and replays it without its server.
namespace tandem::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class replay_recording : public replay_test {
 protected:
    replay_recording() { fs::create_directory(place_); }
    ~replay_recording() override { fs::remove_all(place_); }

    std::string file() const { return place_ / "run.rec"; }
    std::string older_file() const { return file() + ".old"; }
    static std::string text_of(const fs::path& name) {
        std::ifstream in(name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string recorded() const { return text_of(file()); }
    void write(const std::string& text) const { std::ofstream(file()) << text; }

    finished_run record(std::vector<std::string> more, std::string input = {}) {
        more.insert(more.end(), {"--json", "--record", file()});
        auto r = run(std::move(more), std::move(input));
        EXPECT_EQ(r.status, 0) << r.err;
        server_.reset();
        return r;
    }
    finished_run play(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"replay", "--from-recording", file()});
        auto end = child_process(program, {.args = std::move(more)}).wait();
        return {end.status, std::move(end.out), std::move(end.err)};
    }
    finished_run play_json(std::vector<std::string> more = {}) const {
        more.insert(more.end(), {"--json", "--speed", "max"});
        return play(std::move(more));
    }

    static constexpr const char* older = R"({"ms":0.0,"recording":1})";

    // Replaces the boundary "end", because a race decides whether the last chunk has it: either the
    // consumer or the reply's end comes first.
    static std::vector<json> chunks_of(const finished_run& r) {
        std::vector<json> chunks;
        for (const auto& c : r.events("chunk")) {
            chunks.push_back({c["id"], c["turn"], c["text"], c["boundary"]});
            if (c["boundary"] == "end") chunks.back().back() = "sentence";
        }
        return chunks;
    }

    fs::path place_ =
        fs::path(::testing::TempDir()) / ("replay_recording_test_" + std::to_string(::getpid()));
};

TEST_F(replay_recording, gives_the_same_chunks_without_a_server) {
    start_server();
    const auto first = record({"--prompt", "story", "--prompt", "count"});
    const auto again = play_json();
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(chunks_of(again), chunks_of(first));
}

// In bash, the unit of "ulimit -f" is 1 KiB.
TEST_F(replay_recording, that_reaches_the_limit_of_files_is_reported_and_the_reply_continues) {
    start_server();
    const auto end =
        child_process("/bin/bash", {.args = {"-c", R"(ulimit -f 1; exec "$@")", "bash", program,
                                             "replay", "--url", server_->url(), "--reuse-guard",
                                             "0", "--prompt", "story", "--record", file()}})
            .wait();
    EXPECT_EQ(end.status, 1) << end.err;
    EXPECT_THAT(end.err, HasSubstr(file() + ": File too large"));
    EXPECT_THAT(end.out, HasSubstr("1 complete"));
}

TEST_F(replay_recording, holds_the_same_conversation) {
    start_server();
    const auto first = record({"-"}, R"({"id": "t", "turns": ["story", "count"]})");
    EXPECT_EQ(first.events("end").size(), 2u);
    EXPECT_EQ(chunks_of(play_json()), chunks_of(first));
}

TEST_F(replay_recording, divides_the_same_text_by_the_flags_that_are_given) {
    start_server();
    const auto first = record({"--prompt", "story"});
    const auto again = play_json({"--first-chunk-max-tokens", "2", "--chunk-max-tokens", "3"});
    EXPECT_GT(chunks_of(again).size(), 2 * chunks_of(first).size());
    EXPECT_EQ(again.event("end")["text"], story);
}

TEST_F(replay_recording, keeps_the_settings_of_its_run) {
    start_server();
    const auto first =
        record({"--prompt", "story", "--chunk-max-tokens", "2", "--pacing", "ahead"});
    EXPECT_EQ(chunks_of(play_json()), chunks_of(first));
}

TEST_F(replay_recording, takes_no_notice_of_what_is_set_in_the_environment) {
    start_server();
    const auto first = record({"--prompt", "story"});
    child_process child(
        program, {.args = {"replay", "--json", "--speed", "max", "--from-recording", file()},
                  .variables = {"TANDEM_CHUNK_MAX_TOKENS=1", "TANDEM_URL=http://elsewhere"}});
    auto end = child.wait();
    EXPECT_EQ(chunks_of({end.status, end.out, end.err}), chunks_of(first)) << end.err;
}

TEST_F(replay_recording, continues_after_the_same_failure) {
    mock::options o;
    o.replies = {{"story", story}};
    o.faults = {{.kind = mock::fault_kind::reset, .at_token = 3}};
    start_server(std::move(o));
    const auto first = record({"--prompt", "story"});
    EXPECT_EQ(first.event("summary")["went_on"], 1);
    const auto again = play_json();
    EXPECT_EQ(chunks_of(again), chunks_of(first));
    EXPECT_EQ(again.event("summary")["went_on"], 1);
}

TEST_F(replay_recording, may_be_without_prompts) {
    start_server();
    const auto first = record({"--prompt", "zebra story", "--record-no-prompts"});
    EXPECT_THAT(recorded(), Not(HasSubstr("zebra")));
    EXPECT_EQ(chunks_of(play_json()), chunks_of(first));
}

TEST_F(replay_recording, is_read_by_its_owner_alone) {
    write(older);
    fs::permissions(file(), fs::perms::all);
    start_server();
    record({"--prompt", "count"});
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(replay_recording, has_no_key) {
    mock::options o;
    o.api_key = "sk-zebra";
    o.replies = {{"count", "One. Two."}};
    start_server(std::move(o));
    record({"--prompt", "count", "--api-key=sk-zebra"});
    EXPECT_THAT(recorded(), Not(HasSubstr("zebra")));
}

TEST_F(replay_recording, of_something_else_than_a_replay_is_run_reply_by_reply) {
    start_server();
    const auto first = record({"--prompt", "story", "--prompt", "count"});
    auto lines = recorded();
    const auto note = lines.find('\n') + 1;
    lines.erase(note, lines.find('\n', note) + 1 - note);
    EXPECT_THAT(lines, Not(HasSubstr("\"replay\":")));
    write(lines);
    const auto again = play_json({"--first-chunk-min-tokens", "0"});
    ASSERT_EQ(again.events("end").size(), 2u) << again.err;
    EXPECT_EQ(again.events("end")[0]["text"], story);
    EXPECT_EQ(again.events("end")[1]["text"], "One. Two. Three.");
}

TEST_F(replay_recording, that_is_none_is_reported_with_its_line) {
    write("{\"ms\":0}\n");
    const auto r = play();
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("run.rec: line 1 is not a line of a recording"));
}

TEST_F(replay_recording, that_is_not_there_is_reported) {
    const auto r = play();
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("run.rec: No such file or directory"));
}

TEST_F(replay_recording, has_its_own_prompts_and_servers) {
    start_server();
    record({"--prompt", "count"});
    EXPECT_THAT(play({"--user", "Hi"}).err, HasSubstr("--from-recording cannot be combined"));
    EXPECT_THAT(play({"--url", "http://127.0.0.1:1"}).err,
                HasSubstr("--url http://127.0.0.1:1 is not a server of the recording"));
}

TEST_F(replay_recording, cannot_be_written_if_there_is_no_place) {
    start_server();
    const auto r = run({"--prompt", "count", "--record", (place_ / "none" / "x").string()});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("none/x: No such file or directory"));
    EXPECT_THAT(r.out, IsEmpty());
}

TEST_F(replay_recording, does_not_take_its_own_place) {
    start_server();
    record({"--prompt", "count"});
    const auto before = recorded();
    EXPECT_THAT(play({"--record", file()}).err, HasSubstr("name the same file"));
    fs::create_hard_link(file(), place_ / "other.rec");
    EXPECT_THAT(play({"--record", place_ / "other.rec"}).err, HasSubstr("name the same file"));
    EXPECT_EQ(recorded(), before);
}

TEST_F(replay_recording, takes_the_place_of_no_other_file) {
    start_server();
    write(R"({"prompt": "count"})");
    const auto r = run({"--record", file(), file()});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("run.rec: exists and is not a recording"));
    EXPECT_EQ(recorded(), R"({"prompt": "count"})");
    EXPECT_THAT(run({"--prompt", "count", "--record", "a.html", "--report", "./a.html"}).err,
                HasSubstr("--record and --report name the same file, a.html"));
    EXPECT_THAT(run({"--prompt", "count", "--record", ""}).err, HasSubstr("--record is empty"));
}

TEST_F(replay_recording, is_kept_by_the_next_one_and_the_one_before_is_not) {
    start_server();
    write(older);
    std::ofstream(older_file()) << older << "\n";
    const auto r = run({"--prompt", "count", "--json", "--record", file()});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(text_of(older_file()), older);
    server_.reset();
    EXPECT_EQ(chunks_of(play_json()), chunks_of(r));
}

TEST_F(replay_recording, does_not_take_the_place_of_an_old_file_that_is_none) {
    start_server();
    write(older);
    std::ofstream(older_file()) << "dear diary";
    const auto r = run({"--prompt", "count", "--record", file()});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("run.rec.old: exists and is not a recording"));
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_EQ(recorded(), older);
    EXPECT_EQ(text_of(older_file()), "dear diary");
}

TEST_F(replay_recording, leaves_out_the_names_of_dialogues_with_the_prompts) {
    start_server();
    record({"-", "--record-no-prompts"}, R"({"id": "Mrs Smith", "prompt": "count"})");
    EXPECT_THAT(recorded(), Not(HasSubstr("Smith")));
    EXPECT_EQ(play_json().event("end")["id"], "p1");
}

TEST_F(replay_recording, stays_if_the_next_run_cannot_begin) {
    start_server();
    write(older);
    const auto r = run({"--prompt", "count", "--record", file(), "--report",
                        (place_ / "none" / "x.html").string()});
    EXPECT_EQ(r.status, 2);
    EXPECT_EQ(recorded(), older);
}

TEST_F(replay_recording, is_told_to_be_one_on_the_screen_and_in_reports) {
    start_server();
    record({"--prompt", "count"});
    const auto page = place_ / "r.html", drawing = place_ / "r.svg";
    const auto r = play({"--speed", "3", "--report", page, "--report", drawing});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto source = "from the recording " + file() + ", speed 3";
    EXPECT_THAT(r.out, StartsWith("from the recording "));
    EXPECT_THAT(r.out, HasSubstr("\nrecorded from llama-server "));
    EXPECT_THAT(text_of(page), HasSubstr("<dt>played</dt><dd>" + source));
    EXPECT_THAT(text_of(page), HasSubstr("<dt>recorded server</dt>"));
    EXPECT_THAT(text_of(page), HasSubstr("are the recording&#39;s"));
    EXPECT_THAT(text_of(page), Not(HasSubstr("from the command line")));
    EXPECT_THAT(text_of(drawing), HasSubstr(" · played " + source));
}

TEST_F(replay_recording, has_no_more_words_than_were_asked_for) {
    start_server();
    record({"--prompt", "story", "--max-tokens", "5"});
    const auto r = play_json({"--max-tokens", "100"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.out, HasSubstr("bytes of this reply"));
}

TEST_F(replay_recording, that_ends_with_a_kill_is_told_to_do_so) {
    mock::options o;
    o.replies = {{"story", story}};
    o.faults = {{.kind = mock::fault_kind::stall, .at_token = 3}};
    start_server(std::move(o));
    auto child = start({"--json", "--record", file(), "--prompt", "story"});
    EXPECT_TRUE(
        poll_until([&] { return recorded().find("\"data\":\"data: ") != std::string::npos; }));
    child.send_signal(SIGKILL);
    child.wait();
    const auto r = play_json();
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, StartsWith("tandem replay: " + file() + " ends in the middle of a run; "));
    EXPECT_THAT(r.out, HasSubstr("or the recording ends there"));
}

TEST_F(replay_recording, that_ends_with_a_kill_while_the_voice_speaks_is_told_to_do_so) {
    start_server();
    auto child = start({"--json", "--record", file(), "--prompt", "story", "--tts", "wpm=1"});
    child.read_line();  // the first chunk, which takes minutes to speak
    child.send_signal(SIGKILL);
    child.wait();
    EXPECT_THAT(play_json({"--tts", "none"}).err, HasSubstr("ends in the middle of a run"));
}

TEST_F(replay_recording, of_a_whole_run_has_nothing_to_be_reported) {
    start_server();
    record({"--prompt", "count"});
    EXPECT_THAT(play_json().err, IsEmpty());
}

TEST_F(replay_recording, that_ends_with_an_interrupt_is_whole) {
    start_server();
    auto child = start({"--json", "--record", file(), "--prompt", "story", "--tts", "wpm=1"});
    child.read_line();
    child.send_signal(SIGINT);
    EXPECT_EQ(child.wait().status, 130);
    EXPECT_THAT(play_json({"--tts", "none"}).err, Not(HasSubstr("ends in the middle")));
}

TEST_F(replay_recording, takes_flags_that_belong_together_only_so) {
    EXPECT_THAT(run({"--user", "x", "--speed", "2"}).err, HasSubstr("--speed requires"));
    EXPECT_THAT(run({"--user", "x", "--record-no-prompts"}).err,
                HasSubstr("--record-no-prompts requires --record"));
}

}  // namespace
}  // namespace tandem::testing
