#include "integration/service_fixture.hpp"

#include "tandem/client.hpp"
#include "tandem/read_all.hpp"
#include "tandem/with_diagnostics.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION >= 107700
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#endif
#if BOOST_VERSION >= 108600
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/deferred.hpp>
#endif

#include <chrono>
#include <deque>
#include <exception>
#include <set>
#include <type_traits>
#include <utility>

// Rules for every asynchronous function of the library.
namespace tandem::testing {
namespace {

/// A completion token that reads the executor of an operation's initiation before it starts the
/// operation, as cancel_after() does.
struct take_executor {
    boost::asio::any_io_executor* executor;
};

}  // namespace
}  // namespace tandem::testing

template <class... Results>
class boost::asio::async_result<tandem::testing::take_executor, void(Results...)> {
 public:
    template <class Initiation, class... Args>
    static void initiate(Initiation initiation, tandem::testing::take_executor token,
                         Args... args) {
        static_assert(std::is_same_v<typename Initiation::executor_type, any_io_executor>);
        *token.executor = initiation.get_executor();
        std::move(initiation)([](const Results&...) {}, std::move(args)...);
    }
};

namespace tandem::testing {
namespace {

namespace asio = boost::asio;

class every_operation : public service_and_mocks {
 protected:
    void SetUp() override {
        // Nobody takes the chunks of the replies, so this limit ends the replies.
        config.client.limits.continue_timeout = 10ms;
        start();
        config.client.server.url = server().url();
        llm.emplace(loop.ioc.get_executor(), config.client, instruments);
        talk.emplace(bots->create());
    }

    /// Calls `visit(name, begin)` for each operation; `begin(token)` starts it.
    template <class Visit>
    void visit_all(Visit visit) {
        visit_client(visit);
        visit_service(visit);
    }
    template <class Visit>
    void visit_client(Visit visit) {
        visit("prepare", [&](auto t) { return llm->async_prepare(std::move(t)); });
        visit("props", [&](auto t) { return llm->async_props(std::move(t)); });
        visit("slots", [&](auto t) { return llm->async_slots(std::move(t)); });
        visit("health", [&](auto t) { return llm->async_health(std::move(t)); });
        visit("tokenize", [&](auto t) { return llm->async_tokenize("Hi", std::move(t)); });
        visit("apply_template", [&](auto t) {
            return llm->async_apply_template({{"user", "Hi"}}, std::move(t));
        });
        visit("erase_slot", [&](auto t) { return llm->async_erase_slot(0, std::move(t)); });
        visit("save_slot", [&](auto t) { return llm->async_save_slot(0, "file", std::move(t)); });
        visit("restore_slot",
              [&](auto t) { return llm->async_restore_slot(0, "file", std::move(t)); });
        visit("adapters", [&](auto t) { return llm->async_adapters(std::move(t)); });
        visit("set_adapters", [&](auto t) { return llm->async_set_adapters({}, std::move(t)); });
        visit("next_chunk", [&](auto t) { return new_reply().async_next_chunk(std::move(t)); });
        visit("upcoming_speech",
              [&](auto t) { return new_reply().async_upcoming_speech(std::move(t)); });
        visit("tool_calls", [&](auto t) { return new_reply().async_tool_calls(std::move(t)); });
        visit("read_all", [&](auto t) { return async_read_all(llm->start("Hi"), std::move(t)); });
    }
    template <class Visit>
    void visit_service(Visit visit) {
        visit("servers", [&](auto t) { return bots->async_servers(std::move(t)); });
        visit("draft", [&](auto t) { return talk->async_draft("Hi", std::move(t)); });
        visit("state", [&](auto t) { return talk->async_state(std::move(t)); });
        visit("save", [&](auto t) { return talk->async_save(std::move(t)); });
        visit("conversation's save_slot",
              [&](auto t) { return talk->async_save_slot("file", std::move(t)); });
        visit("conversation's restore_slot",
              [&](auto t) { return talk->async_restore_slot("file", std::move(t)); });
    }

    /// A handler that can only be moved.
    auto new_handler() {
        ++started;
        return [this, kept = std::make_unique<int>()](auto...) { ++completed; };
    }
    void expect_all_complete() {
        EXPECT_TRUE(loop.run_until([&] { return completed == started; }))
            << completed << " of " << started;
    }
    /// From now on, the server answers nothing.
    void silence_server() {
        server().inject(
            {.kind = mock::fault_kind::slow_headers, .duration = 60s, .times = 0, .path = ""});
    }

    std::optional<client> llm;
    std::optional<conversation> talk;
    int started = 0;
    int completed = 0;

 private:
    reply& new_reply() { return replies_.emplace_back(llm->start("Hi")); }

