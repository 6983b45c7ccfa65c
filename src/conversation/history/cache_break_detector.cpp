#include "conversation/history/cache_break_detector.hpp"

#include "text/characters/utf8.hpp"

#include <algorithm>

namespace tandem::conversations {
namespace {

// A prompt that differs only in its last bytes is not a break: templates render the end of a prompt
// differently once an answer follows.
constexpr std::size_t few_bytes = 64;
constexpr std::size_t shown_before = 16;
constexpr std::size_t shown_bytes = 64;

std::string describe_tools(const generation_options& o) {
    return o.tools + o.template_options;
}

/// Offset of the words of the first message after the system prompt; npos if there are none.
std::size_t find_first_words(const turn_prompt& turn) {
    std::size_t at = 0;
    for (const auto& m : turn.messages) {
        const auto words = turn.prompt.find(m.content, at);
        if (m.role != "system") return m.content.empty() ? std::string_view::npos : words;
        if (words != std::string_view::npos) at = words + m.content.size();
    }
    return std::string_view::npos;
}

/// The prompt up to the turn's context, because the next prompt will not contain that context.
std::string_view without_context(const turn_prompt& turn) {
    const auto& context = turn.options.context;
    return turn.prompt.substr(0, context.empty() ? turn.prompt.size() : turn.prompt.rfind(context));
}

std::string excerpt(std::string_view prompt, std::size_t at) {
    auto start = text::floor_to_character(prompt, at - std::min(at, shown_before));
    const auto shown = prompt.substr(start);
    return std::string(
        shown.substr(0, text::floor_to_character(shown, std::min(shown.size(), shown_bytes))));
}

}  // namespace

std::optional<cache_break> cache_break_detector::find_break(const turn_prompt& turn) const {
    const auto end = std::ranges::mismatch(prompt_, turn.prompt).in1;
    const auto common = static_cast<std::size_t>(end - prompt_.begin());
    if (common + few_bytes > prompt_.size()) return std::nullopt;
    using cause = cache_break::cause;
    auto why = cause::history;
    if (turn.trims > trims_)
        why = cause::trimmed;
    else if (describe_tools(turn.options) != tools_)
        why = cause::tools;
    else if (common < find_first_words(turn))
        why = cause::system_prompt;
    return cache_break{.why = why, .of = prompt_tokens_, .text = excerpt(turn.prompt, common)};
}

void cache_break_detector::record_turn(const turn_prompt& turn,
                                       const std::optional<cache_break>& found) {
    prompt_ = without_context(turn);
    tools_ = describe_tools(turn.options);
    trims_ = turn.trims;
    if (found && found->why == cache_break::cause::system_prompt) ++changed_system_prompts_;
}

}  // namespace tandem::conversations
