#include "integration/mock_fixture.hpp"
#include "support/poll_until.hpp"
#include "support/scripted_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <vector>

// The connection closes before the chunk is handed over, in the same iteration of the event loop.
// The time until the server sees the close is measured, not asserted: the machine may be busy.
namespace tandem::testing {
namespace {

using clock = std::chrono::steady_clock;
using boost::asio::awaitable;

constexpr int cuts = 500;

std::string token_event(const char* text, int number) {
    return fmt::format(R"(data: {{"content":"{}","tokens":[7],"stop":false,"tokens_predicted":{},)"
                       R"("tokens_evaluated":1}})"
                       "\n\n",
                       text, number);
}

// Sends one sentence and, after let_go(), the next token, which shows that the sentence has ended.
// Records the time at which the client closes the connection.
class sentence_server {
 public:
    std::string url() const { return server_.url(); }
    std::uint16_t port() const { return server_.port(); }
    std::vector<clock::time_point> closes() const {
        const std::lock_guard lock(mutex_);
        return closes_;
    }
    /// The number of streams that have reached the end of the sentence.
    int sentences() const { return sentences_; }
    /// Lets the server send the tokens after the sentence.
    void let_go() { gate_.open(); }
    /// Calls let_go(), and waits until the first of these tokens has been sent.
    void go_on() {
        let_go();
        poll_until([this] { return decided_.load(); });
    }

 private:
    awaitable<void> serve(scripted_peer& peer) {
        const auto request = co_await peer.read_request();
        if (request.find(" /props ") != request.npos) {
            co_await peer.send(whole_answer(R"({"total_slots":2})"));
        } else if (request.find(" /tokenize ") != request.npos) {
            co_await peer.send(whole_answer(R"({"tokens":[7]})"));
        } else {
            co_await say_sentence(peer);
        }
    }

    awaitable<void> say_sentence(scripted_peer& peer) {
        co_await peer.send(std::string(stream_head));
        co_await peer.send_chunk(token_event("Yes", 1));
        co_await peer.send_chunk(token_event(".", 2));
        ++sentences_;
        co_await gate_.wait_until_open();
        co_await peer.send_chunk(token_event(" No", 3));
        decided_ = true;
        co_await peer.wait_for_close();
        const std::lock_guard lock(mutex_);
        closes_.push_back(clock::now());
    }

    mutable std::mutex mutex_;
    std::vector<clock::time_point> closes_;
    std::atomic<int> sentences_ = 0;
    std::atomic<bool> decided_ = false;
    gate gate_;
    scripted_server server_{[this](scripted_peer& peer) { return serve(peer); }};
};

std::uint16_t port_of(const sockaddr_in& address) {
    return ntohs(address.sin_port);
}

// The local ports of this process's connections to `port`.
std::vector<std::uint16_t> connections_to(std::uint16_t port) {
    std::vector<std::uint16_t> found;
    for (int fd = 0; fd < 1024; ++fd) {
        sockaddr_in peer{}, local{};
        socklen_t size = sizeof peer;
        if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
        if (peer.sin_family != AF_INET || port_of(peer) != port) continue;
        size = sizeof local;
        getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size);
        found.push_back(port_of(local));
    }
    return found;
}

class cut_timing : public client_and_mock {
 protected:
    cut_timing() {
        config.chunking.first_chunk_min_tokens = 1;
        config.chunking.peek_hold = 1min;
        config.server.url = sentences.url();
        connect();
    }
    bool only_the_stream_is_open() {
        return loop.run_until([this] {
            return sentences.sentences() == 1 && connections_to(sentences.port()).size() == 1;
        });
    }
    // The time of a reply's first cut since the start of the reply.
    static std::chrono::nanoseconds cut_of(const reply_result& r) {
        const auto cut = std::find_if(
            r.timeline.begin(), r.timeline.end(),
            [](const timeline_event& e) { return e.what == timeline_event::kind::cut; });
        return std::chrono::nanoseconds(cut->at_ns);
    }

    sentence_server sentences;
};

TEST_F(cut_timing, one_turn_of_the_loop_closes_the_connection_and_then_delivers_the_chunk) {
    // The connections that are open when the chunk arrives. One of them may carry a request for the
    // prompt's ids.
    std::optional<std::vector<std::uint16_t>> open;
    consumer c(llm->start(prompt), [&](consumer& self, const chunk&) {
        open = connections_to(sentences.port());
        self.interrupt();
    });
    ASSERT_TRUE(only_the_stream_is_open());
    const auto stream = connections_to(sentences.port()).at(0);
    sentences.go_on();
    loop.ioc.poll();
    ASSERT_TRUE(open.has_value()) << "no chunk";
    EXPECT_THAT(*open, ::testing::Not(::testing::Contains(stream)));
}

TEST_F(cut_timing, server_sees_the_close) {
    sentences.let_go();
    std::vector<double> waits;
    for (int i = 1; i <= cuts; ++i) {
        // The reply starts slightly after `started`, so the measured time is slightly too long.
        const auto started = clock::now();
        consumer c(llm->start(prompt), [](consumer& self, const chunk&) { self.interrupt(); });
        ASSERT_TRUE(loop.run_to_end(c));
        ASSERT_TRUE(loop.run_until(
            [&] { return sentences.closes().size() == static_cast<std::size_t>(i); }));
        const std::chrono::duration<double, std::micro> wait =
            sentences.closes().back() - started - cut_of(c.result());
        waits.push_back(wait.count());
    }
    std::sort(waits.begin(), waits.end());
    std::cout << fmt::format(
        "from the cut to its sight at the server: {} cuts, p50 {:.0f} µs, p99 "
        "{:.0f} µs, most {:.0f} µs\n",
        cuts, waits[cuts / 2], waits[cuts * 99 / 100], waits.back());
}

}  // namespace
}  // namespace tandem::testing
