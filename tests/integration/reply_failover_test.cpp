#include "integration/mock_fixture.hpp"
#include "integration/service_fixture.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

// Further failures while a reply continues after a failure of its server.
namespace tandem::testing {
namespace {

using mock::fault_kind;

/// The reply's second request breaks off in mid-sentence.
class reply_failover : public client_and_mock {
 protected:
    reply_failover() {
        config.failover.retries = 3;
        config.failover.resume_within = 60s;
        config.limits.first_token_timeout = config.limits.between_tokens_timeout =
            config.limits.request_timeout = 1h;
        quiet_ = instruments.log;
        instruments.log.write = [this](log_level level, std::string_view line) {
            quiet_.write(level, line);
            if (!on_loss || !line.ends_with("continues from the text so far")) return;
            std::exchange(on_loss, {})();
        };
    }
    void expect_whole(int retries = 1) {
        const auto c = say();
        EXPECT_FALSE(c.error()) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.text(), story);
        EXPECT_EQ(c.result().metrics.retries, retries);
        EXPECT_TRUE(server_gets_idle());
    }
    void revive() {
        server_options.port = server->port();
        server_options.faults.clear();
        server.reset();
        server.emplace(server_options);
    }
    void break_off() { start_with({.kind = fault_kind::reset, .at_token = 3, .skip = 1}); }
    void die() { start_with({.kind = fault_kind::crash, .at_token = 3, .skip = 1}); }

    /// Called once, when the reply notices the failure. Must not call the library.
    std::function<void()> on_loss;

 private:
    logger quiet_;
};

TEST_F(reply_failover, tries_a_proxy_again_as_soon_as_a_server_that_is_away) {
    config.failover.breaker_failures = 3;
    start_with({.kind = fault_kind::http_error, .times = 7, .status = 502});
    expect_whole(7);
    EXPECT_EQ(log.count(log_level::warning, "it is not used for"), 0u);
}

TEST_F(reply_failover, reports_that_it_continues_if_it_has_text) {
    break_off();
    expect_whole();
    EXPECT_EQ(log.count(log_level::warning, "; continues from the text so far"), 1u);
}

TEST_F(reply_failover, does_not_report_that_it_continues_if_it_has_no_text) {
    start_with({.kind = fault_kind::http_error, .status = 502});
    expect_whole();
    EXPECT_EQ(log.count(log_level::warning, "HTTP 502"), 1u);
    EXPECT_EQ(log.count(log_level::warning, "continues"), 0u);
}

struct call_fault {
    const char* name;
    const char* path;
    fault_kind kind;
    /// The expected number of retries. If the server may have died before it detokenized the ids,
    /// the reply tries a second time.
    int retries = 1;
};

class call_fault_during_failover : public reply_failover,
                                   public ::testing::WithParamInterface<call_fault> {};

TEST_P(call_fault_during_failover, leaves_the_reply_whole) {
    on_loss = [this] {
        server->inject({.kind = GetParam().kind, .at_token = 0, .path = GetParam().path});
    };
    // The reply waits this long for /props, but not for ids.
    if (GetParam().kind == fault_kind::slow_headers) config.limits.request_timeout = 1s;
    break_off();
    expect_whole(GetParam().retries);
}

std::string call_of(const ::testing::TestParamInfo<call_fault>& which) {
    return which.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    matrix, call_fault_during_failover,
    ::testing::Values(call_fault{"props_close", "/props", fault_kind::close},
                      call_fault{"props_http_error", "/props", fault_kind::http_error},
                      call_fault{"props_unavailable", "/props", fault_kind::unavailable},
                      call_fault{"props_garbage", "/props", fault_kind::garbage},
                      call_fault{"props_slow", "/props", fault_kind::slow_headers},
                      call_fault{"tokenize_close", "/tokenize", fault_kind::close},
                      call_fault{"tokenize_http_error", "/tokenize", fault_kind::http_error},
                      call_fault{"tokenize_garbage", "/tokenize", fault_kind::garbage},
                      call_fault{"tokenize_slow", "/tokenize", fault_kind::slow_headers},
                      call_fault{"detokenize_close", "/detokenize", fault_kind::close, 2},
                      call_fault{"detokenize_http_error", "/detokenize", fault_kind::http_error},
                      call_fault{"detokenize_garbage", "/detokenize", fault_kind::garbage},
                      call_fault{"detokenize_slow", "/detokenize", fault_kind::slow_headers, 2}),
    call_of);

TEST_F(reply_failover, at_a_server_that_returns_with_fewer_slots_uses_those) {
    on_loss = [this] {
        server_options.parallel = 1;
        revive();
    };
    die();
    expect_whole();
    for (const auto& r : server->observe().of_path("/completion")) EXPECT_EQ(r.id_slot, 0);
}

TEST_F(reply_failover, at_a_server_that_returns_with_another_model_and_build) {
    on_loss = [this] {
        server_options.model = "other";
        server_options.build_info = "b7000";
        revive();
    };
    die();
    expect_whole();
    EXPECT_EQ(log.count(log_level::info, "server b7000: model other"), 1u);
}

TEST_F(reply_failover, ends_if_nobody_returns_within_the_listeners_patience) {
    config.failover.resume_within = 200ms;
    die();
    const auto c = say();
    EXPECT_TRUE(is_retryable(c.error())) << c.error().message();
    EXPECT_EQ(
        log.count(log_level::error, "no server continued the reply within resume_within of 200ms"),
        1u);
    std::int64_t lost = 0;
    for (const auto& e : c.result().timeline)
        if (e.what == timeline_event::kind::lost) lost = e.at_ns;
    const auto waited = std::chrono::nanoseconds(c.result().timeline.back().at_ns - lost);
    EXPECT_GE(waited, 200ms);
    std::cout << "excess over resume_within: "
              << std::chrono::duration<double, std::milli>(waited - 200ms).count() << " ms\n";
}

class service_with_a_faulty_server : public service_and_mocks {
 protected:
    service_with_a_faulty_server() {
        config.client.failover.retries = 3;
        config.client.failover.resume_within = 60s;
    }
    void expect_whole_turn() {
        auto talk = bots->create();
        const auto c = say(talk, "Hello!");
        EXPECT_FALSE(c.error()) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.text(), "Hello. How are you? I am very well today, thank you.");
    }
};

TEST_F(service_with_a_faulty_server, says_each_turn_whole_at_the_other_one) {
    start(2);
    server(0).inject({.kind = fault_kind::reset, .at_token = 3, .times = 0});
    for (int i = 0; i < 4; ++i) expect_whole_turn();
}

TEST_F(service_with_a_faulty_server, asks_for_the_template_again) {
    start();
    server().inject({.kind = fault_kind::close, .at_token = 0, .path = "/apply-template"});
    expect_whole_turn();
}

}  // namespace
}  // namespace tandem::testing
