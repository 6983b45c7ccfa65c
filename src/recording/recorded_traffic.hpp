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

/// One request with its answer; times are since the recording began.
struct recorded_exchange {
    wire::recorded_request request{};
    duration sent_at{};
    std::optional<int> http_status{};
    duration status_at{};
    std::vector<timed_bytes> pieces{};
    duration ended_at{};
    /// Ended from here, or still running when the recording ended; else by the server.
    bool was_cut = true;
    error_code ec{};
    std::string message{};
};

struct recorded_traffic {
    bool has_prompts = true;
    bool is_cut_short = false;
    /// Requests still ran, or the last line is not whole; for another reason than that above.
    bool is_unfinished = false;
    /// In the order in which they were sent.
    std::vector<recorded_exchange> exchanges{};
    std::vector<std::string> notes{};
};

/// Reads all lines; a last line without '\n' that is incomplete is left out. Nothing if there is a
/// fault: `fault` names the line, and what is wrong with it.
std::optional<recorded_traffic> read_traffic(std::string_view lines, std::string& fault);

}  // namespace tandem::detail
