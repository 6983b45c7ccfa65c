#pragma once

#include "gateway/answers/chat_answer.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/reply_order.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <variant>

namespace tandem::gateway {

/// A reply that is read to its end before its client gets anything.
class whole_reply {
 public:
    /// Begins it.
    whole_reply(gateway_core& core, reply_order order);

    /// To its end, which comes at once where the client goes. The answer, or why there is none.
    boost::asio::awaitable<std::variant<finished_answer, api_error>> read(http_exchange& exchange);

    // Once it was read.
    /// For its costs.
    const reply& itself() const noexcept { return reply_; }
    /// Why something that looked like a call is none.
    call_fault fault() const noexcept { return calls_.fault(); }

 private:
    void take(text_and_calls read);
    std::variant<finished_answer, api_error> finish();

    gateway_core& core_;
    std::string pin_;
    std::size_t bytes_;
    called_text calls_;
    conversation talk_;
    reply reply_;
    finished_answer answer_{};
};

}  // namespace tandem::gateway
