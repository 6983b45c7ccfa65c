#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/utf8.hpp"

#include <string>

namespace tandem::wire {

/// Joins the bytes of a stream's events into valid text. Handles an event that ends inside a
/// character as current versions of llama-server do: all text of that event moves to the event that
/// completes the character. A reply cancelled between the two events continues from before that
/// text, so the character is neither lost nor duplicated.
class utf8_event_joiner {
 public:
    /// Updates `content` and `events` of the next event. If the withheld text has become too long,
    /// it is passed on without its incomplete last character, and without the ids. A final event
    /// ends the text.
    void join(token_event& event);

 private:
    utf8_sanitizer sanitizer_;
    std::string withheld_;  // at most max_withheld_bytes between events
    int events_ = 0;        // number of events whose text is withheld
};

}  // namespace tandem::wire
