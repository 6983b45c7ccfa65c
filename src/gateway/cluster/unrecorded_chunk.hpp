#pragma once

#include "gateway/policy/prompt_filter.hpp"
#include "gateway/records/session_record.hpp"
#include "gateway/voice/voice_message_reader.hpp"

namespace tandem::gateway {

/// Adds the last chunk that the listener heard, because a gateway may end before it records the
/// last chunk that it sent. Has no effect if the record has the chunk, if its text is not the
/// start of `last.text`, or if the filter rejects that: the client may have written it.
void add_unrecorded_chunk(session_record& r, const voice::last_heard& last,
                          const prompt_filter& filter);

}  // namespace tandem::gateway
