#include "support/process.hpp"
#include "transport_fixture.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <list>

namespace tandem::transport {
namespace {

using tandem::testing::open_descriptors;

class LoadTest : public TransportTest {
 protected:
    scripted_server server{[](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(std::string(stream_head));
        for (const char* word : {"one ", "two ", "three"}) co_await peer.send_chunk(word);
        co_await peer.send(std::string(stream_end));
    }};
};

TEST_F(LoadTest, many_parallel_exchanges_all_end_well) {
    connect(server.url());
    std::list<recorder> rs(100);
    std::vector<std::unique_ptr<exchange>> xs;
    for (auto& r : rs) xs.push_back(start(r));
    run();
    for (const auto& r : rs) {
        EXPECT_EQ(r.body, "one two three");
        EXPECT_EQ(r.ec, error_code());
    }
    EXPECT_EQ(server.accepted(), 100);
}

/// Starts the next exchange inside the handler of the previous exchange.
class chain : public exchange_handler {
 public:
    chain(http_transport& t, int count, bool cut) : transport_(t), left_(count), cut_(cut) {
        next();
    }
    int ended_well = 0;

    void on_status(int) override {}
    void on_data(std::string_view) override {
        if (cut_) next();
    }
    void on_end(error_code ec, const diagnostics&) override {
        if (!ec) ++ended_well;
        next();
    }

 private:
    void next() {
        running_.reset();
        if (left_-- > 0) running_ = transport_.start({"POST", "/completion", "{}"}, *this);
    }

    http_transport& transport_;
    int left_;
    bool cut_;
    std::unique_ptr<exchange> running_;
};

TEST_F(LoadTest, many_exchanges_in_turn_use_a_connection_each_and_leave_no_descriptor) {
    connect(server.url());
    chain warm_up(*transport, 10, false);
    run();
    const auto before = open_descriptors();
    chain all(*transport, 2000, false);
    run();
    EXPECT_EQ(all.ended_well, 2000);
    EXPECT_EQ(server.accepted(), 2010);
    // The server's side of the last connections may close a moment later.
    EXPECT_LE(open_descriptors(), before + 2);
}

TEST_F(LoadTest, many_cuts_leave_no_descriptor) {
    connect(server.url());
    chain warm_up(*transport, 10, true);
    run();
    const auto before = open_descriptors();
    chain all(*transport, 1000, true);
    run();
    EXPECT_LE(open_descriptors(), before + 10);
}

TEST_F(LoadTest, a_strand_keeps_handlers_apart_on_many_threads) {
    boost::asio::io_context many;
    const auto strand = boost::asio::make_strand(many);
    transport = make_curl_transport(strand, options_for(server.url()));
    std::list<recorder> rs(50);
    std::list<std::unique_ptr<exchange>> xs;
    int outside = 0;
    boost::asio::post(strand, [&] {
        for (auto& r : rs) {
            auto& x = xs.emplace_back(start(r));
            r.then_on_data = [&] { outside += !strand.running_in_this_thread(); };
            r.then_on_end = [&] { x.reset(); };
        }
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { many.run(); });
    for (auto& t : threads) t.join();
    transport.reset();
    for (const auto& r : rs) EXPECT_EQ(r.body, "one two three");
    EXPECT_EQ(outside, 0);
}

}  // namespace
}  // namespace tandem::transport
