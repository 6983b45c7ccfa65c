#pragma once

#include "tandem/client.hpp"
#include "tandem/conversation.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

/// A reply and everything that its consumer received. Requests one chunk after another, and
/// continues each chunk on arrival unless the test sets another listener.
class consumer {
 public:
    /// Called with each chunk; the default continues the chunk immediately.
    using listener = std::function<void(consumer&, const chunk&)>;

    explicit consumer(reply r, listener on_chunk = continue_at_once);
    consumer(consumer&&) noexcept = default;
    consumer& operator=(consumer&&) noexcept = default;

    /// Does not continue the chunk.
    static void do_not_continue(consumer&, const chunk&) {}
    static void continue_at_once(consumer& c, const chunk& piece) { c.go_on(piece); }

    void go_on(const chunk& piece) { seen_->handle.continue_after(piece.id); }
    void interrupt() { seen_->handle.interrupt(); }

    /// Whether the consumer has received the end of the reply.
    bool ended() const { return seen_->ended; }
    error_code error() const { return seen_->error; }
    const std::vector<chunk>& chunks() const { return seen_->chunks; }
    /// The text of all chunks.
    std::string text() const;
    const reply_result& result() const { return seen_->handle.result(); }
    std::uint64_t id() const { return seen_->handle.id(); }
    reply& handle() { return seen_->handle; }

 private:
    struct received_reply {
        received_reply(reply r, listener l) : handle(std::move(r)), on_chunk(std::move(l)) {}

        reply handle;
        listener on_chunk;
        std::vector<chunk> chunks;
        error_code error;
        bool ended = false;
    };

    explicit consumer(std::shared_ptr<received_reply> seen) : seen_(std::move(seen)) {}
    static void ask(const std::shared_ptr<received_reply>& seen);
    static void take(const std::shared_ptr<received_reply>& seen, error_code ec,
                     std::optional<chunk> piece);

    // Shared with the handler that waits for a chunk.
    std::shared_ptr<received_reply> seen_;
};

/// An event loop that runs until a condition holds. Fails the test on a timeout.
class reply_runner {
 public:
    static constexpr auto patience = std::chrono::seconds(120);

    boost::asio::io_context ioc{1};

    /// Runs until `condition` holds. On a timeout, fails the test and returns false.
    bool run_until(const std::function<bool()>& condition,
                   std::chrono::milliseconds limit = patience);
    /// Runs the reply to its end.
    bool run_to_end(const consumer& c) {
        return run_until([&c] { return c.ended(); });
    }
    /// Runs the remaining work, and returns whether the loop has then run out of work. The loop
    /// cannot be used after this call.
    bool runs_out_of_work() {
        busy_.reset();
        ioc.restart();
        ioc.run_for(patience);
        return ioc.stopped();
    }
    /// Makes one call of the client. `ask(handler)` starts the call. Returns the handler's results.
    template <class Result = std::nullptr_t, class Ask>
    std::pair<error_code, Result> call(Ask ask) {
        struct answer {
            bool arrived = false;
            std::pair<error_code, Result> value{};
        };
        const auto got = std::make_shared<answer>();
        ask([got](error_code ec, auto... results) {
            got->arrived = true;
            got->value.first = ec;
            ((got->value.second = std::move(results)), ...);
        });
        run_until([&] { return got->arrived; });
        return std::move(got->value);
    }
    /// The result of the conversation's async_state().
    conversation_state state_of(conversation& c);

 private:
    // Keeps the loop running while it waits for another thread to make the condition true.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{
        ioc.get_executor()};
};

}  // namespace tandem::testing
