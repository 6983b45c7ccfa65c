#pragma once

#include "tandem/config.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

// How a model's chat template treats thinking, learned from prompts that the server renders with
// the template. Pure.
namespace tandem::server {

/// A prompt with one message, rendered with each of the thinking_probes; empty if the template
/// rejects it.
struct rendered_thinking {
    std::string on;
    std::string off;
    std::string low_effort;
    std::string high_effort;
};

inline constexpr std::string_view options_without_thinking =
    R"({"chat_template_kwargs":{"enable_thinking":false}})";
/// Values of generation_options::template_options, in the order of the members above.
inline constexpr std::array<std::string_view, 4> thinking_probes{
    R"({"chat_template_kwargs":{"enable_thinking":true}})", options_without_thinking,
    R"({"reasoning_effort":"low"})", R"({"reasoning_effort":"high"})"};

struct template_thinking {
    /// The template opens reasoning, or contains the marks of reasoning.
    bool can_think = false;
    /// `enable_thinking` and `reasoning_effort` change the prompt.
    bool has_switch = false;
    bool has_effort = false;

    bool operator==(const template_thinking&) const = default;
};

/// `chat_template` is the template's source, if known.
template_thinking detect_thinking_support(const rendered_thinking& prompts,
                                          std::string_view chat_template,
                                          const std::vector<tag_pair>& tags);

/// The closing mark `close`, plus any white space that follows it in `without`, a prompt in which
/// the template closes the reasoning in advance.
std::string_view find_closing_text(std::string_view without, std::string_view close) noexcept;

}  // namespace tandem::server
