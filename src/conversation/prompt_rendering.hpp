#pragma once

#include "reply/transcript/tokenized_text.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// A conversation's prompt on one server. Each handler is called once, on the strand, unless the
// server is shut down silently. Handlers must not keep the server alive.
namespace tandem::detail {

class server_link;

/// Applies the server's chat template, or ChatML if the server has no template. If a template
/// rejects the messages, the error is tokenize_failed. The template receives the tools and template
/// options of `o`; ChatML does not.
void render_prompt(const std::shared_ptr<server_link>& link, std::vector<chat_message> messages,
                   const generation_options& o,
                   std::function<void(error_code, const diagnostics&, std::string)> done);

/// Adds the ids that `prompt` lacks, so that their number is the prompt's token count.
void count_prompt_tokens(const std::shared_ptr<server_link>& link, prompt_with_ids prompt,
                         std::function<void(error_code, const diagnostics&, prompt_with_ids)> done);

/// Upper bound of the prompt's tokens: one for each byte, and one at the
/// start.
std::size_t estimate_max_tokens(const prompt_with_ids& prompt) noexcept;

}  // namespace tandem::detail
