#include "transport_fixture.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace tandem::transport {
namespace {

using ::testing::ElementsAre;

class PauseTest : public TransportTest {
 protected:
    recorder r;
    std::unique_ptr<exchange> x;
};

// The length is prime, so a lost or doubled piece shifts the text after it.
const std::string pattern = [] {
    std::string s;
    for (int i = 0; s.size() < 10'007; ++i) s += std::to_string(i);
    return s.substr(0, 10'007);
}();

std::string repeated(std::size_t size) {
    std::string s;
    while (s.size() < size) s += pattern;
    s.resize(size);
    return s;
}

TEST_F(PauseTest, stops_the_server_and_resume_goes_on_without_loss) {
    constexpr std::size_t most = 64'000'000;
    std::size_t sent = 0, taken_when_stalled = 0;
    auto work = boost::asio::make_work_guard(ioc);
    scripted_server server([&](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send("HTTP/1.1 200 OK\r\n\r\n");
        sent = co_await peer.send_until_stalled(pattern, most);
        boost::asio::post(ioc, [&] {
            taken_when_stalled = r.body.size();
            x->resume();
            work.reset();
        });
    });
    connect(server.url());
    r.then_on_data = [&] {
        if (r.body.size() < 100'000 || taken_when_stalled) return;
        x->pause();
    };
    x = start(r);
    run();
    EXPECT_LT(sent, most) << "the client did not slow the server down";
    EXPECT_LT(taken_when_stalled, 400'000u);
    EXPECT_TRUE(r.body == repeated(sent));
    EXPECT_EQ(r.ec, error_code());
}

class PausedExchange : public PauseTest {
 protected:
    scripted_server server{[](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(whole_answer(repeated(300'000)));
    }};
    void SetUp() override {
        auto options = options_for(server.url());
        // curl keeps the connect timer running even after the connect, and run() waits until the
        // timer expires.
        options.connect_timeout = std::chrono::milliseconds(500);
        connect(options);
    }
};

TEST_F(PausedExchange, from_the_start_hears_nothing_until_resumed) {
    x = start(r);
    x->pause();
    run();
    EXPECT_TRUE(r.calls.empty());
    x->resume();
    EXPECT_TRUE(r.calls.empty());
    run();
    EXPECT_TRUE(r.body == repeated(300'000));
    EXPECT_EQ(r.ec, error_code());
}

TEST_F(PausedExchange, in_on_status_hears_no_data_until_resumed) {
    r.then_on_status = [&] { x->pause(); };
    x = start(r);
    run();
    EXPECT_THAT(r.calls, ElementsAre("status"));
    x->resume();
    run();
    EXPECT_TRUE(r.body == repeated(300'000));
}

TEST_F(PausedExchange, and_resumed_with_every_piece_loses_nothing) {
    r.then_on_data = [&] {
        x->pause();
        boost::asio::post(ioc, [&] { x->resume(); });
    };
    x = start(r);
    run();
    EXPECT_TRUE(r.body == repeated(300'000));
    EXPECT_EQ(r.calls.back(), "end");
}

TEST_F(PausedExchange, and_resumed_inside_the_same_call_loses_nothing) {
    r.then_on_data = [&] {
        x->pause();
        x->resume();
    };
    x = start(r);
    run();
    EXPECT_TRUE(r.body == repeated(300'000));
    EXPECT_TRUE(r.ended());
}

TEST_F(PausedExchange, may_be_paused_and_resumed_twice) {
    r.then_on_status = [&] {
        x->pause();
        x->pause();
    };
    x = start(r);
    run();
    x->resume();
    x->resume();
    run();
    EXPECT_TRUE(r.body == repeated(300'000));
}

TEST_F(PausedExchange, may_be_cut) {
    r.then_on_status = [&] { x->pause(); };
    x = start(r);
    run();
    x.reset();
    run();
    EXPECT_THAT(r.calls, ElementsAre("status"));
}

TEST_F(PausedExchange, may_be_resumed_and_cut_at_once) {
    r.then_on_status = [&] { x->pause(); };
    x = start(r);
    run();
    x->resume();
    x.reset();
    run();
    EXPECT_THAT(r.calls, ElementsAre("status"));
}

TEST_F(PausedExchange, may_be_resumed_after_its_end) {
    x = start(r);
    run();
    x->pause();
    x->resume();
    run();
    EXPECT_EQ(r.calls.back(), "end");
}

}  // namespace
}  // namespace tandem::transport
