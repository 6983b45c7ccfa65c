#pragma once

#include "reply/machine/reply_machine.hpp"
#include "text/chunks/chunker.hpp"

#include "tandem/config.hpp"

#include <optional>

namespace tandem::detail {

/// The options of one reply.
struct reply_options {
    generation_options options{};
    /// Granularity for a reader; nothing: at the pace of a voice.
    std::optional<stream_by> streamed_by{};
};

/// The rules of a reply with these options.
reply_rules make_reply_rules(const config& c, const generation_options& o,
                             std::optional<stream_by> streamed_by);
text::chunk_limits make_chunk_limits(const config& c, std::optional<stream_by> streamed_by);

}  // namespace tandem::detail
