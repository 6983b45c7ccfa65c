#include "full_listener.hpp"
#include "support/poll_until.hpp"
#include "support/process.hpp"
#include "transport_fixture.hpp"

// Connections that were never established. curl 7.88 closes their sockets without reporting the
// close.
namespace tandem::transport {
namespace {

using tandem::testing::open_descriptors;
using tandem::testing::poll_until;

class connecting : public TransportTest {
 protected:
    static constexpr int times = 20;

    void expect_no_descriptor_left_by(const std::function<void()>& try_once) {
        try_once();
        const auto before = open_descriptors();
        for (int i = 0; i < times; ++i) try_once();
        EXPECT_EQ(open_descriptors(), before);
    }
};

TEST_F(connecting, leaves_no_descriptor_when_it_is_cut) {
    full_listener listener;
    connect(listener.url());
    expect_no_descriptor_left_by([&] {
        recorder r;
        auto x = start(r);
        ioc.restart();
        ioc.run_for(std::chrono::milliseconds(5));
        x.reset();
        run();
    });
}

TEST_F(connecting, leaves_no_descriptor_when_it_is_refused) {
    boost::asio::ip::tcp::acceptor closed(ioc, {boost::asio::ip::address_v4::loopback(), 0});
    connect("http://127.0.0.1:" + std::to_string(closed.local_endpoint().port()));
    closed.close();
    expect_no_descriptor_left_by([&] {
        recorder r;
        const auto x = start(r);
        run();
        EXPECT_EQ(r.ec, errc::connect_failed);
    });
}

TEST_F(connecting, leaves_no_descriptor_when_it_takes_too_long) {
    full_listener listener;
    auto options = options_for(listener.url());
    options.connect_timeout = std::chrono::milliseconds(5);
    connect(options);
    expect_no_descriptor_left_by([&] {
        recorder r;
        const auto x = start(r);
        run();
        EXPECT_EQ(r.ec, errc::connect_timeout);
    });
}

// A connection that began only in the loop would be delayed by all handlers that are already queued
// there.
TEST_F(connecting, begins_before_the_event_loop_runs) {
    scripted_server server(
        [](scripted_peer& peer) -> script_result { co_await peer.read_request(); });
    connect(server.url());
    recorder r;
    const auto x = start(r);
    EXPECT_TRUE(poll_until([&] { return server.accepted() == 1; }));
}

TEST_F(connecting, begins_before_the_handler_that_starts_it_returns) {
    scripted_server server([](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(whole_answer("hello"));
    });
    connect(server.url());
    recorder first, second;
    const auto x = start(first);
    bool is_accepted = false;
    first.then_on_end = [&] {
        const auto y = start(second);
        is_accepted = poll_until([&] { return server.accepted() == 2; });
    };
    run();
    EXPECT_TRUE(is_accepted);
}

TEST_F(connecting, reports_a_refusal_only_from_the_event_loop) {
    boost::asio::ip::tcp::acceptor closed(ioc, {boost::asio::ip::address_v4::loopback(), 0});
    connect("http://127.0.0.1:" + std::to_string(closed.local_endpoint().port()));
    closed.close();
    recorder r;
    const auto x = start(r);
    EXPECT_FALSE(r.ended());
    run();
    EXPECT_EQ(r.ec, errc::connect_failed);
}

}  // namespace
}  // namespace tandem::transport
