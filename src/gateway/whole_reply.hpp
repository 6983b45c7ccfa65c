#pragma once

#include "gateway/api_error.hpp"
#include "gateway/chat_answer.hpp"
#include "gateway/gateway_core.hpp"
#include "gateway/http_exchange.hpp"
#include "gateway/reply_order.hpp"
#include "gateway/shared_answers.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// A reply that is read to its end for all who wait for it, which may be others than the one that
/// asked first. It ends when the last of them is gone. On the gateway's loop.
class whole_reply : public std::enable_shared_from_this<whole_reply> {
 public:
    using answer_ptr = shared_answers::answer_ptr;

    /// Begins at once. Those who ask the same find it in gateway_core::whole_replies.
    static std::shared_ptr<whole_reply> begin(gateway_core& core, question_id question,
                                              reply_order order);

    /// Until it has ended, or the client is gone and others wait. True for one of those who waited
    /// to its end: to that one the reply is charged.
    boost::asio::awaitable<bool> wait(http_exchange& exchange);

    bool has_ended() const noexcept { return answer_ || error_; }
    /// Once it has ended: one of them is there.
    const answer_ptr& answer() const noexcept { return answer_; }
    const std::optional<api_error>& error() const noexcept { return error_; }
    const reply& itself() const noexcept { return reply_; }

 private:
    struct waiter;

    whole_reply(gateway_core& core, question_id question, reply_order order, conversation talk);
    boost::asio::awaitable<void> run();
    void take(text_and_calls read);
    void finish();
    void tell();
    void left(waiter& w);

    std::shared_ptr<gateway_core> core_;
    question_id question_;
    std::string pin_;
    std::string model_;
    std::string request_id_;
    std::size_t bytes_;
    called_text calls_;
    conversation talk_;
    reply reply_;
    finished_answer read_{};
    answer_ptr answer_{};
    std::optional<api_error> error_{};
    std::vector<waiter*> waiters_{};
    const waiter* payer_ = nullptr;
};

}  // namespace tandem::gateway
