#pragma once

#include "base/recorded_request_key.hpp"

#include "tandem/duration.hpp"
#include "tandem/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// The lines of a recording; see docs/recording.md. Requests and replies are numbered from 1.
namespace tandem::wire {

/// The first line of a recording.
struct recording_start {
    /// Time of the recording as readable text.
    std::string began{};
    bool has_prompts = true;
};

struct recorded_request {
    std::uint64_t number = 0;
    /// The URL without a password.
    std::string server{};
    std::string method{};
    std::string path{};
    std::string body{};
    /// `reply` is the reply's number in the recording; `scope_number` is not stored.
    std::optional<recorded_request_key> reply_key{};
};

struct recorded_status {
    std::uint64_t request = 0;
    int http_status = 0;
};

struct recorded_bytes {
    std::uint64_t request = 0;
    std::string bytes{};
};

/// The answer ended, with or without a transport error.
struct recorded_end {
    std::uint64_t request = 0;
    error_code ec{};
    std::string message{};
};

/// The client closed the connection.
struct recorded_cut {
    std::uint64_t request = 0;
};

/// Whether `note` is valid JSON that fits into a line.
bool is_valid_note(std::string_view note);

struct recorded_note {
    std::string json{};
};

/// The recording is full; nothing further was recorded.
struct recording_full {};

using recording_entry =
    std::variant<recording_start, recorded_request, recorded_status, recorded_bytes, recorded_end,
                 recorded_cut, recorded_note, recording_full>;

struct recording_line {
    /// Relative to the start of the recording.
    duration at{};
    recording_entry entry{};
};

/// The text of a line without '\n'. Bytes that are not UTF-8 are written as hexadecimal digits, so
/// that they can be restored. A note that is not JSON becomes null.
std::string format_recording_line(const recording_line& line);

/// Returns nullopt if `text` is not a line of a recording; `fault` then describes the problem.
std::optional<recording_line> read_recording_line(std::string_view text, std::string& fault);

}  // namespace tandem::wire
