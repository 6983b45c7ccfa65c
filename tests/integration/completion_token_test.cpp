#include "integration/mock_fixture.hpp"

#include "tandem/read_all.hpp"
#include "tandem/service.hpp"
#include "tandem/with_diagnostics.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>

// The guarantees for completion tokens and for the associated types of handlers.
namespace tandem::testing {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

/// Counts the bytes that are allocated and not freed.
template <class T>
struct counting_allocator {
    using value_type = T;

    counting_allocator(std::size_t& b, std::size_t& m) : bytes(&b), most(&m) {}
    template <class U>
    counting_allocator(const counting_allocator<U>& other) : bytes(other.bytes), most(other.most) {}

    T* allocate(std::size_t n) {
        *bytes += n * sizeof(T);
        *most = std::max(*most, *bytes);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) {
        *bytes -= n * sizeof(T);
        std::allocator<T>().deallocate(p, n);
    }
    friend bool operator==(const counting_allocator&, const counting_allocator&) = default;

    std::size_t* bytes;
    std::size_t* most;
};

template <class Function>
struct handler_with_allocator {
    using allocator_type = counting_allocator<std::byte>;
    allocator_type get_allocator() const noexcept { return allocator; }
    template <class... Args>
    void operator()(Args&&... args) {
        function(std::forward<Args>(args)...);
    }

    allocator_type allocator;
    Function function;
};

/// Memory from which a session's handlers allocate. The handler owns the session, as in Asio's
/// examples.
struct session_memory {
    std::array<std::byte, 4096> bytes{};
    std::size_t used = 0;
    int blocks = 0;
};
template <class T>
struct session_allocator {
    using value_type = T;

    explicit session_allocator(session_memory& m) : memory(&m) {}
    template <class U>
    session_allocator(const session_allocator<U>& other) : memory(other.memory) {}

    T* allocate(std::size_t n) {
        ++memory->blocks;
        auto* const at = memory->bytes.data() + memory->used;
        memory->used += (n * sizeof(T) + 63) / 64 * 64;
        return reinterpret_cast<T*>(at);
    }
    void deallocate(T*, std::size_t) {
        if (--memory->blocks == 0) memory->used = 0;
    }
    friend bool operator==(const session_allocator&, const session_allocator&) = default;

    session_memory* memory;
};

struct handler_that_owns_its_memory {
    using allocator_type = session_allocator<std::byte>;
    allocator_type get_allocator() const noexcept { return allocator_type(*session); }
    template <class... Args>
    void operator()(Args&&...) {
        ++*calls;
    }

    int* calls;
    std::shared_ptr<session_memory> session = std::make_shared<session_memory>();
};

class a_completion_token : public client_and_mock {
 protected:
    /// Runs the coroutine. Returns the exception that it threw, if any.
    template <class Coroutine>
    std::optional<error_with_diagnostics> run(Coroutine coroutine) {
        std::optional<error_with_diagnostics> thrown;
        bool done = false;
        asio::co_spawn(loop.ioc, std::move(coroutine), [&](std::exception_ptr e) {
            done = true;
            try {
                if (e) std::rethrow_exception(e);
            } catch (const error_with_diagnostics& error) {
                thrown = error;
            }
        });
        EXPECT_TRUE(loop.run_until([&] { return done; }));
        return thrown;
    }
    template <class Function>
    auto counted_handler(Function f) {
        return handler_with_allocator<Function>{{bytes, most}, std::move(f)};
    }

    std::size_t bytes = 0;
    std::size_t most = 0;
};

TEST_F(a_completion_token, with_diagnostics_throws_the_explanation_of_a_call) {
    server_options.slots_endpoint = false;
    start();
    const auto error = run([&]() -> asio::awaitable<void> {
        co_await llm->async_slots(with_diagnostics(asio::use_awaitable));
    });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), errc::not_supported);
    EXPECT_FALSE(error->get_diagnostics().client_message.empty());
    EXPECT_THAT(error->what(), HasSubstr(error->get_diagnostics().client_message));
}

TEST_F(a_completion_token, with_diagnostics_gives_results_and_fills_the_callers_diagnostics) {
    start();
    diagnostics diag;
    const auto error = run([&]() -> asio::awaitable<void> {
        const auto props = co_await llm->async_props(with_diagnostics(asio::use_awaitable));
        EXPECT_GT(props.total_slots, 0);
        co_await llm->async_save_slot(0, "../keys", diag, with_diagnostics(asio::use_awaitable));
    });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), errc::bad_request);
    EXPECT_EQ(error->get_diagnostics().client_message, diag.client_message);
    EXPECT_FALSE(diag.client_message.empty());
}

