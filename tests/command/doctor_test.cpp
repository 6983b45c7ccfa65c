#include "doctor_fixture.hpp"
#include "support/http_probe.hpp"
#include "support/scripted_server.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

namespace {

using namespace std::chrono_literals;
using namespace tandem::testing;
using tandem::mock::fault_kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class doctor : public testing::Test {
 protected:
    tandem::mock::server& start_server(tandem::mock::options o = {}) {
        return server_.emplace(std::move(o));
    }
    child_process start(std::vector<std::string> more) const {
        const bool names_server = std::ranges::find(more, "--url") != more.end();
        if (!names_server) more.insert(more.begin(), {"--url", server_->url()});
        return start_doctor(std::move(more));
    }
    doctor_run run(std::vector<std::string> more = {"--json"}) const {
        auto child = start(std::move(more));
        return wait_for_doctor(child);
    }

    std::optional<tandem::mock::server> server_;
};

TEST_F(doctor, finds_a_good_server_good) {
    start_server();
    const auto r = run();
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_EQ(r.object()["good"], true);
    EXPECT_THAT(r.err, IsEmpty());
}

TEST_F(doctor, measures_what_slots_keep) {
    start_server();
    const auto m = run().object()["measurements"];
    EXPECT_EQ(m["rounds"], 3);
    EXPECT_EQ(m["requests"], 24);
    EXPECT_LE(m["cache_same_slot"]["evaluated_tokens"], 2);
    EXPECT_GT(m["cache_other_slot"]["evaluated_tokens"], 200);
    EXPECT_LE(m["cache_prefilled_slot"]["evaluated_tokens"], 2);
    EXPECT_LE(m["cache_first_slot_again"]["evaluated_tokens"], 4);
}

TEST_F(doctor, finds_that_conversations_return_from_host_memory) {
    for (const int slots : {1, 2}) {
        start_server({.parallel = slots});
        const auto r = run();
        EXPECT_EQ(r.check("host_memory")["status"], "ok") << r.out;
        const auto m = r.object()["measurements"];
        EXPECT_EQ(m["cache_after_change"]["evaluated_tokens"], 1) << slots;
        EXPECT_GT(m["first_token_after_change_ms"], 0);
    }
}

TEST_F(doctor, warns_of_a_server_without_host_memory) {
    start_server({.cache_ram = 0});
    const auto r = run();
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.check("host_memory")["status"], "warning") << r.out;
    EXPECT_GT(r.object()["measurements"]["cache_after_change"]["evaluated_tokens"], 200);
}

TEST_F(doctor, shows_how_calls_of_functions_begin) {
    start_server({.tool_template = true});
    const auto shown = run({"--json", "--quick"}).check("tool_calls");
    EXPECT_EQ(shown["status"], "ok");
    EXPECT_EQ(shown["value"], "<tool_call>");
    start_server({.tool_template = false});
    const auto hidden = run({"--json", "--quick"}).check("tool_calls");
    EXPECT_EQ(hidden["status"], "note");
    EXPECT_EQ(hidden["value"], "none");
}

TEST_F(doctor, cuts_once_a_round_and_sees_the_slot_become_idle) {
    start_server({.tokens_per_second = 400});
    const auto m = run().object()["measurements"];
    EXPECT_TRUE(m["cut_to_idle_ms"].is_number());
    EXPECT_GE(m["tokens_after_cut"], 0);
    const auto seen = server_->observe().of_path("/completion");
    EXPECT_EQ(std::ranges::count(seen, tandem::mock::outcome::cut,
                                 &tandem::mock::request_record::outcome),
              m["rounds"]);
}

TEST_F(doctor, leaves_no_request_behind) {
    start_server();
    run();
    EXPECT_TRUE(server_->wait_until([](const auto& seen) {
        return std::ranges::all_of(seen.requests, [](const tandem::mock::request_record& q) {
            return q.ended.has_value();
        });
    }));
}

TEST_F(doctor, shows_people_a_screen_without_the_progress_if_it_is_no_terminal) {
    start_server();
    const auto r = run({});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.out,
                AllOf(HasSubstr("\n  ok      model         mock\n"), HasSubstr("\nMeasured\n"),
                      HasSubstr("\nAdvised for llama-server"), HasSubstr("\nGood for a bot: ")));
    EXPECT_THAT(r.err, IsEmpty());
}

TEST_F(doctor, uses_no_slot_when_it_is_to_be_quick) {
    start_server();
    const auto r = run({"--json", "--quick"});
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.object()["measurements"]["requests"], 0);
    EXPECT_THAT(server_->observe().of_path("/completion"), IsEmpty());
}

TEST_F(doctor, reports_that_nobody_listens) {
    start_server();
    const auto url = server_->url();
    server_->stop();
    const auto r = run({"--json", "--url", url});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("reachable")["value"], "connect_failed");
    EXPECT_EQ(r.object()["checks"].size(), 1u);
}

