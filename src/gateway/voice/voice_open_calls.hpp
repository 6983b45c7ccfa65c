#pragma once

#include "base/time.hpp"
#include "gateway/records/session_record.hpp"
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

/// The result of a call, as the model reads it.
struct call_result {
    std::string id{};
    std::string content{};
    /// Whether the actual result may still arrive.
    bool is_final = true;

    friend bool operator==(const call_result&, const call_result&) = default;
};

/// The function calls of a session's last reply, with their results, and earlier calls whose
/// results may still arrive. Pure.
class voice_open_calls {
 public:
    /// Another reply begins. If it calls functions, add_sent_calls() follows.
    void begin_reply();
    /// These calls of the reply were sent. Keeps the first `max_sent_calls`.
    void add_sent_calls(std::span<const tool_call> calls, time_point deadline);
    /// Stores the result of an open call, or of a call that has a provisional result. Stores the
    /// result of a dropped call only if `keep`. Returns false if it stored nothing.
    bool set_result(std::string_view id, std::string content, bool keep = false);
    /// Gives an open call a provisional result. Returns false if no open call has this id.
    bool set_interim_result(std::string_view id, std::string meanwhile);
    /// Drops all open calls with this provisional result, and returns their ids.
    std::vector<std::string> drop_all_with_result(const std::string& meanwhile);
    /// The ids of the calls without a result.
    std::vector<std::string> list_open() const;
    /// Drops the open calls, and returns their ids.
    std::vector<std::string> drop_open_calls();
    /// The results that were not taken yet, in the order of the calls.
    std::vector<call_result> take_results();

    /// Whether the final result of an earlier call is still accepted. For a dropped call, this
    /// requires `keep`.
    bool accepts_late_result(std::string_view id, bool keep) const noexcept;
    /// From now on, a late result of this call is accepted. Keeps the newest `max_sent_calls`
    /// calls.
    void expect_late_result(late_call c);
    void forget_late(std::string_view id);
    /// The late calls for a record of the session. Includes the reply's calls, because this gateway
    /// may end before take_results() returns their results.
    std::vector<late_call> list_late_calls() const;

    bool has_reply_called() const noexcept { return has_reply_called_; }
    /// Whether a call has no result, or take_results() has not yet returned its result.
    bool is_pending() const noexcept { return !calls_.empty(); }
    bool is_open() const noexcept { return open_count_ > 0; }
    /// Whether each call has a result, and take_results() has not yet returned these results.
    bool is_complete() const noexcept { return is_pending() && !is_open(); }
    /// Bytes of the results of the reply's calls.
    std::size_t result_bytes() const noexcept { return result_bytes_; }
    /// When the results must have arrived; nullopt if no call is open.
    std::optional<time_point> deadline() const noexcept;

 private:
    struct call {
        std::string id;
        std::optional<std::string> result{};
        bool is_final = false;
        bool is_dropped = false;

        bool accepts_result(bool keep) const noexcept { return !is_final && (keep || !is_dropped); }
    };
    call* find(std::string_view id) noexcept;
    void close(call& c, std::string content);

    std::vector<call> calls_{};
    std::size_t open_count_ = 0;
    std::size_t result_bytes_ = 0;
    bool has_reply_called_ = false;
    time_point deadline_{};
    std::vector<late_call> late_{};
};

}  // namespace tandem::gateway
