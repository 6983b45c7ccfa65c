#pragma once

#include "tandem/config.hpp"
#include "tandem/duration.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tandem::gateway {

/// What becomes of a prompt of which nobody could tell whether it may pass.
enum class on_policy_failure {
    refuse,
    pass,
};

/// Who else is asked whether prompts may pass, over HTTP.
struct policy_options {
    /// As those of servers: http or https, with credentials if it must be, without a query. Empty =
    /// nobody is asked.
    std::string url{};
    /// From the question to the whole answer; 1 ms to 1 min.
    duration timeout = std::chrono::seconds(1);
    on_policy_failure on_failure = on_policy_failure::refuse;
};

/// All faults of `o`, as "policy_url" and "policy_timeout"; empty if it can be used.
std::vector<config_fault> check(const policy_options& o);

}  // namespace tandem::gateway
