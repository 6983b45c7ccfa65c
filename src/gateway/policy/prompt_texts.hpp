#pragma once

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What of a request the model reads: what the rules for prompts look at, and the audit contains.
namespace tandem::gateway {

/// All texts that reach the model, where a client chose their words: of messages and their tool
/// calls, of a raw prompt, of tools, of a schema or grammar. Views of the arguments.
std::vector<std::string_view> texts_of(std::span<const chat_message> messages,
                                       std::string_view prompt, const generation_options& options);

/// One a line; of what comes to more than `most` bytes, a part that is longer than that.
std::string joined(std::span<const std::string_view> texts, std::size_t most);

}  // namespace tandem::gateway