TEST_F(doctor, reports_that_the_key_is_wrong_without_showing_it) {
    start_server({.api_key = "sesame"});
    const auto r = run({"--json", "--api-key", "wrong-key"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("api_key")["status"], "bad");
    EXPECT_THAT(r.out + r.err, Not(HasSubstr("wrong-key")));
    const auto right = run({"--json", "--api-key", "sesame"});
    EXPECT_EQ(right.status, 0);
    EXPECT_EQ(right.check("api_key")["value"], "accepted");
}

TEST_F(doctor, says_that_the_server_requires_no_key_if_one_is_given) {
    start_server();
    const auto check = run({"--json", "--api-key", "sesame"}).check("api_key");
    EXPECT_EQ(check["value"], "none");
    EXPECT_EQ(check["message"], "not required (the given one is ignored)");
}

TEST_F(doctor, shows_no_credentials_of_the_url) {
    start_server();
    auto url = server_->url();
    url.insert(url.find("//") + 2, "user:secret@");
    const auto r = run({"--url", url, "--quick"});
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_THAT(r.out + r.err, Not(HasSubstr("secret")));
}

TEST_F(doctor, warns_of_a_single_slot_and_measures_it) {
    start_server({.parallel = 1});
    const auto r = run();
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.check("slots")["status"], "warning");
    EXPECT_EQ(r.object()["measurements"]["requests"], 15);
    EXPECT_TRUE(r.object()["measurements"]["cache_other_slot"].is_null());
}

TEST_F(doctor, finds_that_slots_that_share_a_cache_lose_what_they_hold) {
    start_server({.parallel = 4, .kv_unified = true});
    const auto r = run();
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("pinned_slots")["status"], "bad") << r.out;
}

TEST_F(doctor, reports_what_a_model_costs_that_cannot_take_back_tokens) {
    start_server({.memory = tandem::mock::memory_kind::recurrent});
    const auto r = run();
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.check("cache_same_slot")["status"], "note");
    EXPECT_EQ(r.check("cache_prefilled_slot")["status"], "ok");
    EXPECT_EQ(r.check("pinned_slots")["status"], "ok");
    EXPECT_EQ(r.check("host_memory")["status"], "ok");
}

TEST_F(doctor, does_without_the_list_of_slots) {
    start_server({.slots_endpoint = false});
    const auto r = run();
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.check("slots_endpoint")["value"], "off");
    EXPECT_TRUE(r.object()["measurements"]["cut_to_idle_ms"].is_null());
    EXPECT_EQ(r.object()["measurements"]["rounds"], 3);
}

TEST_F(doctor, waits_for_a_model_that_loads) {
    start_server({.load_time = 300ms});
    const auto r = run({"--json", "--quick"});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.check("model")["message"].get<std::string>(), HasSubstr(", loaded after "));
}

TEST_F(doctor, reports_that_the_model_still_loads_after_the_wait) {
    start_server({.load_time = 1h});
    const auto r = run({"--json", "--wait", "20ms"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("model")["value"], "loading");
}

TEST_F(doctor, tells_another_kind_of_server) {
    scripted_server other([](scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.read_request();
        co_await peer.send(whole_answer("<html>no</html>", "404 Not Found"));
    });
    const auto r = run({"--json", "--url", other.url()});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("server")["status"], "bad");
    EXPECT_THAT(r.check("server")["message"].get<std::string>(),
                AllOf(HasSubstr("not a llama-server"), Not(HasSubstr("html"))));
}

TEST_F(doctor, takes_no_port_for_https_that_answers_a_handshake_in_plain_words) {
    scripted_server other([](scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.send(whole_answer("<html>no</html>"));
        co_await peer.wait_for_close();
    });
    const auto r = run({"--json", "--url", other.url()});
    EXPECT_EQ(r.check("server")["status"], "bad");
    EXPECT_THAT(r.out, Not(HasSubstr("https")));
}

TEST_F(doctor, reports_that_a_port_speaks_plain_http) {
    start_server();
    auto url = server_->url();
    url.insert(4, "s");
    const auto r = run({"--json", "--url", url, "--connect-timeout", "300ms"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("reachable")["message"], "the port speaks http, not https");
    EXPECT_EQ(r.check("reachable")["remedy"], "use " + server_->url());
}

TEST_F(doctor, sends_no_secret_over_plain_http_that_was_meant_for_https) {
    start_server();
    const auto url = "https://user:secret@127.0.0.1:" + std::to_string(server_->port());
    run({"--json", "--url", url, "--connect-timeout", "300ms", "--api-key", "sesame"});
    const auto seen = server_->observe().of_path("/health");
    ASSERT_THAT(seen, testing::SizeIs(1));
    EXPECT_THAT(seen[0].header("authorization"), IsEmpty());
}

TEST_F(doctor, keeps_what_it_knows_when_the_server_dies) {
    start_server({.faults = {{.kind = fault_kind::crash, .at_token = 1, .skip = 8}}});
    const auto r = run();
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.check("requests")["status"], "bad");
    EXPECT_THAT(r.check("requests")["message"].get<std::string>(),
                HasSubstr("8 answered, then stream_incomplete: "));
    EXPECT_FALSE(r.check("first_token").is_null());
}

