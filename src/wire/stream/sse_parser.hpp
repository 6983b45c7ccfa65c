#pragma once

#include "wire/json/wire_limits.hpp"

#include "tandem/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::wire {

/// One item of a text/event-stream. The views are valid until the next call of next().
struct sse_event {
    enum class kind {
        message,     ///< an event with data
        keep_alive,  ///< a comment, sent only to keep the connection alive
    };
    kind what = kind::message;
    /// The value of `event:`, by default "message"; "error" for the `error:` lines of old servers.
    std::string_view type;
    /// The data lines, joined with \n; not checked for UTF-8.
    std::string_view data;
};

/// Splits a text/event-stream into events as its bytes arrive; how the bytes are split does not
/// affect the events. An event that lies completely in the bytes of one feed() is not copied.
///
///     parser.feed(bytes);
///     while (parser.next(event)) …
class sse_parser {
 public:
    /// An event or line longer than `max_bytes` is an error that ends parsing.
    explicit sse_parser(std::size_t max_bytes = max_event_bytes) : max_bytes_(max_bytes) {}

    /// Passes bytes to parse, which must stay valid until next() returns false. Precondition:
    /// next() has returned false since the last feed(). To stop earlier, destroy the parser.
    void feed(std::string_view bytes) noexcept { input_ = bytes; }
    /// Parses one event. Returns false when the bytes are used up, or on an error.
    bool next(sse_event& out);

    /// errc::response_too_large, or none.
    error_code error() const noexcept { return error_; }
    /// Whether the bytes so far end inside an event, which next() has then not returned.
    /// Precondition: next() returned false.
    bool has_partial() const noexcept { return has_data_ || event_bytes_ > 0 || !line_.empty(); }

 private:
    struct line {
        std::string_view text;
        bool in_input = true;
    };

    std::optional<line> next_line();
    bool fits(std::size_t more_bytes) noexcept;
    bool read(line l, sse_event& out);
    void read_field(line l);
    void add_data(std::string_view value, bool in_input);
    void store_data();
    void clear_event() noexcept;

    std::size_t max_bytes_;
    error_code error_;
    std::string_view input_;
    bool first_line_ = true;
    bool skip_lf_ = false;  // the last line ended with CR; its LF may follow

    /// Start of an incomplete line: at most max_bytes_.
    std::string line_;

    // The current event: at most max_bytes_ in all its lines.
    bool given_ = false;
    std::size_t event_bytes_ = 0;
    std::string type_;
    bool has_data_ = false;
    bool data_is_stored_ = false;  // in stored_data_, else data_ is part of input_
    std::string_view data_;
    std::string stored_data_;
};

}  // namespace tandem::wire
