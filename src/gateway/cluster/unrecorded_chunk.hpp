#pragma once

#include "gateway/policy/prompt_filter.hpp"
#include "gateway/records/session_record.hpp"
#include "gateway/voice/voice_message_reader.hpp"

namespace tandem::gateway {

/// Adds the last chunk that the listener heard to the record, because the gateway that sent the
/// chunk may have ended before it could record it. Has no effect if the record has the chunk, if
/// the text of its reply is not a prefix of `last.text`, or if the filter rejects `last.text`,
/// which the client may have made up.
void add_unrecorded_chunk(session_record& r, const voice::last_heard& last,
                          const prompt_filter& filter);

}  // namespace tandem::gateway
