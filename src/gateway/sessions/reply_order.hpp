#pragma once

#include "base/time.hpp"
#include "gateway/access/gatekeeper.hpp"
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

/// The one reply that a request wants, which brings its whole conversation.
struct reply_order {
    /// Of the gateway; outlives the order.
    served_model* model = nullptr;
    conversation_options setup{};
    /// Names the conversation for the gateway, as pin_of() does; empty if the client does not.
    std::string pin{};
    /// Of a conversation that is `raw`.
    std::string prompt{};
    generation_options options{};
    call_rules calls{};
    /// Of who asked first, for the log.
    std::string request_id{};
};

/// Where a conversation that its client names was last.
struct conversation_place {
    /// Its server, by the URL.
    std::string server{};
    /// As long as it is there, its slot's text counts as somebody's who comes back.
    std::shared_ptr<const conversation> talk{};
};
inline constexpr cache_limits kept_places{
    .entries = 4096, .bytes = std::size_t{64} << 20, .ttl = std::chrono::minutes(10)};
using conversation_places = bounded_cache<std::string, conversation_place>;

/// The name of a conversation: a client's own one is its key's alone. Empty if it gives none.
std::string pin_of(const admitted& who, const generation_request& request);

/// Begins the conversation of an order at the place where it was.
conversation open(conversation_places& places, const reply_order& order, time_point now);
/// What its conversation takes, about: its history, and the prompts that are made of it.
std::size_t bytes_of(const reply_order& order);
/// Remembers where it was. What ended with an error is at no place, nor what never got to a server;
/// `bytes` is from bytes_of().
void keep_place(conversation_places& places, const std::string& pin, conversation talk,
                std::size_t bytes, const reply_result& result, time_point now);

/// The text of a reply, with the calls taken out where the request has functions.
class called_text {
 public:
    explicit called_text(call_rules rules = {})
        : rules_(rules), has_functions_(!rules.functions.empty()), reader_(std::move(rules)) {}

    text_and_calls feed(const std::string& text) {
        return has_functions_ ? noted(reader_.feed(text)) : text_and_calls{.text = text};
    }
    /// `reasoning` is what the model wrote for itself: that may end with a call.
    text_and_calls finish(std::string_view reasoning = {});
    /// Where in what it wrote for itself the call began that finish() found there.
    std::size_t reasoning_bytes() const noexcept { return reasoning_bytes_; }
    /// There are as many calls as are wanted: the model would continue after the last one.
    bool is_full() const noexcept { return has_functions_ && reader_.is_full(); }
    /// The rest of the reply is not needed: all calls are there, or the error message is complete.
    bool is_done() const noexcept { return is_full() || is_all_told(); }
    /// How an answer ended whose reply ended so.
    finish_reason reason(finish_reason of_reply) const noexcept {
        return is_full() && of_reply == finish_reason::interrupted ? finish_reason::eos : of_reply;
    }

    /// Why something that looked like a call is none: of the first one.
    call_fault fault() const noexcept { return fault_; }
    /// What the answer fails with that has such a call after its mark: it is no text for anybody to
    /// speak, and so stands in this error. None where the bound of the reply, which ended so, cut
    /// the call off: that answer ends as it is, without the call.
    std::optional<api_error> error(finish_reason of_reply) const;

 private:
    text_and_calls noted(text_and_calls read);
    void read_channel(std::string_view reasoning, text_and_calls& out);
    void take_broken(call_fault why, std::string_view text);
    bool is_all_told() const noexcept;

    call_rules rules_;
    bool has_functions_;
    tool_call_reader reader_;
    call_fault fault_ = call_fault::none;
    /// From the mark of the first such call on; no more than its error needs.
    std::string broken_{};
    call_fault broken_as_ = call_fault::none;
    std::size_t reasoning_bytes_ = std::string::npos;
};

/// Warns of a call in a reply that is none; once, when it has ended.
void warn_of(const logger& log, call_fault fault, std::string_view model,
             std::string_view request_id);

}  // namespace tandem::gateway
