#pragma once

#include "support/captured_log.hpp"
#include "support/reply_runner.hpp"
#include "tandem_mock/server.hpp"

#include "tandem/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::testing {

using namespace std::chrono_literals;

/// A service with mock servers. answers_with() sets the answer to a message of the user. Tests
/// change the settings before start().
class service_and_mocks : public ::testing::Test {
 protected:
    service_and_mocks() {
        server_options.add_bos = false;
        config.client.server.proxy = "none";  // tests ignore the machine's proxy settings
        config.client.server.reuse_guard = 0s;
        config.client.chunking.first_chunk_min_tokens = 0;  // makes each sentence a chunk
        instruments.log = log.logger();
        answers_with("Hello!", "Hello. How are you? I am very well today, thank you.");
        answers_with("And you?", "I am well, too.");
    }

    static std::string asked(const std::string& user_text) {
        return mock::render_prompt({{"user", user_text}});
    }
    void answers_with(const std::string& user_text, std::string reply) {
        server_options.replies.push_back({asked(user_text), std::move(reply)});
    }

    void start(int servers = 1) {
        for (int i = 0; i < servers; ++i) {
            mocks.push_back(std::make_unique<mock::server>(server_options));
            config.servers.push_back(mocks.back()->url());
        }
        bots.emplace(loop.ioc.get_executor(), config, instruments);
    }
    mock::server& server(std::size_t i = 0) { return *mocks[i]; }

    /// Runs a whole turn.
    consumer say(conversation& c, const std::string& text,
                 consumer::listener on_chunk = consumer::continue_at_once) {
        consumer reply(c.say(text), std::move(on_chunk));
        loop.run_to_end(reply);
        return reply;
    }
    /// Runs a turn to its first chunk, which is not continued.
    consumer say_until_first_chunk(conversation& c, const std::string& text) {
        consumer reply(c.say(text), consumer::do_not_continue);
        loop.run_until([&] { return !reply.chunks().empty() || reply.ended(); });
        return reply;
    }
    /// Continues the first chunk and all chunks after it.
    void go_on_to_the_end(consumer& reply) {
        for (std::size_t i = 0; !reply.ended(); ++i) {
            loop.run_until([&] { return reply.chunks().size() > i || reply.ended(); });
            if (i < reply.chunks().size()) reply.go_on(reply.chunks()[i]);
        }
    }
    void expect_error(const consumer& c, errc code) {
        EXPECT_EQ(c.error(), code) << c.result().diagnostics.to_string();
        EXPECT_EQ(c.result().finish_reason, finish_reason::error);
    }
    void interrupt(conversation& c, consumer& reply) {
        c.interrupt();
        loop.run_to_end(reply);
    }

    conversation_state state_of(conversation& c) { return loop.state_of(c); }
    /// The text of the message at this place of the history. A negative place counts from the end.
    std::string message(conversation& c, int place) {
        const auto history = state_of(c).history;
        const auto at = place < 0 ? static_cast<int>(history.size()) + place : place;
        if (at < 0 || at >= static_cast<int>(history.size())) return "no such message";
        return history[static_cast<std::size_t>(at)].content;
    }
    std::vector<server_status> servers() {
        return loop
            .call<std::vector<server_status>>(
                [&](auto handler) { bots->async_servers(std::move(handler)); })
            .second;
    }
    /// The requests to /completion of a server, including requests that prefill.
    static std::vector<mock::request_record> completions(const mock::server& s) {
        return s.observe().of_path("/completion");
    }

    captured_log log;
    mock::options server_options;
    service_config config;
    tandem::instruments instruments;
    reply_runner loop;
    std::vector<std::unique_ptr<mock::server>> mocks;
    std::optional<service> bots;
};

}  // namespace tandem::testing
