#pragma once

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The texts of a request that the model reads. The prompt policy checks these texts, and the audit
// log contains them.
namespace tandem::gateway {

/// All texts that the client wrote for the model: messages and their tool calls, a raw prompt,
/// tools, a schema or grammar, the context of a turn. Views into the arguments.
std::vector<std::string_view> collect_texts(std::span<const chat_message> messages,
                                            std::string_view prompt,
                                            const generation_options& options);

/// Joins the texts with line feeds. If the result exceeds `most` bytes, it is truncated, but still
/// longer than `most`.
std::string join_texts(std::span<const std::string_view> texts, std::size_t most);

}  // namespace tandem::gateway
