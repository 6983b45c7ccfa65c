#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

/// Identifies a request to /completion in a recording. The key is not sent to the server.
struct recorded_request_key {
    /// The number of the reply's strand_scope, and the reply's id in that scope; the pair is unique
    /// in the process.
    std::uint64_t scope_number = 0;
    std::uint64_t reply = 0;
    /// Bytes of the reply's generated text that precede this request.
    std::size_t text_bytes = 0;
    /// Whether the request only prefills the slot; its output is not read.
    bool is_prefill = false;
};

}  // namespace tandem
