#pragma once

#include "recording/recorded_completion_json.hpp"
#include "recording/recorded_traffic.hpp"
#include "wire/json/token_event.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tandem::detail {

/// An event of a recorded stream.
struct recorded_event {
    duration at{};
    /// All bytes after the event before.
    std::string raw{};
    wire::token_event said{};
    /// Bytes of the reply's text that it has: [begin, end).
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// What one request brought of a reply: a part of its text.
struct recorded_segment {
    const recorded_exchange* exchange = nullptr;
    wire::asked_completion asked{};
    std::vector<recorded_event> events{};
    /// Bytes after the last event that could be read.
    std::string tail{};
    /// They are what ended the request: no event of a llama-server, or an error of it.
    bool is_faulty = false;
    /// Bytes of the reply's text: [from, to). What is read beyond was dropped, and generated again.
    std::size_t from = 0;
    std::size_t to = 0;
    /// It is not to be played again.
    bool is_used = false;

    bool is_stream() const noexcept;
    bool has_text() const noexcept { return to > from; }
    /// The server said that all is generated, at the end of what was kept.
    bool has_final() const noexcept;
    /// Text that begins so far on comes from here.
    bool covers(std::size_t text_bytes) const noexcept {
        return from <= text_bytes && (text_bytes < to || (text_bytes == to && has_final()));
    }
};

/// `x` must outlive the segment, and have a place.
recorded_segment read_segment(const recorded_exchange& x);

}  // namespace tandem::detail
