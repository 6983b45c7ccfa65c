#include "transport_fixture.hpp"

namespace tandem::transport {
namespace {

class LifetimeTest : public TransportTest {
 protected:
    recorder r;
    scripted_server server{[](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(whole_answer("hello"));
    }};
};

TEST_F(LifetimeTest, a_transport_may_be_destroyed_with_its_first_step_queued) {
    connect(server.url());
    start(r).reset();
    transport.reset();
    run();
    EXPECT_TRUE(r.calls.empty());
}

TEST_F(LifetimeTest, a_transport_may_be_destroyed_with_a_failure_queued) {
    connect(std::string("no url"));
    start(r).reset();
    transport.reset();
    run();
    EXPECT_TRUE(r.calls.empty());
}

TEST_F(LifetimeTest, a_transport_may_be_destroyed_between_any_two_steps) {
    for (int steps = 0; steps < 12; ++steps) {
        connect(server.url());
        recorder each;
        auto x = start(each);
        for (int i = 0; i < steps; ++i) ioc.run_one_for(std::chrono::milliseconds(5));
        x.reset();
        transport.reset();
        const auto calls = each.calls.size();
        run();
        EXPECT_EQ(each.calls.size(), calls);
    }
}

TEST_F(LifetimeTest, a_transport_may_be_destroyed_by_a_handler) {
    connect(server.url());
    auto x = start(r);
    r.then_on_data = [&] {
        x.reset();
        transport.reset();
    };
    run();
    EXPECT_EQ(r.calls.back(), "data");
}

TEST_F(LifetimeTest, an_exchange_that_has_ended_may_outlive_its_transport) {
    connect(server.url());
    auto x = start(r);
    run();
    transport.reset();
    x->pause();
    x->resume();
    x.reset();
    run();
    EXPECT_EQ(r.ec, error_code());
}

TEST_F(LifetimeTest, a_running_exchange_falls_silent_with_its_transport) {
#ifndef NDEBUG
    GTEST_SKIP() << "asserted in this build";
#endif
    connect(server.url());
    auto x = start(r);
    ioc.poll();
    // The answer may already have begun, so some calls are allowed here.
    const auto before = r.calls.size();
    transport.reset();
    run();
    x.reset();
    EXPECT_EQ(r.calls.size(), before);
}

}  // namespace
}  // namespace tandem::transport
