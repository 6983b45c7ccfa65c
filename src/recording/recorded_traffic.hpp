#pragma once

#include "recording/recording_line_json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

struct timed_bytes {
    duration at{};
    std::string bytes{};
};

/// One request and its answer; times are relative to the start of the recording.
struct recorded_exchange {
    wire::recorded_request request{};
    duration sent_at{};
    std::optional<int> http_status{};
    duration status_at{};
    std::vector<timed_bytes> pieces{};
    duration ended_at{};
    /// Whether the client ended the exchange, or the recording ended before the exchange. If false,
    /// the server ended the exchange.
    bool was_cut = true;
    error_code ec{};
    std::string message{};
};

struct recorded_traffic {
    bool has_prompts = true;
    bool is_cut_short = false;
    /// Whether requests were still running, or the last line is incomplete, for a reason other than
    /// `is_cut_short`.
    bool is_unfinished = false;
    /// In the order in which they were sent.
    std::vector<recorded_exchange> exchanges{};
    std::vector<std::string> notes{};
};

/// Reads all lines; skips an incomplete last line without '\n'. On a fault, returns nullopt, and
/// `fault` names the line and the problem.
std::optional<recorded_traffic> parse_traffic(std::string_view lines, std::string& fault);

}  // namespace tandem::detail
