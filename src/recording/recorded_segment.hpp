#pragma once

#include "recording/recorded_completion_json.hpp"
#include "recording/recorded_traffic.hpp"
#include "wire/json/token_event.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tandem::detail {

struct recorded_event {
    duration at{};
    /// All bytes since the previous event.
    std::string raw{};
    wire::token_event event{};
    /// The bytes of the reply's text that the event contains: [begin, end).
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The part of a reply's text that one request delivered.
struct recorded_segment {
    const recorded_exchange* exchange = nullptr;
    wire::recorded_completion_request request{};
    std::vector<recorded_event> events{};
    /// Bytes after the last readable event.
    std::string tail{};
    /// Whether the tail ended the request: it contains an error from the server, or is not an event
    /// of a llama-server.
    bool is_faulty = false;
    /// Bytes of the reply's text: [from, to). Text read beyond `to` was dropped and generated
    /// again.
    std::size_t from = 0;
    std::size_t to = 0;
    /// Whether the segment was played, and must not be played again.
    bool is_used = false;

    bool is_stream() const noexcept;
    bool has_text() const noexcept { return to > from; }
    /// Whether the server reported the end of generation at the end of the kept text.
    bool has_final() const noexcept;
    /// Whether text that starts at `text_bytes` comes from this segment.
    bool covers(std::size_t text_bytes) const noexcept {
        return from <= text_bytes && (text_bytes < to || (text_bytes == to && has_final()));
    }
};

/// `x` must outlive the segment, and its request must have a reply_key.
recorded_segment parse_segment(const recorded_exchange& x);

}  // namespace tandem::detail
