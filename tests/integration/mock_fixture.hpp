#pragma once

#include "support/captured_log.hpp"
#include "support/reply_runner.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace tandem::testing {

using namespace std::chrono_literals;

constexpr const char* api_key = "sk-zebra-4711";
constexpr const char* prompt = "Tell me about Zanzibar.";
/// Eight sentences, and therefore at least eight chunks.
constexpr const char* story =
    "The island lies in the warm sea, not far from the coast. Its old town is built of pale coral "
    "stone and dark wood. The narrow lanes smell of cloves, pepper and fresh bread. In the evening "
    "the whole town walks down to the harbour. There the cooks light their lamps, and fry fish for "
    "everyone. Small boats with brown sails come home before it gets dark. The children jump into "
    "the water from the high wall. Later it rains for a while, and nobody minds it at all.";

/// A client and a mock server that answers `prompt` with `story`. Tests change the settings before
/// start(). Each test also checks that the log contains neither key nor prompt.
class client_and_mock : public ::testing::Test {
 protected:
    client_and_mock() {
        server_options.api_key = api_key;
        server_options.replies = {{prompt, story}};
        config.server.api_key = api_key;
        config.server.proxy = "none";  // tests ignore the machine's proxy settings
        config.server.reuse_guard = 0s;
        config.pacing.mode = pacing::strict;  // one request per chunk; some tests set another mode
        config.failover.retries = 0;          // failures are reported; other tests cover failover
        config.failover.breaker_failures = 0;
        instruments.log = log.logger();
    }

    void TearDown() override {
        log.expect_nowhere("zebra");
        log.expect_nowhere("Zanzibar");
    }

    void start() {
        server.emplace(server_options);
        config.server.url = server->url();
        connect();
    }
    void connect() { llm.emplace(loop.ioc.get_executor(), config, instruments); }
    /// Starts with one fault, which hits requests to /completion if it names no other path.
    void start_with(mock::fault f) {
        server_options.faults = {std::move(f)};
        start();
    }

    /// Runs a whole reply.
    consumer say(consumer::listener on_chunk = consumer::continue_at_once) {
        consumer c(llm->start(prompt), std::move(on_chunk));
        loop.run_to_end(c);
        return c;
    }
    /// Expects a reply to fail with this code. Returns the reply for more checks.
    consumer expect_failure(errc code) {
        auto c = say();
        EXPECT_EQ(c.error(), code) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.result().error, code);
        EXPECT_EQ(c.result().finish_reason, finish_reason::error);
        EXPECT_EQ(std::string(story).rfind(c.text(), 0), 0u) << "not how the story begins";
        EXPECT_EQ(log.count(log_level::error, ": " + error_name(code) + ": "), 1u);
        return c;
    }
    void expect_story() {
        const auto c = say();
        EXPECT_FALSE(c.error()) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.text(), story);
    }
    /// Runs the loop until the server's observations satisfy `what`.
    bool server_sees(const std::function<bool(const mock::observations&)>& what) {
        return loop.run_until([&] { return what(server->observe()); });
    }
    /// Waits until no connection is left and no slot is busy.
    bool server_gets_idle() {
        return server_sees([](const mock::observations& o) {
            return o.open_connections == 0 && std::none_of(o.slots.begin(), o.slots.end(),
                                                           [](auto& s) { return s.is_processing; });
        });
    }

    captured_log log;
    mock::options server_options;
    tandem::config config;
    tandem::instruments instruments;
    std::optional<mock::server> server;
    reply_runner loop;
    std::optional<client> llm;
};

}  // namespace tandem::testing
