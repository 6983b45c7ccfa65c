#include "integration/mock_fixture.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>
#include <thread>

// Several threads at once. These tests are also run with the thread sanitizer.
namespace tandem::testing {
namespace {

class threads : public client_and_mock {
 protected:
    // Runs the loop on four threads. The destructor waits for the threads.
    class pool {
     public:
        explicit pool(boost::asio::io_context& ioc) {
            for (int i = 0; i < 4; ++i) threads_.emplace_back([&ioc] { ioc.run(); });
        }
        ~pool() {
            for (auto& t : threads_) t.join();
        }

     private:
        std::vector<std::thread> threads_;
    };

    // Waits for each chunk with a future, as simple code with threads does.
    static std::string read(reply r) {
        std::string text;
        while (auto piece = r.async_next_chunk(boost::asio::use_future).get()) {
            text += piece->text;
            r.continue_after(piece->id);
        }
        return text;
    }
};

TEST_F(threads, many_replies_on_a_loop_with_four_threads) {
    boost::asio::io_context ioc;
    server.emplace(server_options);
    config.server.url = server->url();
    std::vector<std::string> texts(24);
    {
        auto busy = boost::asio::make_work_guard(ioc);
        const pool running(ioc);
        client many(ioc.get_executor(), config, instruments);
        std::vector<std::thread> consumers;
        for (auto& text : texts) consumers.emplace_back([&] { text = read(many.start(prompt)); });
        for (auto& t : consumers) t.join();
        busy.reset();
    }
    for (const auto& text : texts) EXPECT_EQ(text, story);
}

TEST_F(threads, continue_and_interrupt_from_another_thread) {
    start();
    std::atomic<int> spoken = 0;
    consumer c(llm->start(prompt), [&](consumer& self, const chunk& piece) {
        std::thread([&] {
            ++spoken;
            if (piece.id.seq < 2)
                self.go_on(piece);
            else
                self.interrupt();
        }).join();
    });
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.result().finish_reason, finish_reason::interrupted);
    EXPECT_EQ(spoken, 3);
}

TEST_F(threads, client_destroyed_while_four_threads_run_its_replies) {
    boost::asio::io_context ioc;
    server_options.tokens_per_second = 500;
    server.emplace(server_options);
    config.server.url = server->url();
    std::vector<reply> replies;
    {
        auto busy = boost::asio::make_work_guard(ioc);
        const pool running(ioc);
        client gone(ioc.get_executor(), config, instruments);
        for (int i = 0; i < 8; ++i) replies.push_back(gone.start(prompt));
        auto first = replies[0].async_next_chunk(boost::asio::use_future);
        first.wait();
        busy.reset();
    }
    for (const auto& r : replies) {
        EXPECT_TRUE(r.ended());
        EXPECT_EQ(r.result().error, errc::client_destroyed);
    }
}

// The last handle owns the connections. They must be destroyed on the strand, which may be using
// them.
TEST_F(threads, last_handle_destroyed_elsewhere_leaves_the_rest_to_the_strand) {
    boost::asio::io_context ioc;
    server.emplace(server_options);
    config.server.url = server->url();
    std::promise<std::thread::id> destroyed_on;
    // The log function is destroyed with the state that client and reply share, and reports on
    // which thread.
    instruments.log.write = [told = std::shared_ptr<void>(nullptr, [&](void*) {
                                 destroyed_on.set_value(std::this_thread::get_id());
                             })](auto...) {};
    {
        auto busy = boost::asio::make_work_guard(ioc);
        const pool running(ioc);
        auto gone = std::make_optional<client>(ioc.get_executor(), config, std::move(instruments));
        const auto strand = gone->get_executor();
        {
            const auto last = gone->start(prompt);
            gone.reset();
            // After the strand has run this, only the handle is left.
            boost::asio::post(strand, boost::asio::use_future).wait();
            EXPECT_TRUE(last.ended());
        }
        EXPECT_NE(destroyed_on.get_future().get(), std::this_thread::get_id());
        busy.reset();
    }
}

TEST_F(threads, handles_destroyed_off_the_strand_while_their_replies_run) {
    boost::asio::io_context ioc;
    config.server.slots = 4;
    server.emplace(server_options);
    config.server.url = server->url();
    {
        auto busy = boost::asio::make_work_guard(ioc);
        const pool running(ioc);
        client many(ioc.get_executor(), config, instruments);
        for (int round = 0; round < 40; ++round) {
            std::vector<reply> replies;
            for (int i = 0; i < 4; ++i) replies.push_back(many.start(prompt));
            const auto until = static_cast<std::size_t>(round % 4);
            if (round % 5) replies[until].async_next_chunk(boost::asio::use_future).wait();
            std::vector<std::thread> owners;
            for (auto& r : replies) owners.emplace_back([mine = std::move(r)] {});
            replies.clear();
            for (auto& t : owners) t.join();
        }
        EXPECT_EQ(read(many.start(prompt)), story);
        busy.reset();
    }
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(threads, handles_destroyed_by_their_own_handlers_on_another_executor) {
    boost::asio::io_context ioc;
    boost::asio::thread_pool elsewhere(2);
    server.emplace(server_options);
    config.server.url = server->url();
    {
        auto busy = boost::asio::make_work_guard(ioc);
        const pool running(ioc);
        client many(ioc.get_executor(), config, instruments);
        for (int i = 0; i < 40; ++i) {
            auto mine = std::make_shared<reply>(many.start(prompt));
            auto& handle = *mine;
            auto let_go = [owned = std::move(mine)](auto...) mutable { owned.reset(); };
            handle.async_next_chunk(boost::asio::bind_executor(elsewhere, std::move(let_go)));
        }
        busy.reset();
    }
    elsewhere.join();
    EXPECT_TRUE(server_gets_idle());
}

}  // namespace
}  // namespace tandem::testing
