#include "replay_fixture.hpp"
#include "support/scripted_server.hpp"

#include <cstdint>

namespace {

using tandem::testing::child_process;
using tandem::testing::finished_run;
using tandem::testing::json;
using testing::HasSubstr;
using testing::SizeIs;

/// Runs the command with two servers: `server_` of the fixture is the first, and `second_` is the
/// second.
class replay_servers : public tandem::testing::replay_test {
 protected:
    void SetUp() override {
        start_server();
        second_.emplace(tandem::mock::options{.replies = {{"count", "One. Two. Three."}}});
    }

    finished_run run_on_both(std::vector<std::string> more, std::string input = {}) const {
        more.insert(more.begin(), {"--server", second_url_.empty() ? second_->url() : second_url_});
        return run(std::move(more), std::move(input));
    }
    void stop_second() {
        second_url_ = second_->url();
        second_.reset();
    }

    std::optional<tandem::mock::server> second_;
    std::string second_url_;
};

constexpr const char* four_prompts =
    "{\"prompt\": \"count\"}\n{\"prompt\": \"count\"}\n"
    "{\"prompt\": \"count\"}\n{\"prompt\": \"count\"}\n";

TEST_F(replay_servers, take_raw_prompts_in_turn) {
    const auto r = run_on_both({"--json", "-"}, four_prompts);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(4));
    for (const std::size_t i : {0U, 2U}) EXPECT_EQ(ends[i]["server"], server_->url());
    for (const std::size_t i : {1U, 3U}) EXPECT_EQ(ends[i]["server"], second_->url());
    EXPECT_EQ(r.events("chunk")[0]["server"], server_->url());
}

TEST_F(replay_servers, are_not_named_if_there_is_one) {
    const auto r = run({"--json", "--prompt", "count"});
    EXPECT_FALSE(r.event("end").contains("server"));
}

TEST_F(replay_servers, tell_people_which_of_them_a_reply_had) {
    const auto r = run_on_both({"--prompt", "count"});
    EXPECT_THAT(r.out, HasSubstr(server_->url() + ": llama-server "));
    EXPECT_THAT(r.out, HasSubstr(second_->url() + ": llama-server "));
    EXPECT_THAT(r.out, HasSubstr(server_->url() + "\n"));
}

TEST_F(replay_servers, continue_with_the_other_one_and_report_once_that_one_is_down) {
    stop_second();
    const auto r = run_on_both({"--json", "-"}, four_prompts);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto error = r.event("error");
    EXPECT_TRUE(error["id"].is_null());
    EXPECT_EQ(error["code"], "connect_failed");
    EXPECT_EQ(error["server"], second_url_);
    EXPECT_EQ(r.event("summary")["complete"], 4);
}

TEST_F(replay_servers, share_the_conversations) {
    const auto r = run_on_both({"--json", "--concurrency", "2", "--tts", "wpm=2000", "--user",
                                "count", "--user", "count"});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_NE(ends[0]["server"], ends[1]["server"]);
}

std::int64_t sum_over_slots(const json& summary, const char* figure) {
    std::int64_t sum = 0;
    for (const auto& server : summary["servers"])
        for (const auto& slot : server["slots"]) sum += slot[figure].get<std::int64_t>();
    return sum;
}

TEST_F(replay_servers, have_figures_of_slots_that_add_up_to_the_totals) {
    for (const auto* pacing : {"strict", "warm", "ahead", "stream"}) {
        const auto r = run_on_both(
            {"--json", "--concurrency", "3", "--pacing", pacing, "--tts", "wpm=20000", "-"},
            "{\"turns\": [\"story\", \"count\"]}\n{\"prompt\": \"count\"}\n"
            "{\"turns\": [\"a\", \"b\"], \"interrupt_after_ms\": 20}\n"
            "{\"prompt\": \"story\", \"interrupt_after_ms\": 5}\n");
        const auto summary = r.event("summary");
        std::int64_t requests = 0;
        for (const auto& end : r.events("end")) requests += end["requests"].get<std::int64_t>();
        EXPECT_EQ(sum_over_slots(summary, "requests"), requests) << pacing;
        EXPECT_EQ(sum_over_slots(summary, "chunks"), summary["chunks"]) << pacing;
        for (const auto* figure : {"generated", "cached", "evaluated"})
            EXPECT_EQ(sum_over_slots(summary, figure), summary["tokens"][figure]) << pacing;
        EXPECT_GT(requests, 0);
    }
}

TEST_F(replay_servers, are_summed_up_with_their_states) {
    stop_second();
    const auto servers = run_on_both({"--json", "--user", "count"}).event("summary")["servers"];
    ASSERT_THAT(servers, SizeIs(2));
    EXPECT_EQ(servers[0]["url"], server_->url());
    EXPECT_EQ(servers[0]["state"], "up");
    EXPECT_EQ(servers[0]["replies"], 1);
    EXPECT_EQ(servers[1]["state"], "down");
    EXPECT_EQ(servers[1]["replies"], 0);
}

TEST_F(replay_servers, have_a_table_for_people) {
    const auto r = run_on_both({"--prompt", "count"});
    EXPECT_THAT(r.out, HasSubstr("slot  requests  chunks  generated  cache hit  evaluated\n"));
    EXPECT_THAT(r.out, HasSubstr(second_->url().substr(7) + "  up, not used\n"));
}

TEST_F(replay_servers, have_conversations_at_the_other_one_if_one_is_down) {
    stop_second();
    const auto r =
        run_on_both({"--json", "--concurrency", "2", "-"},
                    "{\"turns\": [\"a\", \"count\"]}\n{\"turns\": [\"a\", \"count\"]}\n");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("error")["server"], second_url_);
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(4));
    for (const auto& end : ends) EXPECT_EQ(end["server"], server_->url());
}

