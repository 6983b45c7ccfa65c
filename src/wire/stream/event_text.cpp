#include "wire/stream/event_text.hpp"

#include "text/characters/utf8.hpp"
#include "wire/json/bounds.hpp"

#include <algorithm>
#include <utility>

namespace tandem::wire {

void event_text::join(token_event& event) {
    const bool is_final = event.what == token_event::kind::final;
    if (!is_final && event.what != token_event::kind::token) return;
    if (!sanitizer_.has_partial() && text::find_invalid(event.content) == std::string::npos) return;
    sanitizer_.append(event.content, withheld_);
    // A final event is of no token of its own.
    if (is_final)
        sanitizer_.flush(withheld_);
    else
        ++events_;
    event.content.clear();
    if (sanitizer_.has_partial()) {
        if (withheld_.size() <= max_withheld_bytes) return;
        // Who stops here continues without the half character, which the last token holds.
        event.tokens.clear();
    }
    event.content = std::exchange(withheld_, {});
    event.events = std::max(std::exchange(events_, 0), 1);
}

}  // namespace tandem::wire
