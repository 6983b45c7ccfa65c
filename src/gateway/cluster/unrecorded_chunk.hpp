#pragma once

#include "gateway/records/session_record.hpp"
#include "gateway/voice/voice_message_reader.hpp"

namespace tandem::gateway {

/// Adds the last chunk that the listener heard, because a gateway may end before it records the
/// last chunk that it sent. Has no effect if the record has the chunk, or if its text is not the
/// start of `last.text`.
void add_unrecorded_chunk(session_record& r, const voice::last_heard& last);

}  // namespace tandem::gateway
