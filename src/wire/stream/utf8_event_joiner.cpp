#include "wire/stream/utf8_event_joiner.hpp"

#include "text/characters/utf8.hpp"
#include "wire/json/wire_limits.hpp"

#include <algorithm>
#include <utility>

namespace tandem::wire {

void utf8_event_joiner::join(token_event& event) {
    const bool is_final = event.what == token_event::kind::final;
    if (!is_final && event.what != token_event::kind::token) return;
    if (!sanitizer_.has_partial() && text::find_invalid_utf8(event.content) == std::string::npos)
        return;
    sanitizer_.append(event.content, withheld_);
    // A final event has no token of its own.
    if (is_final)
        sanitizer_.flush(withheld_);
    else
        ++events_;
    event.content.clear();
    if (sanitizer_.has_partial()) {
        if (withheld_.size() <= max_withheld_bytes) return;
        // The incomplete character is in the last token, so a request that continues from here must
        // not include that token's id.
        event.tokens.clear();
    }
    event.content = std::exchange(withheld_, {});
    event.events = std::max(std::exchange(events_, 0), 1);
}

}  // namespace tandem::wire
