// An outside policy that is asked about prompts.

#include "gateway/policy_fixture.hpp"

#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(policed_gateway, asks_before_a_prompt_goes_to_a_server) {
    start();
    const auto a = client().post("/v1/chat/completions", chat());
    ASSERT_EQ(a.status, 200) << a.body;
    ASSERT_THAT(questions(), SizeIs(1));
    const auto q = questions()[0].body;
    EXPECT_EQ(q["request_id"], a.headers.at("x-request-id"));
    EXPECT_EQ(q["key"], "anonymous");
    EXPECT_EQ(q["model"], "talk");
    EXPECT_EQ(q["route"], "/v1/chat/completions");
    EXPECT_EQ(q["texts"], json::array({"Hello!"}));
}

TEST_F(policed_gateway, asks_about_raw_prompts_too_and_at_the_path_of_its_url) {
    server_options.replies.push_back({"Once upon", " a time."});
    options.policy.url += "/check/";
    start();
    client().post("/v1/completions", json{{"model", "talk"}, {"prompt", "Once upon"}});
    ASSERT_THAT(questions(), SizeIs(1));
    EXPECT_THAT(questions()[0].head, ::testing::StartsWith("POST /check/ HTTP/1.1\r\n"));
    EXPECT_EQ(questions()[0].body["route"], "/v1/completions");
    EXPECT_EQ(questions()[0].body["texts"], json::array({"Once upon"}));
}

TEST_F(policed_gateway, tells_the_name_of_a_key_and_no_secret) {
    const auto made = gateway::make_api_key();
    options.keys = gateway::api_keys({{.name = "reception",
                                       .sha256 = *gateway::hash_of_key(made.key),
                                       .rights = {gateway::right::generate}}});
    options.service.server.api_key = "secret-of-the-servers";
    start();
    auto c = client();
    c.headers["Authorization"] = "Bearer " + made.key;
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
    ASSERT_THAT(questions(), SizeIs(1));
    EXPECT_EQ(questions()[0].body["key"], "reception");
    EXPECT_THAT(questions()[0].all, Not(HasSubstr(made.key)));
    EXPECT_THAT(questions()[0].all, Not(HasSubstr("secret-of-the-servers")));
}

TEST_F(policed_gateway, passes_the_trace_of_a_request_on_to_the_policy) {
    start();
    auto c = client();
    const std::string traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    c.headers["traceparent"] = traceparent;
    c.post("/v1/chat/completions", chat());
    ASSERT_THAT(questions(), SizeIs(1));
    EXPECT_THAT(questions()[0].head, HasSubstr("traceparent: " + traceparent + "\r\n"));
}

TEST_F(policed_gateway, refuses_what_the_policy_refuses_and_tells_why) {
    policy_answers(whole_answer(R"({"allowed":false,"reason":"No\nrecipes."})"));
    start();
    for (const bool streams : {false, true}) {
        const auto a = client().post("/v1/chat/completions", chat("Hello!", {{"stream", streams}}));
        EXPECT_EQ(a.status, 400);
        EXPECT_EQ(a.parsed()["error"]["code"], "content_policy");
        EXPECT_EQ(a.parsed()["error"]["message"], "the prompt is not allowed here: No recipes.");
    }
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

TEST_F(policed_gateway, asks_nobody_about_what_it_refuses_itself) {
    options.prompts.denied = {"secret sauce"};
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat("Secret sauce?")).status, 400);
    auto twice = chat("Hello!");
    twice["n"] = 2;
    EXPECT_EQ(client().post("/v1/chat/completions", twice).status, 400);
    EXPECT_THAT(questions(), IsEmpty());
}

TEST_F(policed_gateway, asks_for_each_request_also_where_the_answer_is_kept) {
    start();
    client().post("/v1/chat/completions", chat());
    policy_answers(whole_answer(R"({"allowed":false})"));
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 400);
}

// --- a policy that cannot tell

struct broken_answer {
    const char* name;
    std::string sent;
};
class broken_policy : public policed_gateway,
                      public ::testing::WithParamInterface<broken_answer> {};

TEST_P(broken_policy, has_prompts_refused) {
    policy_answers(GetParam().sent);
    start();
    const auto a = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(a.status, 503);
    EXPECT_EQ(a.parsed()["error"]["code"], "policy_unavailable");
    EXPECT_EQ(a.headers.at("retry-after"), "1");
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
    end();
    EXPECT_EQ(log.count(log_level::warning,
                        "the policy check (--policy-url) failed, and the prompt is refused: "),
              1u);
    log.expect_nowhere("of the policy");
}

