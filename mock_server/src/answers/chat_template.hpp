#pragma once

#include "tandem_mock/dialogue.hpp"

#include <string>

namespace tandem::mock {

/// Header of an assistant message in a rendered prompt.
inline constexpr const char* assistant_header = "<|im_start|>assistant\n";

/// The template as in /props.
std::string chat_template_source();

/// A message with its header and end mark.
std::string render_message(const message& m);

}  // namespace tandem::mock