    std::deque<reply> replies_;
};

TEST_F(every_operation, tells_its_token_its_executor) {
    const auto expect_executor = [](const asio::any_io_executor& expected) {
        return [&expected](const char* name, auto begin) {
            asio::any_io_executor found;
            begin(take_executor{&found});
            EXPECT_EQ(found, expected) << name;
            begin(with_diagnostics(take_executor{&(found = {})}));
            EXPECT_EQ(found, expected) << name;
        };
    };
    visit_client(expect_executor(llm->get_executor()));
    visit_service(expect_executor(bots->get_executor()));
}

TEST_F(every_operation, takes_a_handler_that_can_only_be_moved) {
    visit_all([&](const char*, auto begin) { begin(new_handler()); });
    expect_all_complete();
}

TEST_F(every_operation, is_awaited_by_a_coroutine) {
    visit_all([&](const char*, auto begin) {
        asio::co_spawn(
            loop.ioc,
            [begin]() -> asio::awaitable<void> {
                error_code ignored;
                co_await begin(asio::redirect_error(asio::use_awaitable, ignored));
            },
            new_handler());
    });
    expect_all_complete();
}

TEST_F(every_operation, returns_a_future) {
    visit_all([&](const char* name, auto begin) {
        auto result = begin(asio::use_future);
        EXPECT_TRUE(loop.run_until([&] {
            return result.wait_for(0s) == std::future_status::ready;
        })) << name;
    });
}

TEST_F(every_operation, completes_without_anybody_waiting) {
    visit_all([&](const char*, auto begin) { begin(asio::detached); });
    talk->end();  // A draft waits for its turn.
    EXPECT_TRUE(loop.runs_out_of_work());
}

TEST_F(every_operation, completes_on_the_executor_of_its_handler) {
    asio::io_context other;
    visit_all([&](const char* name, auto begin) {
        ++started;
        begin(asio::bind_executor(other, [&, name](auto...) {
            EXPECT_TRUE(other.get_executor().running_in_this_thread()) << name;
            ++completed;
        }));
    });
    EXPECT_TRUE(loop.run_until([&] {
        other.poll();
        return completed == started;
    }));
}

// Starts the operations on the strand, where they could complete at once.
TEST_F(every_operation, does_not_complete_within_the_function_that_starts_it) {
    bool is_starting = false;
    const auto begin_one = [&](const char* name, auto begin) {
        ++started;
        is_starting = true;
        begin([&, name](auto...) {
            EXPECT_FALSE(is_starting) << name;
            ++completed;
        });
        is_starting = false;
    };
    asio::post(llm->get_executor(), [&] { visit_client(begin_one); });
    asio::post(bots->get_executor(), [&] { visit_service(begin_one); });
    loop.ioc.poll();
    EXPECT_GT(started, 0);
    expect_all_complete();
}

#if BOOST_VERSION >= 107700
TEST_F(every_operation, is_cancelled_by_the_types_that_it_supports) {
    // The list does not contain the conversation's restore_slot, which fails at once because the
    // conversation's save_slot is still running.
    const std::set<std::string> with_side_effects = {"erase_slot",   "save_slot",
                                                     "restore_slot", "set_adapters",
                                                     "draft",        "conversation's save_slot"};
    silence_server();
    visit_all([&](const std::string& name, auto begin) {
        SCOPED_TRACE(name);
        asio::cancellation_signal stop;
        bool is_over = false;
        const auto is_over_after = [&](asio::cancellation_type type) {
            stop.emit(type);
            loop.ioc.poll();
            return is_over;
        };
        begin(asio::bind_cancellation_slot(stop.slot(), [&](auto...) { is_over = true; }));
        const bool ends_reply = name == "read_all";
        EXPECT_EQ(is_over_after(asio::cancellation_type::total),
                  !ends_reply && !with_side_effects.count(name));
        EXPECT_EQ(is_over_after(asio::cancellation_type::partial), !ends_reply);
        EXPECT_TRUE(is_over_after(asio::cancellation_type::terminal));
    });
}
#endif

#if BOOST_VERSION >= 108600
TEST_F(every_operation, is_limited_in_time) {
    silence_server();
    visit_client([&](const std::string& name, auto begin) {
        const auto expect_aborted = [this, name](error_code ec, auto...) {
            EXPECT_EQ(ec, asio::error::operation_aborted) << name;
            ++completed;
        };
        started += 2;
        begin(asio::cancel_after(1ms, expect_aborted));
        begin(asio::cancel_at(std::chrono::steady_clock::now(), expect_aborted));
    });
    visit_all([&](const char*, auto begin) {
        begin(asio::cancel_after(1ms, new_handler()));
        begin(with_diagnostics(asio::cancel_after(1ms, new_handler())));
    });
    expect_all_complete();
}

TEST_F(every_operation, is_deferred_and_started_again_if_it_owns_no_reply) {
    visit_all([&](const char*, auto begin) {
        auto operation = begin(asio::deferred);
        if constexpr (std::is_copy_constructible_v<decltype(operation)>) operation(new_handler());
        std::move(operation)(new_handler());
        begin(asio::as_tuple(asio::deferred))(new_handler());
        begin(with_diagnostics(asio::deferred))(new_handler());
    });
    expect_all_complete();
}
#endif

}  // namespace
}  // namespace tandem::testing
