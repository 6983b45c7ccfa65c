#pragma once

#include "reply/machine/known_text.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// A conversation's prompt at one server. Handlers are called on the strand, once, unless the server
// is shut down silently; they must not keep the server.
namespace tandem::detail {

class client_core;

/// Applies the server's chat template, or ChatML where it has none. A template that refuses the
/// messages is tokenize_failed. It gets the tools and its own options of `o`; ChatML has none.
void render_prompt(const std::shared_ptr<client_core>& core, std::vector<chat_message> messages,
                   const generation_options& o,
                   std::function<void(error_code, const diagnostics&, std::string)> done);

/// Completes the ids of `prompt`, whose number is its count of tokens then.
void count_prompt(const std::shared_ptr<client_core>& core, known_prompt prompt,
                  std::function<void(error_code, const diagnostics&, known_prompt)> done);

/// So many tokens has the prompt at most: a token has a byte at least, and one begins the prompt.
std::size_t most_tokens(const known_prompt& prompt) noexcept;

}  // namespace tandem::detail