TEST_F(replay_servers, lose_their_conversations_when_they_die_between_two_turns) {
    const tandem::mock::options talk{.dialogues = {{"d",
                                                    {{"user", "Hi"},
                                                     {"assistant", "Hello there."},
                                                     {"user", "Go"},
                                                     {"assistant", "I go."}}}}};
    start_server(talk);
    second_.emplace(talk);
    // Speaking the only chunk of the first turn takes a second. Meanwhile, the test stops its
    // server.
    auto child = start({"--server", second_->url(), "--json", "--tts", "wpm=120", "-"},
                       R"({"turns": ["Hi", "Go"]})");
    const auto chunk = json::parse(child.read_line());
    ASSERT_EQ(chunk["event"], "chunk");
    const bool is_first = chunk["server"] == server_->url();
    (is_first ? *server_ : *second_).stop();
    const auto end = child.wait();
    const finished_run r{end.status, end.out, end.err};
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends[1]["text"], "I go.");
    EXPECT_EQ(ends[1]["server"], (is_first ? *second_ : *server_).url());
    EXPECT_EQ(r.event("summary")["conversations"]["moves"], 1);
}

// The first server crashes at its second request, after the first chunk of a reply.
class replay_failover : public replay_servers {
 protected:
    void SetUp() override {
        tandem::mock::options talk{
            .dialogues = {{"d", {{"user", "count"}, {"assistant", "One. Two. Three."}}}}};
        second_.emplace(talk);
        talk.faults = {{.kind = tandem::mock::fault_kind::crash, .at_token = 0, .skip = 1}};
        start_server(talk);
    }
    finished_run run_on_both(std::vector<std::string> more) const {
        more.insert(more.begin(), {"--placement", "round_robin", "--user", "count"});
        return replay_servers::run_on_both(std::move(more));
    }
};

TEST_F(replay_failover, reports_which_server_made_each_chunk) {
    const auto r = run_on_both({"--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto chunks = r.events("chunk");
    ASSERT_THAT(chunks, SizeIs(3));
    EXPECT_EQ(chunks[0]["server"], server_->url());
    EXPECT_EQ(chunks[1]["server"], second_->url());
    EXPECT_EQ(chunks[2]["server"], second_->url());
    EXPECT_EQ(r.event("end")["server"], second_->url());
    EXPECT_EQ(r.event("end")["text"], "One. Two. Three.");
}

TEST_F(replay_failover, sums_up_what_each_server_did) {
    const auto r = run_on_both({"--json"});
    const auto summary = r.event("summary");
    const auto& servers = summary["servers"];
    EXPECT_EQ(servers[0]["slots"][0]["chunks"], 1);
    EXPECT_EQ(servers[0]["replies"], 0);
    EXPECT_EQ(servers[1]["replies"], 1);
    EXPECT_EQ(sum_over_slots(summary, "chunks"), 3);
    EXPECT_EQ(sum_over_slots(summary, "requests"), r.event("end")["requests"]);
    EXPECT_EQ(summary["conversations"]["moves"], 1);
}

TEST_F(replay_failover, tells_people_where_the_reply_began_and_continued) {
    const auto r = run_on_both({"--color", "never"});
    EXPECT_THAT(r.out, HasSubstr("server lost after "));
    std::string text;
    std::istringstream words(r.out);
    for (std::string word; words >> word;) text += word + ' ';
    EXPECT_THAT(text, HasSubstr("at " + server_->url() + ", then " + second_->url()));
}

// Answers like a server that is not a llama-server.
tandem::testing::scripted_server::script answers(std::string status) {
    return [status](tandem::testing::scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.read_request();
        co_await peer.send(tandem::testing::whole_answer("<html>no</html>", status));
    };
}

TEST_F(replay_servers, are_done_without_if_they_are_none) {
    for (const auto* status :
         {"404 Not Found", "302 Found\r\nLocation: /login", "401 No", "200 OK"}) {
        tandem::testing::scripted_server other(answers(status));
        second_url_ = other.url();
        const auto r = run_on_both(
            {"--json", "--placement", "round_robin", "--user", "count", "--user", "count"});
        EXPECT_EQ(r.status, 0) << status << r.out << r.err;
        EXPECT_EQ(r.event("error")["server"], second_url_);
        EXPECT_THAT(r.event("error")["message"].get<std::string>(),
                    HasSubstr("this run does not use it"));
        EXPECT_EQ(r.event("summary")["complete"], 2) << status;
        EXPECT_EQ(r.event("summary")["servers"][1]["state"], "down") << status;
    }
}

TEST_F(replay_servers, are_named_if_one_of_them_cannot_be_used) {
    stop_second();
    EXPECT_THAT(run_on_both({"--user", "count"}).err,
                HasSubstr("tandem replay: " + second_url_ + ": connect_failed: "));
}

TEST_F(replay_servers, take_conversations_in_turn_if_that_is_asked_for) {
    const auto r = run_on_both(
        {"--json", "--placement", "round_robin", "--user", "a", "--user", "b", "--user", "c"});
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(3));
    EXPECT_NE(ends[0]["server"], ends[1]["server"]);
    EXPECT_EQ(ends[0]["server"], ends[2]["server"]);
}

TEST_F(replay_servers, are_each_told_once_if_all_are_down) {
    stop_second();
    const auto arguments = args({"--json", "--server", second_url_, "-"});
    server_->stop();
    child_process child(program, {.args = arguments, .input = four_prompts});
    const auto end = child.wait();
    const finished_run r{end.status, end.out, end.err};
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.events("error"), SizeIs(2));
    EXPECT_EQ(r.event("summary")["not_started"], 4);
}

}  // namespace
