#pragma once

#include "gateway/answers/chat_answer.hpp"
#include "gateway/http/answer_client.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/generation_job.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <variant>

namespace tandem::gateway {

/// Reads a reply to its end before responding.
class buffered_reply {
 public:
    /// Starts the reply.
    buffered_reply(gateway_core& core, generation_job order);

    /// Reads until the reply ends; if the client disconnects, cancels the reply. Returns the answer
    /// or an error.
    boost::asio::awaitable<std::variant<finished_answer, api_error>> read(answer_client& client);

    // Valid after read().
    /// The reply, for its usage.
    const reply& itself() const noexcept { return reply_; }

 private:
    std::variant<finished_answer, api_error> finish();

    gateway_core& core_;
    std::string pin_;
    std::size_t bytes_;
    conversation talk_;
    reply reply_;
    finished_answer answer_{};
};

}  // namespace tandem::gateway
