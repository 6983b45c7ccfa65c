#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/utf8.hpp"

#include <string>

namespace tandem::wire {

/// Makes the bytes of the events of one stream valid text. An event that ends inside a character is
/// treated as llama-server itself treats it today: all its text comes with the event that completes
/// the character, so that who stops between them continues from before it, and neither loses the
/// character nor has half of it twice.
class event_text {
 public:
    /// Changes `content` and `events` of the next event, and takes the ids from one whose text is
    /// passed on, as too much is withheld, without half a character of it. A final event ends the
    /// text.
    void join(token_event& event);

 private:
    utf8_sanitizer sanitizer_;
    std::string withheld_;  // at most max_withheld_bytes between events
    int events_ = 0;        // whose text was withheld
};

}  // namespace tandem::wire
