#include "transport_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

namespace tandem::transport {
namespace {

using boost::asio::steady_timer;
using std::chrono::steady_clock;
using ::testing::ElementsAre;

/// Sends a first chunk and reports when and how the connection is closed.
class watching_server {
 public:
    struct closed {
        peer_end how;
        steady_clock::time_point when;
    };

    explicit watching_server(std::string first = std::string(stream_head) + "5\r\nhello\r\n")
        : first_(std::move(first)), server_([this](scripted_peer& peer) { return serve(peer); }) {}

    std::string url() const { return server_.url(); }
    /// Waits without running the event loop of the client.
    closed wait_for_close() {
        auto seen = closed_.get_future();
        EXPECT_EQ(seen.wait_for(std::chrono::seconds(20)), std::future_status::ready);
        auto result = seen.get();
        closed_ = {};
        return result;
    }

 private:
    script_result serve(scripted_peer& peer) {
        co_await peer.read_request();
        co_await peer.send(first_);
        const auto how = co_await peer.wait_for_close();
        closed_.set_value({how, steady_clock::now()});
    }

    std::string first_;
    std::promise<closed> closed_;
    scripted_server server_;
};

class CutTest : public TransportTest {
 protected:
    recorder r;
    std::unique_ptr<exchange> x;
};

TEST_F(CutTest, inside_on_data_reaches_the_server_in_the_same_turn_of_the_loop) {
    watching_server server;
    connect(server.url());
    x = start(r);
    r.then_on_data = [&] {
        x.reset();
        EXPECT_EQ(server.wait_for_close().how, peer_end::fin);
    };
    run();
    EXPECT_THAT(r.calls, ElementsAre("status", "data"));
}

TEST_F(CutTest, inside_on_status_reaches_the_server_in_the_same_turn_of_the_loop) {
    watching_server server;
    connect(server.url());
    x = start(r);
    r.then_on_status = [&] {
        x.reset();
        server.wait_for_close();
    };
    run();
    EXPECT_THAT(r.calls, ElementsAre("status"));
}

TEST_F(CutTest, while_waiting_for_the_answer_reaches_the_server_at_once) {
    watching_server server("");
    connect(server.url());
    x = start(r);
    steady_timer timer(ioc, std::chrono::milliseconds(20));
    timer.async_wait([&](error_code) {
        x.reset();
        server.wait_for_close();
    });
    run();
    EXPECT_TRUE(r.calls.empty());
}

TEST_F(CutTest, with_bytes_on_their_way_delivers_none_of_them) {
    watching_server server(std::string(stream_head) + "100000\r\n" + std::string(0x100000, 'x'));
    connect(server.url());
    x = start(r);
    r.then_on_data = [&] {
        x.reset();
        server.wait_for_close();
    };
    run();
    EXPECT_THAT(r.calls, ElementsAre("status", "data"));
}

TEST_F(CutTest, before_the_loop_runs_calls_nothing) {
    watching_server server;
    connect(server.url());
    start(r).reset();
    run();
    EXPECT_TRUE(r.calls.empty());
}

TEST_F(CutTest, while_the_host_is_looked_up_does_not_wait_for_the_answer) {
    connect(std::string("http://no-such-host.invalid"));
    x = start(r);
    ioc.poll();
    const auto calls = r.calls;  // a resolver may answer at once
    const auto before = steady_clock::now();
    x.reset();
    EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(2)) << "a resolver gives up later";
    run();
    EXPECT_EQ(r.calls, calls);
}

TEST_F(CutTest, inside_on_end_is_allowed) {
    scripted_server server([](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(whole_answer("x"));
    });
    connect(server.url());
    x = start(r);
    r.then_on_end = [&] { x.reset(); };
    run();
    EXPECT_EQ(r.ec, error_code());
}

TEST_F(CutTest, of_another_exchange_inside_a_handler_silences_it) {
    watching_server first, second;
    std::unique_ptr<http_transport> transports[2] = {
        make_curl_transport(ioc.get_executor(), options_for(first.url())),
        make_curl_transport(ioc.get_executor(), options_for(second.url()))};
    recorder rs[2];
    std::unique_ptr<exchange> xs[2];
    for (int i : {0, 1}) {
        xs[i] = transports[i]->start(completion(), rs[i]);
        rs[i].then_on_data = [&xs, i] { xs[0].reset(), xs[1].reset(), static_cast<void>(i); };
    }
    run();
    EXPECT_EQ(std::count(rs[0].calls.begin(), rs[0].calls.end(), "data") +
                  std::count(rs[1].calls.begin(), rs[1].calls.end(), "data"),
              1);
}

TEST_F(CutTest, frees_the_way_for_the_next_exchange_in_the_same_handler) {
    watching_server server;
    connect(server.url());
    recorder next;
    std::unique_ptr<exchange> y;
    next.then_on_data = [&] { y.reset(); };
    r.then_on_data = [&] {
        x.reset();
        server.wait_for_close();
        y = start(next);
    };
    x = start(r);
    run();
    EXPECT_EQ(next.body, "hello");
}

TEST_F(CutTest, DISABLED_latency) {
    std::vector<double> micros;
    for (int i = 0; i < 500; ++i) {
        watching_server server;
        connect(server.url());
        r.then_on_data = [&] {
            const auto before = steady_clock::now();
            x.reset();
            const auto took = server.wait_for_close().when - before;
            micros.push_back(std::chrono::duration<double, std::micro>(took).count());
        };
        x = start(r);
        run();
    }
    std::ranges::sort(micros);
    fmt::print("cut to FIN seen by the server: median {:.0f} us, p99 {:.0f} us, worst {:.0f} us\n",
               micros[micros.size() / 2], micros[micros.size() * 99 / 100], micros.back());
}

}  // namespace
}  // namespace tandem::transport
