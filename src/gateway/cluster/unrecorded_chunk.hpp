#pragma once

#include "gateway/policy/prompt_filter.hpp"
#include "gateway/records/session_record.hpp"
#include "gateway/voice/voice_message_reader.hpp"

namespace tandem::gateway {

/// Adds the last chunk that the listener heard. The gateway that sent the chunk may have ended
/// before it recorded it. Has no effect if the record has the chunk, if its text is not the
/// start of `last.text`, or if the filter rejects that: the client may have written it.
void add_unrecorded_chunk(session_record& r, const voice::last_heard& last,
                          const prompt_filter& filter);

}  // namespace tandem::gateway
