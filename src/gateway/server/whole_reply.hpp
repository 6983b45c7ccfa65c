#pragma once

#include "gateway/answers/chat_answer.hpp"
#include "gateway/answers/shared_answers.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/reply_order.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// A reply that is read to its end for all who wait for it, on any loop, which may be others than
/// the one that asked first. It ends when the last of them is gone, and works on the loop of the
/// first.
class whole_reply : public std::enable_shared_from_this<whole_reply> {
 public:
    using answer_ptr = shared_answers::answer_ptr;

    /// To be started on this loop; who joins may wait() before. Nobody can join where it is the
    /// reply to no_question.
    whole_reply(gateway_loop& loop, question_id question);

    /// Once. Those who wait are told where it throws.
    void start(reply_order order);

    /// Until it has ended, or the client is gone and others wait; on the loop of the exchange. True
    /// for the one to whom the reply is charged: who asked first, if there to its end, else who has
    /// waited the longest.
    boost::asio::awaitable<bool> wait(gateway_loop& loop, http_exchange& exchange, bool is_first);

    bool has_ended() { return waiting_.lock()->has_ended; }
    /// Once it has ended: one of them is there.
    const answer_ptr& answer() const noexcept { return answer_; }
    const std::optional<api_error>& error() const noexcept { return error_; }
    /// Null where it broke before it had a result: then there is an error, and nothing to charge.
    const reply* itself() const noexcept { return reply_ && reply_->ended() ? &*reply_ : nullptr; }

 private:
    struct waiter;
    /// On a loop, which alone may touch it.
    struct known_waiter {
        gateway_loop* loop;
        std::weak_ptr<waiter> there;
        bool is_first;
    };
    struct waiters {
        std::vector<known_waiter> all{};
        std::weak_ptr<waiter> payer{};
        bool has_ended = false;

        void erase(const std::shared_ptr<waiter>& w);
        void choose_payer();
    };

    boost::asio::awaitable<void> run();
    void broke();
    void take(text_and_calls read);
    void finish();
    void close_question();
    void tell();
    bool leave_question();
    void left(const std::shared_ptr<waiter>& w);
    bool collect(const std::shared_ptr<waiter>& w);

    std::shared_ptr<gateway_loop> loop_;
    question_id question_;
    std::string pin_;
    std::string model_;
    std::string request_id_;
    std::size_t bytes_ = 0;
    called_text calls_{};
    std::optional<conversation> talk_{};
    std::optional<reply> reply_{};
    finished_answer read_{};
    /// Do not change once it has ended.
    answer_ptr answer_{};
    std::optional<api_error> error_{};
    detail::guarded<waiters> waiting_{};
};

}  // namespace tandem::gateway