TEST_F(doctor, gives_up_a_server_that_says_nothing) {
    start_server({.faults = {{.kind = fault_kind::slow_headers, .duration = 1h}}});
    const auto r = run({"--json", "--first-token-timeout", "50ms"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.check("requests")["message"].get<std::string>(),
                HasSubstr("0 answered, then first_token_timeout: "));
}

TEST_F(doctor, gives_up_a_server_that_stops_talking) {
    start_server({.faults = {{.kind = fault_kind::stall, .at_token = 3}}});
    const auto r = run({"--json", "--between-tokens-timeout", "50ms"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.check("requests")["message"].get<std::string>(),
                HasSubstr("then between_tokens_timeout: "));
}

TEST_F(doctor, does_not_cut_on_a_build_that_may_die_of_it) {
    start_server({.build_info = "b7000"});
    const auto r = run({"--json", "--reuse-guard", "2s"});
    EXPECT_EQ(r.status, 0) << r.out;
    EXPECT_EQ(r.check("build_fault")["status"], "warning");
    EXPECT_TRUE(r.check("cut").is_null());
    EXPECT_GT(r.object()["measurements"]["cache_first_slot_again"]["cached_tokens"], 200);
    for (const auto& request : server_->observe().of_path("/completion"))
        EXPECT_EQ(request.outcome, tandem::mock::outcome::complete);
}

TEST_F(doctor, warns_when_others_use_the_server) {
    start_server({.tokens_per_second = 100});
    http_probe others(server_->url());
    const auto running = others.start({{"prompt", "x"},
                                       {"id_slot", 0},
                                       {"n_predict", 100'000},
                                       {"ignore_eos", true},
                                       {"stream", true}});
    ASSERT_TRUE(others.wait_for_events(*running, 1));
    const auto r = run();
    EXPECT_EQ(r.check("other_clients")["status"], "warning");
    EXPECT_EQ(r.check("other_clients")["value"], 1);
    EXPECT_EQ(r.object()["measurements"]["slots"], json::array({1}));
}

TEST_F(doctor, sees_that_others_used_a_slot_for_a_moment) {
    start_server(
        {.parallel = 3, .faults = {{.kind = fault_kind::slow_headers, .duration = 5s, .skip = 3}}});
    auto child = start({"--json"});
    ASSERT_TRUE(server_->wait_until(
        [](const auto& seen) { return seen.of_path("/completion").size() == 4; }));
    http_probe others(server_->url());
    others.post("/completion", {{"prompt", "x"}, {"id_slot", 2}, {"n_predict", 1}});
    const auto r = wait_for_doctor(child);
    EXPECT_EQ(r.check("other_clients")["status"], "warning") << r.out;
    EXPECT_EQ(r.check("other_clients")["value"], 1);
}

TEST_F(doctor, tells_to_leave_out_the_v1_of_openai) {
    start_server();
    const auto r = run({"--url", server_->url() + "/v1"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("remove /v1"));
}

struct doctor_signal {
    const char* name;
    int number;
};

class doctor_stopped : public doctor, public testing::WithParamInterface<doctor_signal> {};

TEST_P(doctor_stopped, reports_what_is_known) {
    start_server({.faults = {{.kind = fault_kind::stall, .at_token = 2, .skip = 1}}});
    auto child = start({"--json"});
    ASSERT_TRUE(server_->wait_until(
        [](const auto& seen) { return seen.of_path("/completion").size() == 2; }));
    child.send_signal(GetParam().number);
    const auto r = wait_for_doctor(child);
    EXPECT_EQ(r.status, 128 + GetParam().number);
    EXPECT_EQ(r.object()["stopped"], true);
    EXPECT_EQ(r.check("requests")["status"], "note");
    EXPECT_FALSE(r.check("first_token").is_null());
}

INSTANTIATE_TEST_SUITE_P(by, doctor_stopped,
                         testing::Values(doctor_signal{"ctrl_c", SIGINT},
                                         doctor_signal{"sigterm", SIGTERM}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(doctor, ends_with_a_message_when_the_disk_is_full) {
    start_server();
    child_process child(TANDEM_COMMAND, {.args = {"doctor", "--quick", "--url", server_->url()},
                                         .out_file = "/dev/full"});
    const auto r = wait_for_doctor(child);
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("cannot write to stdout: No space left on device"));
}

}  // namespace