TEST_F(a_completion_token, with_diagnostics_throws_why_a_reply_failed) {
    start_with({.kind = mock::fault_kind::reset, .at_token = 0});
    const auto error = run([&]() -> asio::awaitable<void> {
        auto r = llm->start(prompt);
        while (const auto piece =
                   co_await r.async_next_chunk(with_diagnostics(asio::use_awaitable)))
            r.continue_after(piece->id);
    });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), errc::stream_incomplete);
    EXPECT_FALSE(error->get_diagnostics().client_message.empty());
}

TEST_F(a_completion_token, with_diagnostics_works_for_futures) {
    start();
    auto text = llm->async_apply_template({{"user", "Hi"}}, with_diagnostics(asio::use_future));
    ASSERT_TRUE(loop.run_until([&] { return text.wait_for(0s) == std::future_status::ready; }));
    EXPECT_THAT(text.get(), HasSubstr("Hi"));
}

TEST_F(a_completion_token, is_an_lvalue_that_can_be_used_again) {
    start();
    int completed = 0;
    const auto count = [&completed, kept = std::make_shared<int>(1)](auto...) {
        EXPECT_TRUE(kept);
        ++completed;
    };
    auto handler = count;
    llm->async_health(handler);
    llm->async_health(handler);
    ASSERT_TRUE(loop.run_until([&] { return completed == 2; }));
}

TEST_F(a_completion_token,
       has_its_memory_from_the_handlers_allocator_and_given_back_before_it_runs) {
    start();
    std::optional<std::size_t> left_by_call;
    std::optional<std::size_t> left_by_chunk;
    std::optional<std::size_t> left_by_reading;
    llm->async_health(counted_handler([&](error_code) { left_by_call = bytes; }));
    ASSERT_TRUE(loop.run_until([&] { return left_by_call.has_value(); }));
    EXPECT_GT(std::exchange(most, 0), 0u);
    auto r = llm->start(prompt);
    r.async_next_chunk(counted_handler([&](error_code, const auto&) { left_by_chunk = bytes; }));
    ASSERT_TRUE(loop.run_until([&] { return left_by_chunk.has_value(); }));
    EXPECT_GT(std::exchange(most, 0), 0u);
    r.interrupt();
    async_read_all(llm->start(prompt),
                   counted_handler([&](error_code, const auto&) { left_by_reading = bytes; }));
    ASSERT_TRUE(loop.run_until([&] { return left_by_reading.has_value(); }));
    EXPECT_GT(most, 0u);
    EXPECT_EQ(left_by_call, 0u);
    EXPECT_EQ(left_by_chunk, 0u);
    EXPECT_EQ(left_by_reading, 0u);
    ASSERT_TRUE(server_gets_idle());
    EXPECT_EQ(bytes, 0u);
}

TEST_F(a_completion_token, may_own_the_memory_that_it_is_stored_in) {
    start();
    int calls = 0;
    llm->async_health(handler_that_owns_its_memory{&calls});
    auto r = llm->start(prompt);
    r.async_next_chunk(handler_that_owns_its_memory{&calls});
    ASSERT_TRUE(loop.run_until([&] { return calls == 2; }));
    server->inject(
        {.kind = mock::fault_kind::slow_headers, .duration = 60s, .times = 0, .path = ""});
    {
        boost::asio::io_context ending;
        client there(ending.get_executor(), config);
        there.async_health(handler_that_owns_its_memory{&calls});
        auto unread = there.start(prompt);
        unread.async_next_chunk(handler_that_owns_its_memory{&calls});
        ending.poll();
    }
    EXPECT_EQ(calls, 2) << "handlers of a context that ends are destroyed";
}

TEST_F(a_completion_token, comes_after_diagnostics_that_are_empty_unless_the_call_fails) {
    start();
    diagnostics diag{.client_message = "of an earlier call"};
    loop.call<server_props>([&](auto h) { llm->async_props(diag, std::move(h)); });
    EXPECT_EQ(diag.client_message, "");
    diag.client_message = "of an earlier call";
    auto r = llm->start(prompt);
    bool came = false;
    r.async_next_chunk(diag, [&](error_code, const auto&) { came = true; });
    ASSERT_TRUE(loop.run_until([&] { return came; }));
    EXPECT_EQ(diag.client_message, "");
}

