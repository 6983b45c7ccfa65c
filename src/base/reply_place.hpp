#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

/// What a request to /completion is for. It is not sent: a recording knows the request by it.
struct reply_place {
    /// The event_home of the reply, and its id there: unique in the process.
    std::uint64_t home = 0;
    std::uint64_t reply = 0;
    /// Bytes of the reply's text, all that is generated counted, that the request continues from.
    std::size_t text_bytes = 0;
    /// The slot is prefilled, and what is generated is not read.
    bool is_prefill = false;
};

}  // namespace tandem