TEST_P(broken_policy, has_prompts_pass_where_that_is_wanted) {
    options.policy.on_failure = gateway::on_policy_failure::pass;
    policy_answers(GetParam().sent);
    start();
    const auto a = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(a.status, 200) << a.body;
    end();
    EXPECT_EQ(log.count(log_level::warning,
                        "request " + a.headers.at("x-request-id") +
                            ": the policy check (--policy-url) failed, and the prompt passes "
                            "unchecked: "),
              1u);
}

INSTANTIATE_TEST_SUITE_P(
    table, broken_policy,
    ::testing::Values(
        broken_answer{"of_another_status", whole_answer("words of the policy", "500 Oh")},
        broken_answer{"that_sends_elsewhere",
                      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
                      "Content-Length: 0\r\n\r\n"},
        broken_answer{"without_json", whole_answer("words of the policy")},
        broken_answer{"without_a_verdict", whole_answer(R"({"allow":true})")},
        // The connection stays open behind it: nobody waits for the rest.
        broken_answer{"that_says_too_much", "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" +
                                                std::string(70'000, ' ')},
        broken_answer{"that_hangs_up", ""},
        broken_answer{"that_breaks_off", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"}),
    [](const auto& row) { return row.param.name; });

TEST_F(policed_gateway, waits_no_longer_than_it_may) {
    options.policy.timeout = 50ms;
    policy_is_silent();
    start();
    const auto a = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(a.parsed()["error"]["code"], "policy_unavailable");
    EXPECT_TRUE(policy_was_left());
    end();
    EXPECT_EQ(log.count(log_level::warning, "it took longer than 50ms"), 1u);
}

TEST_F(policed_gateway, lets_prompts_pass_after_its_time_where_that_is_wanted) {
    options.policy.timeout = 50ms;
    options.policy.on_failure = gateway::on_policy_failure::pass;
    policy_is_silent();
    start();
    EXPECT_EQ(text_of(client().post("/v1/chat/completions", chat("Hello!", {{"stream", true}}))),
              story);
}

TEST_F(policed_gateway, shows_no_credentials_of_a_policy_that_is_away) {
    options.policy.url = "http://user:secret@127.0.0.1:1";
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 503);
    end();
    EXPECT_EQ(log.count(log_level::warning, "the policy check (--policy-url) failed"), 1u);
    log.expect_nowhere("secret");
}

// --- clients that go, and the end

TEST_F(policed_gateway, ends_a_check_whose_client_has_gone) {
    policy_is_silent();
    start();
    auto c = std::make_unique<http_client>(port);
    c->send_request("POST", "/v1/chat/completions", chat().dump());
    ASSERT_TRUE(policy_was_asked());
    c.reset();
    EXPECT_TRUE(policy_was_left());
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); }));
    EXPECT_EQ(json::parse(audited().front())["status"], 0);
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

TEST_F(policed_gateway, ends_a_reply_whose_client_goes_after_the_check) {
    server_options.tokens_per_second = 20;
    start();
    http_client c(port);
    c.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(c.read_until("data: "));
    c.close();
    EXPECT_TRUE(server_sees(mock::outcome::cut));
}

TEST_F(policed_gateway, answers_the_next_request_of_a_connection_that_was_refused_one) {
    policy_answers(whole_answer(R"({"allowed":false})"));
    start();
    auto c = client();
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 400);
    policy_answers(whole_answer(R"({"allowed":true})"));
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
}

TEST_F(policed_gateway, ends_its_checks_when_it_ends) {
    policy_is_silent();
    start();
    http_client c(port);
    c.send_request("POST", "/v1/chat/completions", chat().dump());
    auto v = voice();
    v.say(start_of("Hello!"));
    ASSERT_TRUE(policy_was_asked(2));
    end();
    EXPECT_TRUE(policy_was_left(2));
}

TEST_F(policed_gateway, counts_what_becomes_of_checks) {
    start();
    client().post("/v1/chat/completions", chat());
    policy_answers(whole_answer(R"({"allowed":false})"));
    client().post("/v1/chat/completions", chat());
    client().post("/v1/chat/completions", chat());
    const auto text = client().get("/metrics").body;
    EXPECT_THAT(text, HasSubstr("tandem_policy_checks_total{result=\"allowed\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("tandem_policy_checks_total{result=\"refused\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("tandem_policy_checks_total{result=\"failed\"} 0\n"));
}

}  // namespace
