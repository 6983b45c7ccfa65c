#pragma once

#include "reply/machine/reply_machine.hpp"
#include "text/chunks/chunker.hpp"

#include "tandem/config.hpp"

#include <optional>

namespace tandem::detail {

/// How one reply is wanted.
struct reply_wish {
    generation_options options{};
    /// For a reader; nothing: at the pace of a voice.
    std::optional<stream_by> streamed_by{};
};

/// The rules that such a reply follows.
reply_rules rules_of(const config& c, const generation_options& o,
                     std::optional<stream_by> streamed_by);
text::chunk_limits limits_of(const config& c, std::optional<stream_by> streamed_by);

}  // namespace tandem::detail
