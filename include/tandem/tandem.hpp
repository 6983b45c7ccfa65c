#pragma once

// Everything that a pipeline needs; start reading at client.hpp.
#include "tandem/chunk.hpp"
#include "tandem/chunk_channel.hpp"
#include "tandem/client.hpp"
#include "tandem/config.hpp"
#include "tandem/conversation.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/error.hpp"
#include "tandem/instruments.hpp"
#include "tandem/log.hpp"
#include "tandem/message_list.hpp"
#include "tandem/read_all.hpp"
#include "tandem/recording.hpp"
#include "tandem/reply.hpp"
#include "tandem/reply_control.hpp"
#include "tandem/result.hpp"
#include "tandem/saved_conversation.hpp"
#include "tandem/server.hpp"
#include "tandem/service.hpp"
#include "tandem/service_config.hpp"
#include "tandem/stream_chunk.hpp"
#include "tandem/utf8.hpp"
#include "tandem/version.hpp"
#include "tandem/with_diagnostics.hpp"

/// The public names of the library. Names in `tandem::detail` are not part of the interface, and
/// may change at any time.
namespace tandem {
inline namespace v0 {}
}  // namespace tandem
