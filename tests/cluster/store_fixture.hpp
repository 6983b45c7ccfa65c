#pragma once

#include "cluster/store/store_link.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::testing {

/// A store, and an event loop for connections to it.
class store_fixture : public ::testing::Test {
 protected:
    cluster::store_options options() const { return options_of(store); }
    static cluster::store_options options_of(const redis_server& s) {
        return {.address = cluster::parse_store_address(s.url()).address, .client_name = "test"};
    }

    /// Runs the loop until the condition holds.
    [[nodiscard]] bool run_until(const std::function<bool()>& condition,
                                 std::chrono::seconds limit = std::chrono::seconds(60)) {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end) return false;
            loop.run_one_for(std::chrono::milliseconds(5));
            loop.restart();
        }
        return true;
    }

    /// The answer to a command.
    std::optional<cluster::store_answer> ask(cluster::store_link& link,
                                             std::vector<std::string> words) {
        std::optional<std::optional<cluster::store_answer>> answer;
        link.run(std::move(words), [&](const auto& a) { answer = a; });
        EXPECT_TRUE(run_until([&] { return answer.has_value(); }));
        return answer.value_or(std::nullopt);
    }

    void connect(cluster::store_link& link) {
        link.start({});
        ASSERT_TRUE(run_until([&] { return link.is_connected(); }));
    }

    redis_server store;
    boost::asio::io_context loop;
};

}  // namespace tandem::testing
