#include "integration/mock_fixture.hpp"
#include "support/scripted_server.hpp"

// Faults between client and server, and the errors that replies report.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class server_fault : public client_and_mock {};

TEST_F(server_fault, none_gives_the_whole_story) {
    start();
    expect_story();
}

TEST_F(server_fault, loading_is_model_loading) {
    server_options.load_time = 60s;
    start();
    EXPECT_EQ(expect_failure(errc::model_loading).result().diagnostics.http_status, 503);
}

TEST_F(server_fault, loading_ends_and_the_same_client_continues) {
    start_with({.kind = fault_kind::unavailable, .path = "/props"});
    expect_failure(errc::model_loading);
    expect_story();
}

TEST_F(server_fault, wrong_key_is_unauthorized) {
    config.server.api_key = "zebra-wrong";
    start();
    EXPECT_EQ(expect_failure(errc::unauthorized).result().diagnostics.http_status, 401);
}

TEST_F(server_fault, stopped_server_is_connect_failed) {
    start();
    server->stop();
    expect_failure(errc::connect_failed);
}

/// If the reply retried for all of resume_within, it would exceed the time limit of the test.
class wrong_set_up : public client_and_mock {
 protected:
    wrong_set_up() {
        config.failover.retries = 2;
        config.failover.resume_within = 1h;
    }
};

TEST_F(wrong_set_up, is_reported_at_once_if_nobody_listens) {
    start();
    server->stop();
    const auto c = expect_failure(errc::connect_failed);
    EXPECT_THAT(c.result().diagnostics.client_message, ::testing::HasSubstr("llama-server"));
}

TEST_F(wrong_set_up, is_tls_failed_if_an_https_url_names_a_port_that_speaks_http) {
    scripted_server silent([](scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.wait_for_close();
    });
    config.limits.connect_timeout = 50ms;
    config.server.url = "https://127.0.0.1:" + std::to_string(silent.port());
    connect();
    const auto c = expect_failure(errc::tls_failed);
    EXPECT_THAT(c.result().diagnostics.client_message, ::testing::HasSubstr("use http://"));
}

TEST_F(wrong_set_up, is_told_of_a_handshake_also_where_requests_may_not_take_as_long) {
    scripted_server silent([](scripted_peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.wait_for_close();
    });
    config.limits.request_timeout = 500ms;
    config.server.url = "https://127.0.0.1:" + std::to_string(silent.port());
    connect();
    const auto c = expect_failure(errc::tls_failed);
    EXPECT_THAT(c.result().diagnostics.client_message, ::testing::HasSubstr("use http://"));
}

TEST_F(server_fault, http_error_is_server_error_in_the_servers_words) {
    start_with({.kind = fault_kind::http_error, .text = "out of luck"});
    const auto c = expect_failure(errc::server_error);
    EXPECT_EQ(c.result().diagnostics.http_status, 500);
    EXPECT_EQ(c.result().diagnostics.server_message, "out of luck");
}

TEST_F(server_fault, error_in_mid_stream_is_server_error_in_the_servers_words) {
    start_with({.kind = fault_kind::stream_error, .at_token = 5, .text = "out of luck"});
    const auto c = expect_failure(errc::server_error);
    EXPECT_EQ(c.result().diagnostics.server_message, "out of luck");
    EXPECT_EQ(c.result().usage.generated, 5);
}

TEST_F(server_fault, garbage_is_bad_response) {
    start_with({.kind = fault_kind::garbage, .at_token = 5});
    expect_failure(errc::bad_response);
}

// The server would generate for longer than the test waits. Only the client's close frees the slot.
TEST_F(server_fault, garbage_ends_the_request_while_the_handle_is_held) {
    server_options.tokens_per_second = 2;
    start_with({.kind = fault_kind::garbage, .at_token = 1});
    const auto held = expect_failure(errc::bad_response);
    EXPECT_TRUE(server_gets_idle());
}

// A timeout would report a different error, and, with the default limits, much later.
TEST_F(server_fault, missing_final_event_is_stream_incomplete_at_once) {
    config.chunking.boundary_rule = boundary_rule::classic;
    start_with({.kind = fault_kind::no_final, .at_token = -1, .skip = 7});
    expect_failure(errc::stream_incomplete);
}

TEST_F(server_fault, missing_final_event_after_a_sure_end_is_asked_for_again) {
    start_with({.kind = fault_kind::no_final, .at_token = -1, .skip = 7});
    expect_story();
}

TEST_F(server_fault, close_in_mid_stream_is_stream_incomplete) {
    start_with({.kind = fault_kind::close, .at_token = 5});
    expect_failure(errc::stream_incomplete);
}

