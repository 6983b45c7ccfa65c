#pragma once

#include "recording/recorded_traffic.hpp"

#include "tandem/duration.hpp"
#include "tandem/error.hpp"

#include <functional>
#include <optional>
#include <string>

namespace tandem::detail {

/// One step of a server's answer.
struct answer_step {
    enum class kind { status, data, end };
    kind what = kind::data;
    /// Delay after the previous step, or after the request.
    duration delay{};
    /// Whether the delay's length may affect the client: a chunk ends if no token arrives in time.
    bool is_timing_relevant = false;
    int http_status = 0;
    std::string bytes{};
    error_code ec{};
    std::string message{};
};

/// Returns the steps of the answer to one request, one per call; nullopt after the last step.
using answer_script = std::function<std::optional<answer_step>()>;

answer_script make_answer_script(const recorded_exchange& x);

/// Answers immediately.
answer_script make_answer_script(int http_status, std::string body);

}  // namespace tandem::detail
