#pragma once

#include "base/time.hpp"
#include "wire/calls/server_messages.hpp"

#include "tandem/server.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// Maximum number of calls of a reply that are sent to the client.
inline constexpr std::size_t max_sent_calls = wire::max_calls_of_a_reply;

/// The functions that the last reply of a session called, and their results. Pure.
class voice_open_calls {
 public:
    /// The calls were sent. Keeps the first `max_sent_calls`.
    void open(std::span<const tool_call> calls, time_point deadline);
    /// Keeps the result of an open call. Returns false if there is none with this id.
    bool answer(std::string_view id, std::string content);
    /// Gives this result to each open call, and returns their ids.
    std::vector<std::string> answer_all(const std::string& content);
    /// Closes the calls without a result, and returns their ids.
    std::vector<std::string> drop();
    /// The results that were not taken yet, as messages in the order of the calls.
    std::vector<chat_message> take_results();

    /// Whether the reply called functions.
    bool were_made() const noexcept { return were_made_; }
    /// Whether a call has no result, or take_results() has not yet returned its result.
    bool is_pending() const noexcept { return !calls_.empty(); }
    bool is_open() const noexcept { return open_count_ > 0; }
    /// Whether each call has a result, and take_results() has not yet returned them.
    bool is_complete() const noexcept { return is_pending() && !is_open(); }
    /// When the results must have come; nullopt if no call is open.
    std::optional<time_point> deadline() const noexcept;

 private:
    struct call {
        std::string id;
        std::optional<std::string> result;
    };
    void close(call& c, std::string content);

    std::vector<call> calls_{};
    std::size_t open_count_ = 0;
    bool were_made_ = false;
    time_point deadline_{};
};

}  // namespace tandem::gateway
