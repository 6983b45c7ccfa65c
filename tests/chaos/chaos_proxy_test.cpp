// Tests chaos_proxy itself, on which the other tests of this folder rely.

#include "support/chaos_proxy.hpp"

#include "support/http_probe.hpp"
#include "support/poll_until.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tandem::testing {
namespace {

using ::testing::Gt;
using ::testing::Lt;

class the_proxy : public ::testing::Test {
 protected:
    static chaos_plan always(connection_fault what) {
        chaos_plan plan;
        plan.weights = {};
        plan.weight(what) = 1;
        plan.within = 100;
        plan.max_delay = std::chrono::milliseconds(5);
        return plan;
    }
    chaos_proxy proxy_with(const chaos_plan& plan) {
        return {static_cast<std::uint16_t>(
                    std::stoi(server_.url().substr(server_.url().rfind(':') + 1))),
                plan};
    }
    static json request() {
        return {{"prompt", "Hello!"}, {"stream", true}, {"n_predict", 30}, {"ignore_eos", true}};
    }
    // Requests `count` streams, and returns the number of streams that ended well.
    static int streams_that_end(http_probe& probe, int count) {
        int whole = 0;
        for (int i = 0; i < count; ++i) {
            const auto answer = probe.complete(request());
            whole += !answer->error() && !answer->events().empty() &&
                     answer->final_event().value("stop", false);
        }
        return whole;
    }

    mock::server server_{mock::options{}};
};

TEST_F(the_proxy, passes_everything_on) {
    auto proxy = proxy_with(always(connection_fault::none));
    http_probe direct(server_.url()), through(proxy.url());
    EXPECT_EQ(through.complete(request())->text(), direct.complete(request())->text());
    EXPECT_EQ(proxy.count(connection_fault::none), 1);
    EXPECT_TRUE(poll_until([&] { return proxy.running() == 0; }));
}

TEST_F(the_proxy, passes_everything_on_late) {
    auto proxy = proxy_with(always(connection_fault::delay));
    http_probe direct(server_.url()), through(proxy.url());
    EXPECT_EQ(through.complete(request())->text(), direct.complete(request())->text());
    EXPECT_EQ(proxy.count(connection_fault::delay), 1);
}

TEST_F(the_proxy, ends_connections_somewhere) {
    for (const auto what :
         {connection_fault::drop, connection_fault::reset, connection_fault::close}) {
        auto proxy = proxy_with(always(what));
        http_probe probe(proxy.url());
        EXPECT_EQ(streams_that_end(probe, 20), 0) << static_cast<int>(what);
        EXPECT_EQ(proxy.count(what), 20);
        EXPECT_TRUE(poll_until([&] { return proxy.running() == 0; }));
    }
}

TEST_F(the_proxy, lets_a_stalled_connection_hang_until_the_client_leaves) {
    auto proxy = proxy_with(always(connection_fault::stall));
    http_probe probe(proxy.url());
    auto answer = probe.start(request());
    EXPECT_TRUE(probe.wait_until([&] { return proxy.count(connection_fault::stall) == 1; }));
    // Waits until the server has sent the whole stream.
    EXPECT_TRUE(poll_until([&] {
        const auto slots = server_.observe().slots;
        return std::none_of(slots.begin(), slots.end(),
                            [](auto& s) { return !s.history.empty() && !s.history.back().end; });
    }));
    EXPECT_FALSE(answer->ended());
    EXPECT_EQ(proxy.running(), 1);
    answer->cut();
    EXPECT_TRUE(poll_until([&] { return proxy.running() == 0; }));
}

TEST_F(the_proxy, corrupts_one_byte) {
    auto plan = always(connection_fault::corrupt);
    plan.within = 1;  // the second byte of the request or of the answer
    auto proxy = proxy_with(plan);
    http_probe probe(proxy.url());
    EXPECT_EQ(streams_that_end(probe, 5), 0);
    EXPECT_EQ(proxy.count(connection_fault::corrupt), 5);
}

TEST_F(the_proxy, closes_its_port_and_opens_the_same_again) {
    auto proxy = proxy_with(always(connection_fault::none));
    http_probe probe(proxy.url());
    const auto port = proxy.port();
    proxy.close_port();
    EXPECT_TRUE(probe.get("/health")->error());
    proxy.open_port();
    EXPECT_EQ(proxy.port(), port);
    EXPECT_EQ(probe.get("/health")->status(), 200);
}

TEST_F(the_proxy, resets_what_runs_when_its_port_closes) {
    auto proxy = proxy_with(always(connection_fault::stall));
    http_probe probe(proxy.url());
    auto answer = probe.start(request());
    EXPECT_TRUE(probe.wait_until([&] { return proxy.count(connection_fault::stall) == 1; }));
    proxy.close_port();
    EXPECT_TRUE(probe.wait_for_end(*answer));
    EXPECT_TRUE(answer->error());
}

TEST_F(the_proxy, throws_the_same_dice_for_the_same_seed) {
    auto plan = always(connection_fault::none);
    plan.weight(connection_fault::close) = 1;
    plan.seed = 7;
    std::array<int, 2> whole{};
    for (auto& count : whole) {
        auto proxy = proxy_with(plan);
        http_probe probe(proxy.url());
        count = streams_that_end(probe, 20);
    }
    EXPECT_EQ(whole[0], whole[1]);
    EXPECT_THAT(whole[0], ::testing::AllOf(Gt(0), Lt(20)));
}

}  // namespace
}  // namespace tandem::testing
