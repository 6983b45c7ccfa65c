// Contexts, clients, services and handles are created and destroyed in any order, even without free
// descriptors. Nothing crashes, no handler is called twice or lost, and every loop ends.

#include "support/child_process.hpp"
#include "support/process.hpp"
#include "support/reply_runner.hpp"
#include "support/run_settings.hpp"

#include "tandem/client.hpp"
#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace tandem::testing {
namespace {

using namespace std::chrono_literals;

/// Prevents new descriptors, and later restores the usual limit.
class descriptor_limit {
 public:
    descriptor_limit() { ::getrlimit(RLIMIT_NOFILE, &usual_); }
    ~descriptor_limit() { lift(); }
    descriptor_limit(const descriptor_limit&) = delete;
    descriptor_limit& operator=(const descriptor_limit&) = delete;

    bool is_reached() const { return is_reached_; }
    void reach() { set(true, 3); }
    void lift() { set(false, usual_.rlim_cur); }

 private:
    void set(bool reached, rlim_t most) {
        const rlimit limit{most, usual_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &limit);
        is_reached_ = reached;
    }

    rlimit usual_{};
    bool is_reached_ = false;
};

/// The number of handlers given to the operations of a context, and the number of handlers called.
struct handler_count {
    int given = 0;
    int called = 0;
};

class random_lifetimes : public ::testing::Test {
 protected:
    void SetUp() override {
        for (auto& s : servers_)
            urls_.push_back(s.read_line().substr(std::string("listening on ").size()));
        begin_context();
        descriptors_ = open_descriptors();
    }

    void take_steps(std::uint64_t count, std::uint64_t seed) {
        random_.seed(seed);
        for (step_ = 0; step_ < count && !HasFatalFailure(); ++step_) take_step();
        end_context_in_order();
    }
    void expect_no_descriptor_left() {
        begin_context();
        EXPECT_LE(open_descriptors(), descriptors_);
    }

 private:
    using action = void (random_lifetimes::*)();

    void take_step() {
        // The list contains run_loop many times, so that replies make progress.
        static constexpr std::array<action, 32> actions{
            &random_lifetimes::make_client,        &random_lifetimes::make_service,
            &random_lifetimes::start_reply,        &random_lifetimes::start_reply,
            &random_lifetimes::create_talk,        &random_lifetimes::say_something,
            &random_lifetimes::say_something,      &random_lifetimes::request_next_chunk,
            &random_lifetimes::request_next_chunk, &random_lifetimes::request_next_chunk,
            &random_lifetimes::continue_reply,     &random_lifetimes::continue_reply,
            &random_lifetimes::interrupt_reply,    &random_lifetimes::interrupt_talk,
            &random_lifetimes::use_control,        &random_lifetimes::ask_server,
            &random_lifetimes::destroy_reply,      &random_lifetimes::destroy_talk,
            &random_lifetimes::destroy_client,     &random_lifetimes::destroy_service,
            &random_lifetimes::change_limit,       &random_lifetimes::run_loop,
            &random_lifetimes::run_loop,           &random_lifetimes::run_loop,
            &random_lifetimes::run_loop,           &random_lifetimes::run_loop,
            &random_lifetimes::run_loop,           &random_lifetimes::run_loop,
            &random_lifetimes::run_loop,           &random_lifetimes::run_loop,
            &random_lifetimes::run_loop,           &random_lifetimes::run_loop};
        if (below(400) == 0) return below(2) ? end_context_in_order() : destroy_context();
        (this->*actions[below(actions.size())])();
    }

    // --- actions

    void make_client() {
        if (clients_.size() < 4) clients_.emplace_back(loop_->get_executor(), settings());
    }
    void make_service() {
        if (services_.size() < 3)
            services_.push_back(std::make_unique<service>(
                loop_->get_executor(), service_config{.servers = urls_, .client = settings()}));
    }
    void start_reply() {
        if (!clients_.empty() && replies_.size() < 12)
            replies_.push_back(any_of(clients_).start("Tell me about the harbour."));
    }
    void create_talk() {
        if (!services_.empty() && talks_.size() < 8) talks_.push_back(any_of(services_)->create());
    }
    void say_something() {
        if (!talks_.empty() && replies_.size() < 12)
            replies_.push_back(any_of(talks_).say("Tell me about the market."));
    }
    void request_next_chunk() {
        if (replies_.empty()) return;
        any_of(replies_).async_next_chunk(
            [this, done = called_once()](error_code, std::optional<chunk> piece) {
                done();
                if (piece) latest_ = piece->id;
            });
    }
    void ask_server() {
        if (clients_.empty()) return;
        any_of(clients_).async_health([done = called_once()](auto...) { done(); });
    }
    void continue_reply() {
        if (!replies_.empty()) any_of(replies_).continue_after(latest_);
    }
    void interrupt_reply() {
        if (!replies_.empty()) any_of(replies_).interrupt();
    }
    void interrupt_talk() {
        if (!talks_.empty()) any_of(talks_).interrupt();
    }
    // The control may belong to a reply that has been destroyed; it must be safe to use.
    void use_control() {
        control_.continue_after(latest_);
        control_.heard_share(latest_, 0.5);
        if (below(4) == 0) control_.interrupt();
        if (!replies_.empty()) control_ = any_of(replies_).control();
    }
    void destroy_reply() { drop_one(replies_); }
    void destroy_talk() { drop_one(talks_); }
    void destroy_client() {
        if (below(4) == 0) drop_one(clients_);
    }
    void destroy_service() {
        if (below(4) == 0) drop_one(services_);
    }
    void change_limit() {
        if (below(4)) return;
        limit_.is_reached() ? limit_.lift() : limit_.reach();
    }
    void run_loop() {
        loop_->restart();
        for (auto left = below(20); left > 0 && loop_->run_one_for(1ms); --left) {
        }
    }

