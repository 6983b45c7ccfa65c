#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/policy/policy_options.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the gateway asks an outside policy, and what it makes of the answer. Pure.
namespace tandem::gateway {

/// A prompt that is to be judged. All are views.
struct policy_question {
    std::string_view request_id{};
    /// Its name, never its value.
    std::string_view key{};
    std::string_view model{};
    /// route::path.
    std::string_view route{};
    /// All that reaches the model where a client chose the words, as texts_of() gives it.
    std::vector<std::string_view> texts{};
    /// For a header, not for the body; empty = none.
    std::string_view traceparent{};
};

/// `{"request_id":…,"key":…,"model":…,"route":…,"texts":[…]}`. Bytes that are not UTF-8 are
/// replaced.
std::string question_body(const policy_question& q);

struct policy_verdict {
    enum class result { allowed, refused, failed };

    result what = result::failed;
    /// Refused: why, for the client; a line of valid UTF-8 of at most 512 bytes and an ellipsis, or
    /// empty. Failed: what went wrong, for the log.
    std::string words{};
};

inline constexpr std::array policy_results{policy_verdict::result::allowed,
                                           policy_verdict::result::refused,
                                           policy_verdict::result::failed};

/// "allowed", "refused" or "failed".
const char* to_string(policy_verdict::result r) noexcept;

/// The body of an answer; a larger one is a failure, and is not read to its end.
inline constexpr std::size_t max_verdict_bytes = std::size_t{64} << 10;

/// 200 with `{"allowed": true}`, or with `{"allowed": false, "reason": "…"}`, whose reason may be
/// missing; other members are passed over. Anything else is a failure, whose words repeat nothing
/// of the body. Throws std::bad_alloc only.
policy_verdict read_verdict(int http_status, std::string_view body);

/// What a client is told: 400 "content_policy" with the reason, 503 "policy_unavailable", or
/// nothing where the prompt may pass.
std::optional<api_error> error_of(const policy_verdict& v, on_policy_failure on_failure);

}  // namespace tandem::gateway