TEST_F(a_completion_token, runs_on_the_strand_that_reply_and_client_share_by_default) {
    start();
    auto r = llm->start(prompt);
    EXPECT_EQ(r.get_executor(), llm->get_executor());
    const auto executor = llm->get_executor();
    const auto* const strand = executor.target<asio::strand<asio::any_io_executor>>();
    ASSERT_TRUE(strand);
    int completed = 0;
    const auto check = [&](auto...) {
        ++completed;
        EXPECT_TRUE(strand->running_in_this_thread());
    };
    llm->async_health(check);
    llm->async_health(with_diagnostics(check));
    r.async_upcoming_speech(check);
    r.async_next_chunk(check);
    async_read_all(llm->start(prompt), check);
    ASSERT_TRUE(loop.run_until([&] { return completed == 5; }));
}

TEST_F(a_completion_token, shares_the_strand_of_a_service_with_its_conversations) {
    service bots(loop.ioc.get_executor(), {});
    EXPECT_EQ(bots.create().get_executor(), bots.get_executor());
    static_assert(std::is_same_v<reply::executor_type, client::executor_type>);
}

TEST_F(a_completion_token, runs_on_the_executor_that_it_is_bound_to) {
    start();
    asio::io_context other;
    int completed = 0;
    const auto bound = [&] {
        return asio::bind_executor(other.get_executor(), [&](auto...) {
            ++completed;
            EXPECT_TRUE(other.get_executor().running_in_this_thread());
        });
    };
    auto r = llm->start(prompt);
    llm->async_health(bound());
    llm->async_health(with_diagnostics(bound()));
    r.async_upcoming_speech(bound());
    r.async_next_chunk(with_diagnostics(bound()));
    async_read_all(llm->start(prompt), with_diagnostics(bound()));
    ASSERT_TRUE(loop.run_until([&] {
        other.poll();
        return completed == 5;
    }));
}

class reading_all : public a_completion_token {};

TEST_F(reading_all, gives_the_result_of_a_whole_reply) {
    start();
    std::optional<reply_result> result;
    async_read_all(llm->start(prompt), [&](error_code ec, reply_result r) {
        EXPECT_FALSE(ec);
        result = std::move(r);
    });
    ASSERT_TRUE(loop.run_until([&] { return result.has_value(); }));
    EXPECT_EQ(result->text, story);
    EXPECT_EQ(result->finish_reason, finish_reason::eos);
}

TEST_F(reading_all, gives_the_text_that_came_before_an_error_and_its_explanation) {
    config.pacing.mode = pacing::stream;
    start_with({.kind = mock::fault_kind::reset, .at_token = 40});
    diagnostics diag;
    std::optional<reply_result> result;
    error_code error;
    async_read_all(llm->start(prompt), diag, [&](error_code ec, reply_result r) {
        error = ec;
        result = std::move(r);
    });
    ASSERT_TRUE(loop.run_until([&] { return result.has_value(); }));
    EXPECT_EQ(error, errc::stream_incomplete);
    EXPECT_EQ(result->error, error);
    EXPECT_EQ(diag.client_message, result->diagnostics.client_message);
    EXPECT_FALSE(result->text.empty());
}

TEST_F(reading_all, throws_in_a_coroutine) {
    start_with({.kind = mock::fault_kind::reset, .at_token = 0});
    const auto error = run([&]() -> asio::awaitable<void> {
        co_await async_read_all(llm->start(prompt), with_diagnostics(asio::use_awaitable));
    });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), errc::stream_incomplete);
    EXPECT_FALSE(error->get_diagnostics().client_message.empty());
}

TEST_F(reading_all, of_a_reply_that_somebody_else_reads_fails_and_interrupts_it) {
    start();
    auto r = llm->start(prompt);
    bool other_ended = false;
    r.async_next_chunk([&](error_code, const auto&) { other_ended = true; });
    const auto [error, result] =
        loop.call<reply_result>([&](auto h) { async_read_all(std::move(r), std::move(h)); });
    EXPECT_EQ(error, errc::operation_in_progress);
    EXPECT_EQ(result.error, error);
    EXPECT_TRUE(loop.run_until([&] { return other_ended; }));
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(reading_all, is_destroyed_with_its_reply_when_the_context_ends) {
    start();
    auto alive = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = alive;
    {
        asio::io_context ending;
        client there(ending.get_executor(), config);
        async_read_all(there.start(prompt),
                       [kept = std::move(alive)](error_code, const reply_result&) {
                           ADD_FAILURE() << "the loop never ran";
                       });
    }
    EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace tandem::testing