    // --- contexts

    // Lifts the limit, because an io_context needs descriptors. It opens some of them only for its
    // first timer.
    void begin_context() {
        limit_.lift();
        loop_ = std::make_unique<boost::asio::io_context>(1);
        const boost::asio::steady_timer first(*loop_);
        count_ = std::make_shared<handler_count>();
    }
    /// Destroys all handles first. The loop must run out of work.
    void end_context_in_order() {
        limit_.lift();
        destroy_handles();
        loop_->restart();
        loop_->run_for(60s);
        ASSERT_TRUE(loop_->stopped()) << "the loop still has work after step " << step_;
        ASSERT_EQ(count_->called, count_->given) << "after step " << step_;
        ASSERT_EQ(count_.use_count(), 1) << "a handler is kept after step " << step_;
        begin_context();
    }
    /// Destroys the context while work is pending, and then the handles in any order.
    void destroy_context() {
        limit_.lift();
        loop_.reset();
        for (int i = 0; i < 20; ++i) {
            continue_reply();
            interrupt_reply();
            use_control();
            destroy_reply();
            destroy_talk();
            destroy_client();
            destroy_service();
        }
        destroy_handles();
        ASSERT_EQ(count_.use_count(), 1) << "a handler is kept after step " << step_;
        begin_context();
    }
    void destroy_handles() {
        const auto order = below(2);
        if (order) clients_.clear(), services_.clear();
        replies_.clear();
        talks_.clear();
        clients_.clear();
        services_.clear();
    }

    // --- random numbers

    std::size_t below(std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
    }
    template <class T>
    T& any_of(std::vector<T>& all) {
        return all[below(all.size())];
    }
    template <class T>
    void drop_one(std::vector<T>& all) {
        if (all.empty()) return;
        std::swap(any_of(all), all.back());
        all.pop_back();
    }
    config settings() {
        constexpr std::array ways{pacing::automatic, pacing::strict, pacing::warm, pacing::ahead,
                                  pacing::stream};
        config c;
        c.server.url = any_of(urls_);
        c.server.proxy = "none";
        c.server.slots = 4;
        c.server.reuse_guard = 0s;
        c.chunking.first_chunk_min_tokens = 0;
        c.pacing.mode = ways[below(ways.size())];
        c.failover.retries = static_cast<int>(below(3));
        c.server.verify_cut = below(4) == 0;
        return c;
    }
    std::function<void()> called_once() {
        ++count_->given;
        return [count = count_, done = std::make_shared<bool>(false)] {
            EXPECT_FALSE(std::exchange(*done, true)) << "a handler was called again";
            ++count->called;
        };
    }

    std::array<child_process, 2> servers_{
        child_process(TANDEM_MOCK_SERVER, {.args = {"--port", "0", "--parallel", "4"}}),
        child_process(TANDEM_MOCK_SERVER, {.args = {"--port", "0", "--parallel", "4"}})};
    std::vector<std::string> urls_;
    descriptor_limit limit_;
    std::mt19937_64 random_;
    std::uint64_t step_ = 0;
    std::size_t descriptors_ = 0;
    std::unique_ptr<boost::asio::io_context> loop_;
    std::shared_ptr<handler_count> count_;
    std::vector<client> clients_;
    std::vector<std::unique_ptr<service>> services_;
    std::vector<conversation> talks_;
    std::vector<reply> replies_;
    reply_control control_;
    chunk_id latest_{};
};

// TANDEM_LIFETIME_STEPS=1000000 runs the full test. TANDEM_LIFETIME_SEED repeats a failed run.
TEST_F(random_lifetimes, end_well_in_any_order) {
    const auto seed = test::number_from_environment("TANDEM_LIFETIME_SEED", std::random_device()());
    const auto steps = test::number_from_environment("TANDEM_LIFETIME_STEPS", 10'000);
    std::cout << "TANDEM_LIFETIME_SEED=" << seed << std::endl;
    take_steps(steps, seed);
    expect_no_descriptor_left();
}

// The server runs in its own process, because the server needs descriptors as well.
TEST(used_up_descriptors, fail_turns_of_a_service_only_as_long_as_there_are_none) {
    child_process server(TANDEM_MOCK_SERVER, {.args = {"--port", "0"}});
    const auto url = server.read_line().substr(std::string("listening on ").size());
    reply_runner loop;
    service_config settings{.servers = {url}, .health_interval = 100ms};
    settings.client.server.proxy = "none";
    settings.client.failover.retries = 0;
    settings.client.failover.resume_within = 1s;
    service bots(loop.ioc.get_executor(), settings);
    auto talk = bots.create();
    const auto fails = [&] {
        const consumer c(talk.say("Tell me about the bridge."));
        loop.run_to_end(c);
        return bool(c.error());
    };
    descriptor_limit limit;
    limit.reach();
    EXPECT_TRUE(fails());
    limit.lift();
    loop.run_until([&] { return !fails(); });
}

}  // namespace
}  // namespace tandem::testing
