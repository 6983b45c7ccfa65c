#pragma once

#include "integration/mock_fixture.hpp"

#include "tandem/chunk_channel.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tandem::testing {

/// The time limit of waits, which is longer than any expected event takes.
constexpr auto patience =
    std::chrono::duration_cast<std::chrono::milliseconds>(reply_runner::patience);

/// A thread that runs a loop until end() is called.
class loop_thread {
 public:
    explicit loop_thread(boost::asio::io_context& ioc)
        : busy_(boost::asio::make_work_guard(ioc)), thread_([&ioc] { ioc.run(); }) {}
    ~loop_thread() { end(); }

    /// Waits until the loop has run out of work.
    void end() {
        busy_.reset();
        if (thread_.joinable()) thread_.join();
    }

 private:
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
    std::thread thread_;
};

/// The items that a consumer has popped, including the terminal item.
struct consumed {
    std::vector<stream_chunk> items;
    std::string text;
    int terminals = 0;

    void add(const stream_chunk& item) {
        text += item.text;
        terminals += item.finished;
        items.push_back(item);
    }
    const stream_chunk& last() const { return items.back(); }
};

inline consumed consume_all(chunk_channel& channel) {
    consumed all;
    channel.consume([&](const stream_chunk& item) { all.add(item); });
    return all;
}

/// Expects that the last item is the only terminal item and has this reason and error.
inline void expect_end(const consumed& all, finish_reason why, error_code ec = {}) {
    EXPECT_EQ(all.terminals, 1);
    ASSERT_FALSE(all.items.empty());
    EXPECT_TRUE(all.last().finished);
    EXPECT_EQ(all.last().finish_reason, why);
    EXPECT_EQ(all.last().error, ec) << all.last().error.message();
    EXPECT_EQ(all.last().text, "");
}

/// Channels for replies. The client has its own loop and thread, in addition to the fixture's loop.
class channels_and_mock : public client_and_mock {
 protected:
    void start_loop() {
        server.emplace(server_options);
        config.server.url = server->url();
        ioc.emplace(1);
        llm.emplace(ioc->get_executor(), config, instruments);
        running.emplace(*ioc);
    }
    void start_loop_with(mock::fault f) {
        server_options.faults = {std::move(f)};
        start_loop();
    }
    std::shared_ptr<chunk_channel> attached(channel_options options = {}) {
        auto channel = chunk_channel::create(options);
        EXPECT_FALSE(channel->attach(llm->start(prompt)));
        return channel;
    }
    static std::future<consumed> consume_elsewhere(std::shared_ptr<chunk_channel> channel) {
        return std::async(std::launch::async, [c = std::move(channel)] { return consume_all(*c); });
    }

    std::optional<boost::asio::io_context> ioc;
    std::optional<loop_thread> running;
};

}  // namespace tandem::testing
