#pragma once

// Everything a pipeline author includes; start reading at client.hpp.
#include "tandem/chunk.hpp"
#include "tandem/chunk_channel.hpp"
#include "tandem/client.hpp"
#include "tandem/config.hpp"
#include "tandem/conversation.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/error.hpp"
#include "tandem/log.hpp"
#include "tandem/message_list.hpp"
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

/// The public names of the library. What is in `tandem::detail` is none, and may change at any
/// time.
namespace tandem {}
