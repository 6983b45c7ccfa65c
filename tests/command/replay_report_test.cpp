#include "replay_fixture.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

using tandem::testing::child_process;
using tandem::testing::finished_run;
using tandem::testing::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace files = std::filesystem;

/// Runs the command with --report. A Python program reads the report.
class replay_reports : public tandem::testing::replay_test {
 protected:
    replay_reports() { files::create_directory(place_); }
    ~replay_reports() override { files::remove_all(place_); }

    std::string path(const std::string& name) const { return place_ / name; }
    finished_run run_with(const std::string& name, std::vector<std::string> more,
                          std::string input = {}) const {
        more.insert(more.end(), {"--report", path(name)});
        return run(std::move(more), std::move(input));
    }
    // The contents of the report, as read_report.py prints them.
    json read(const std::string& name) const {
        child_process reader(TANDEM_PYTHON, {.args = {TANDEM_READ_REPORT, path(name)}});
        const auto end = reader.wait();
        EXPECT_EQ(end.status, 0) << end.err;
        return json::parse(end.out, nullptr, false);
    }
    static std::vector<std::string> strings(const json& list) { return list; }

    files::path place_ = testing::TempDir() + "replay_report_test_" + std::to_string(::getpid());
};

constexpr const char* markup_text = "See </script><img src=x> & <b>that</b>. Bye.";

TEST_F(replay_reports, show_the_texts_of_a_run_beside_its_output) {
    start_server();
    const auto r = run_with("r.html", {"--prompt", "story", "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.events("chunk").size(), 4u);
    const auto page = read("r.html");
    EXPECT_THAT(strings(page["texts"]), Contains("story"));
    EXPECT_THAT(strings(page["texts"]), Contains(HasSubstr("It saw the moon.")));
}

TEST_F(replay_reports, are_pages_that_load_nothing) {
    start_server();
    run_with("r.html", {"--prompt", "story"});
    const auto page = read("r.html");
    EXPECT_EQ(page["policy"],
              "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'");
    EXPECT_THAT(page["loads"], IsEmpty());
}

TEST_F(replay_reports, are_pages_whose_elements_all_end) {
    start_server();
    run_with("r.html", {"--prompt", "story"});
    EXPECT_THAT(read("r.html")["faults"], IsEmpty());
}

TEST_F(replay_reports, show_what_slots_and_voice_did) {
    start_server();
    run_with("r.html", {"--prompt", "story", "--tts", "wpm=6000"});
    const auto bars = strings(read("r.html")["bars"]);
    for (const auto* kind : {"prompt", "generation", "text", "speech", "end"})
        EXPECT_THAT(bars, Contains(kind));
}

TEST_F(replay_reports, keep_hostile_texts_as_texts) {
    start_server({.replies = {{"hostile <img src=x>", markup_text}}});
    run_with("r.html", {"--prompt", "hostile <img src=x>"});
    const auto page = read("r.html");
    EXPECT_THAT(strings(page["tags"]), Not(Contains("img")));
    EXPECT_THAT(strings(page["texts"]), Contains("hostile <img src=x>"));
    EXPECT_THAT(strings(page["texts"]), Contains(HasSubstr("</script><img src=x> & <b>that</b>.")));
}

TEST_F(replay_reports, draw_the_only_reply) {
    start_server();
    const auto r = run_with("r.svg", {"--prompt", "story"});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto drawing = read("r.svg");
    EXPECT_EQ(drawing["root"], "svg");
    EXPECT_THAT(strings(drawing["bars"]), Contains("generation"));
    EXPECT_THAT(strings(drawing["titles"]), Contains(HasSubstr("It saw the moon.")));
    EXPECT_THAT(strings(drawing["titles"]), Contains(HasSubstr("request until its first token")));
}

TEST_F(replay_reports, keep_hostile_texts_as_texts_in_a_drawing) {
    start_server({.replies = {{"hostile", markup_text}}});
    run_with("r.svg", {"--prompt", "hostile"});
    const auto drawing = read("r.svg");
    EXPECT_THAT(strings(drawing["tags"]), Not(Contains(HasSubstr("img"))));
    EXPECT_THAT(strings(drawing["titles"]), Contains(HasSubstr("<img src=x>")));
}

TEST_F(replay_reports, draw_one_reply_only) {
    start_server();
    const auto r = run_with("r.svg", {"--prompt", "story", "--prompt", "count"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("can show only one reply, but this run has 2"));
    EXPECT_FALSE(files::exists(path("r.svg")));
}

TEST_F(replay_reports, are_as_many_as_are_asked_for) {
    start_server();
    const auto r = run_with("r.html", {"--prompt", "story", "--report", path("r.svg")});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(strings(read("r.html")["texts"]), Contains("story"));
    EXPECT_EQ(read("r.svg")["root"], "svg");
}

TEST_F(replay_reports, are_reported_by_endings_in_capitals_too) {
    start_server();
    const auto r = run_with("R.HTML", {"--prompt", "story", "--report", path("R.SVG")});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(files::exists(path("R.HTML")));
    EXPECT_TRUE(files::exists(path("R.SVG")));
}

TEST_F(replay_reports, that_cannot_be_written_are_reported_before_the_run) {
    start_server();
    const auto r = run_with("none/r.html", {"--json", "--prompt", "story"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("--report: " + path("none/r.html") + ": No such file"));
    EXPECT_THAT(r.out, IsEmpty());
}

TEST_F(replay_reports, are_pages_or_drawings) {
    const auto r = run_with("r.pdf", {"--prompt", "story"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("its name must end in .html, or in .svg for one reply"));
}

TEST_F(replay_reports, are_written_after_an_interrupt_too) {
    start_server();
    auto child =
        start({"--json", "--prompt", "story", "--tts", "wpm=1", "--report", path("r.html")});
    child.read_line();  // the first chunk, which takes minutes to speak
    child.send_signal(SIGINT);
    EXPECT_EQ(child.wait().status, 130);
    EXPECT_THAT(strings(read("r.html")["bars"]), Contains("interrupt"));
}

TEST_F(replay_reports, are_written_if_the_terminal_is_closed) {
    start_server();
    auto child =
        start({"--json", "--prompt", "story", "--tts", "wpm=1", "--report", path("r.html")});
    child.read_line();
    // A terminal that is closed may send several signals.
    for (int i = 0; i < 3; ++i) child.send_signal(SIGHUP);
    child.close_stdout();
    EXPECT_EQ(child.wait().status, 129);
    EXPECT_THAT(strings(read("r.html")["bars"]), Contains("interrupt"));
}

TEST_F(replay_reports, report_a_server_that_does_not_answer) {
    const auto r = run_with("r.html", {"--prompt", "story", "--url", "http://127.0.0.1:1"});
    EXPECT_EQ(r.status, 1);
    std::ifstream in(path("r.html"));
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(page, HasSubstr("<p class=\"fault\">http://127.0.0.1:1: connect_failed"));
}

TEST_F(replay_reports, are_not_drawn_without_a_reply) {
    const auto r = run_with("r.svg", {"--prompt", "story", "--url", "http://127.0.0.1:1"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("was not written, as there was no reply"));
    EXPECT_FALSE(files::exists(path("r.svg")));
}

}  // namespace
