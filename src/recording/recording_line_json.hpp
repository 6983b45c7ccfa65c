#pragma once

#include "base/reply_place.hpp"

#include "tandem/duration.hpp"
#include "tandem/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// The lines of a recording, see docs/recording.md. Requests are numbered from 1, and so are
// replies.
namespace tandem::wire {

/// The first line.
struct recording_start {
    /// When it was made, as people write it.
    std::string began{};
    bool has_prompts = true;
};

struct recorded_request {
    std::uint64_t number = 0;
    /// Without a password.
    std::string server{};
    std::string method{};
    std::string path{};
    std::string body{};
    /// With its reply's number in the recording for `reply`; `home` is not kept.
    std::optional<reply_place> place{};
};

struct recorded_status {
    std::uint64_t request = 0;
    int http_status = 0;
};

struct recorded_bytes {
    std::uint64_t request = 0;
    std::string bytes{};
};

/// The answer ended, with an error of the transport or without.
struct recorded_end {
    std::uint64_t request = 0;
    error_code ec{};
    std::string message{};
};

/// The connection was closed from here.
struct recorded_cut {
    std::uint64_t request = 0;
};

/// Whether it is JSON that a line can hold.
bool can_be_note(std::string_view json);

struct recorded_note {
    std::string json{};
};

/// Nothing more was kept.
struct recording_full {};

using recording_entry =
    std::variant<recording_start, recorded_request, recorded_status, recorded_bytes, recorded_end,
                 recorded_cut, recorded_note, recording_full>;

struct recording_line {
    /// Since the recording began.
    duration at{};
    recording_entry entry{};
};

/// Without '\n'. Bytes that are no UTF-8 are written as hexadecimal digits, so that all come back.
/// A note that is no JSON becomes null.
std::string text_of(const recording_line& line);

/// Nothing if `text` is no line of a recording; `fault` says what is wrong then.
std::optional<recording_line> read_recording_line(std::string_view text, std::string& fault);

}  // namespace tandem::wire