TEST_F(server_fault, close_before_the_first_event_is_stream_incomplete) {
    start_with({.kind = fault_kind::close, .at_byte = 0});
    expect_failure(errc::stream_incomplete);
}

TEST_F(server_fault, reset_in_mid_event_is_stream_incomplete) {
    start_with({.kind = fault_kind::reset, .at_byte = 300});
    expect_failure(errc::stream_incomplete);
}

TEST_F(server_fault, half_an_event_is_stream_incomplete) {
    start_with({.kind = fault_kind::half_event, .at_token = 5});
    expect_failure(errc::stream_incomplete);
}

TEST_F(server_fault, an_event_in_two_halves_is_no_fault) {
    start_with({.kind = fault_kind::half_event, .at_token = 5, .duration = 20ms, .times = 0});
    expect_story();
}

TEST_F(server_fault, late_headers_are_no_fault) {
    start_with({.kind = fault_kind::slow_headers, .duration = 20ms, .times = 0});
    expect_story();
}

TEST_F(server_fault, crash_in_mid_stream_is_stream_incomplete_and_then_connect_failed) {
    start_with({.kind = fault_kind::crash, .at_token = 5, .skip = 1});
    EXPECT_EQ(expect_failure(errc::stream_incomplete).chunks().size(), 1u);
    ASSERT_TRUE(server_sees([](const auto& o) { return o.crashed; }));
    expect_failure(errc::connect_failed);
}

TEST_F(server_fault, failing_tokenize_makes_continuations_go_as_text) {
    start_with({.kind = fault_kind::http_error, .times = 0, .path = "/tokenize"});
    expect_story();
    for (const auto& r : server->observe().of_path("/completion")) EXPECT_FALSE(r.prompt_as_ids);
}

TEST_F(server_fault, after_it_the_slot_is_free_for_the_next_reply) {
    config.server.slots = 1;
    start_with({.kind = fault_kind::reset, .at_token = 5});
    expect_failure(errc::stream_incomplete);
    expect_story();
}

class timeout : public client_and_mock {};

TEST_F(timeout, of_the_first_token) {
    config.limits.first_token_timeout = 50ms;
    start_with({.kind = fault_kind::stall, .at_token = 0});
    expect_failure(errc::first_token_timeout);
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(timeout, of_the_headers_is_that_of_the_first_token) {
    config.limits.first_token_timeout = 50ms;
    start_with({.kind = fault_kind::slow_headers, .duration = 60s});
    expect_failure(errc::first_token_timeout);
}

TEST_F(timeout, between_tokens) {
    config.limits.between_tokens_timeout = 50ms;
    start_with({.kind = fault_kind::stall, .at_token = 5});
    EXPECT_EQ(expect_failure(errc::between_tokens_timeout).result().usage.generated, 5);
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(timeout, of_the_continue) {
    config.limits.continue_timeout = 50ms;
    start();
    const auto c = say(consumer::do_not_continue);
    EXPECT_EQ(c.error(), errc::continue_timeout);
    EXPECT_EQ(c.chunks().size(), 1u);
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(timeout, of_a_chunk_that_nobody_takes_is_that_of_the_continue) {
    config.limits.continue_timeout = 50ms;
    start();
    auto reply = llm->start(prompt);
    ASSERT_TRUE(loop.run_until([&] { return reply.ended(); }));
    EXPECT_EQ(reply.result().error, errc::continue_timeout);
    EXPECT_EQ(reply.result().text, "");
}

TEST_F(timeout, of_the_continue_does_not_concern_the_last_chunk) {
    config.limits.continue_timeout = 1ms;
    config.chunking.first_chunk_max_tokens = config.chunking.chunk_max_tokens = 0;
    server_options.replies = {{prompt, "Yes."}};
    start();
    EXPECT_EQ(say(consumer::do_not_continue).result().finish_reason, finish_reason::eos);
}

TEST_F(timeout, of_a_call) {
    config.limits.request_timeout = 50ms;
    start_with({.kind = fault_kind::slow_headers, .duration = 60s, .path = "/health"});
    const auto answer = loop.call([&](auto h) { llm->async_health(std::move(h)); });
    EXPECT_EQ(answer.first, errc::request_timeout);
}

TEST_F(timeout, of_the_tokens_does_not_run_while_tokens_come) {
    config.limits.between_tokens_timeout = 500ms;
    server_options.tokens_per_second = 200;
    start();
    expect_story();
}

}  // namespace
}  // namespace tandem::testing
