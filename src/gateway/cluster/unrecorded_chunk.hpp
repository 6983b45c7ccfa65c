#pragma once

#include "gateway/policy/prompt_filter.hpp"
#include "gateway/records/session_record.hpp"
#include "gateway/voice/voice_message_reader.hpp"

namespace tandem::gateway {

/// Adds to the record the last chunk that the listener heard, because the gateway that sent the
/// chunk may have ended before recording it. Has no effect if the record has the chunk, if the
/// recorded text of the reply is not a prefix of `last.text`, or if the filter rejects `last.text`,
/// which the client may have made up.
void add_unrecorded_chunk(session_record& r, const voice::last_heard& last,
                          const prompt_filter& filter);

}  // namespace tandem::gateway
