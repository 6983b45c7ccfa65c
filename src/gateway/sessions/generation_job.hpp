#pragma once

#include "base/time.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/answers/bounded_cache.hpp"
#include "gateway/answers/tool_call_reader.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/requests/generation_request.hpp"
#include "gateway/sessions/served_models.hpp"

#include "tandem/conversation.hpp"
#include "tandem/log.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::gateway {

/// The reply that a request asks for, with its whole conversation.
struct generation_job {
    /// Owned by the gateway; outlives the order.
    served_model* model = nullptr;
    conversation_options setup{};
    /// Identifies the conversation, see make_affinity_key(); empty if the client does not identify
    /// it.
    std::string pin{};
    /// For a `raw` conversation.
    std::string prompt{};
    generation_options options{};
    call_rules calls{};
};

/// The latest place of a conversation that its client identifies.
struct slot_affinity {
    /// URL of its server.
    std::string server{};
    /// While this exists, the scheduler expects the conversation on this slot to continue.
    std::shared_ptr<const conversation> talk{};
};
inline constexpr cache_limits affinity_table_limits{
    .entries = 4096, .bytes = std::size_t{64} << 20, .ttl = std::chrono::minutes(10)};
using affinity_table = bounded_cache<std::string, slot_affinity>;

/// Identifies a conversation across requests; distinct for each key. Empty if the client does not
/// identify it.
std::string make_affinity_key(const admitted& who, const generation_request& request);

/// Creates the conversation of an order, on its previous server if that is known.
conversation open(affinity_table& places, const generation_job& order, time_point now);
/// Approximate memory of the conversation: its history, and the prompts built from it.
std::size_t bytes_of(const generation_job& order);
/// Remembers the place of a conversation, unless the reply failed or never reached a server.
/// `bytes` is from bytes_of().
void remember_affinity(affinity_table& places, const std::string& pin, conversation talk,
                       std::size_t bytes, const reply_result& result, time_point now);

/// The text of a reply, with the tool calls removed if the request has functions.
class tool_call_extractor {
 public:
    explicit tool_call_extractor(call_rules rules = {})
        : rules_(rules), has_functions_(!rules.functions.empty()), reader_(std::move(rules)) {}

    text_and_calls feed(const std::string& text) {
        return has_functions_ ? noted(reader_.feed(text)) : text_and_calls{.text = text};
    }
    /// Pass the reasoning, because it may end with a call.
    text_and_calls finish(std::string_view reasoning = {});
    /// Offset in the reasoning of the call that finish() found there.
    std::size_t reasoning_bytes() const noexcept { return reasoning_bytes_; }
    /// Whether the maximum number of calls was reached; the model may continue after the last one.
    bool is_full() const noexcept { return has_functions_ && reader_.is_full(); }
    /// Whether the remaining reply is unnecessary: all calls were read, or the error message is
    /// complete.
    bool is_done() const noexcept { return is_full() || is_error_text_complete(); }
    /// The finish reason of the answer. A reply interrupted after its last call counts as complete.
    finish_reason reason(finish_reason of_reply) const noexcept {
        return is_full() && of_reply == finish_reason::interrupted ? finish_reason::eos : of_reply;
    }

    /// Why the first invalid call is invalid.
    call_fault fault() const noexcept { return fault_; }
    /// The error of an answer with a malformed call after a mark. The error contains the call,
    /// because it is not text to be spoken. nullopt if the reply's token limit cut the call off:
    /// that answer ends normally, without the call.
    std::optional<api_error> error(finish_reason of_reply) const;

 private:
    text_and_calls noted(text_and_calls read);
    void read_channel(std::string_view reasoning, text_and_calls& out);
    void take_broken(call_fault why, std::string_view text);
    bool is_error_text_complete() const noexcept;

    call_rules rules_;
    bool has_functions_;
    tool_call_reader reader_;
    call_fault fault_ = call_fault::none;
    /// The text from the mark of the first malformed call, limited to what its error needs.
    std::string broken_{};
    call_fault broken_as_ = call_fault::none;
    std::size_t reasoning_bytes_ = std::string::npos;
};

/// Logs a warning about an invalid call. Call once, when the reply has ended.
void warn_of(const logger& log, call_fault fault, std::string_view model,
             std::string_view request_id);

}  // namespace tandem::gateway
