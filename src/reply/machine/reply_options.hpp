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
    /// See reply_rules.
    bool is_draft = false;
};

/// The rules of a reply. `o` are its options, with the defaults of the configuration.
reply_rules make_reply_rules(const config& c, const generation_options& o,
                             const reply_options& wish);
text::chunk_limits make_chunk_limits(const config& c, std::optional<stream_by> streamed_by);

}  // namespace tandem::detail
