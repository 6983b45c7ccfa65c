#pragma once

#include "base/time.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/answers/bounded_cache.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/requests/generation_request.hpp"
#include "gateway/sessions/served_models.hpp"

#include "tandem/conversation.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// The reply that a request asks for, with its whole conversation.
struct generation_job {
    /// Owned by the gateway; outlives the job.
    served_model* model = nullptr;
    conversation_options setup{};
    /// The result of make_affinity_key(), which identifies the conversation.
    std::string pin{};
    /// The prompt of a `raw` conversation.
    std::string prompt{};
    generation_options options{};
};

/// Where the latest request of a conversation ran.
struct conversation_place {
    /// The server's URL without credentials; empty if the server is not known yet.
    std::string server{};
    /// While this object exists, the scheduler expects the conversation to continue on its slot.
    /// nullptr if another gateway handled the request.
    std::shared_ptr<const conversation> talk{};
};

/// The places of the conversations that clients identify.
inline constexpr cache_limits affinity_table_limits{
    .entries = 4096, .bytes = std::size_t{64} << 20, .ttl = std::chrono::minutes(10)};
using affinity_table = bounded_cache<std::string, conversation_place>;

/// Identifies a conversation across requests. Different API keys never share a conversation. Empty
/// if the client does not identify the conversation.
std::string make_affinity_key(const admitted_request& who, const generation_request& request);

/// Creates the conversation of a job. It continues the client's previous conversation if that is
/// known. If only that conversation's server is known, it starts on that server.
conversation open_job_conversation(affinity_table& places, const generation_job& job,
                                   time_point now);
std::size_t count_text_bytes(const std::vector<chat_message>& messages);
/// Approximate memory of the messages, including empty ones.
std::size_t estimate_message_bytes(const std::vector<chat_message>& messages);
/// Approximate memory of the conversation: its history, and the prompts built from it.
std::size_t estimate_job_bytes(const generation_job& job);
/// Returns the place of a conversation, unless the reply failed or never reached a server.
std::optional<conversation_place> make_conversation_place(conversation talk,
                                                          const reply_result& result);
/// Approximate memory of the place. `bytes` is from estimate_job_bytes().
std::size_t estimate_place_bytes(std::size_t bytes, const reply_result& result);

/// The error of a failed reply. If a call of the reply cannot be parsed, the error contains the
/// call's text, because no answer does.
api_error make_reply_error(const reply_result& result);

}  // namespace tandem::gateway
