#include "server/template_thinking.hpp"

#include "text/characters/white_space.hpp"
#include "text/chunks/reasoning_filter.hpp"

#include <algorithm>

namespace tandem::server {

template_thinking detect_thinking_support(const rendered_thinking& prompts,
                                          std::string_view chat_template,
                                          const std::vector<tag_pair>& tags) {
    const auto differ = [](const std::string& a, const std::string& b) {
        return !a.empty() && !b.empty() && a != b;
    };
    template_thinking t{.has_switch = differ(prompts.on, prompts.off),
                        .has_effort = differ(prompts.low_effort, prompts.high_effort)};
    t.can_think = t.has_switch || t.has_effort ||
                  text::find_open_reasoning(prompts.on, tags).has_value() ||
                  std::ranges::any_of(tags, [&](const tag_pair& tag) {
                      return chat_template.find(tag.close) != std::string_view::npos;
                  });
    return t;
}

std::string_view find_closing_text(std::string_view without, std::string_view close) noexcept {
    const auto at = without.rfind(close);
    if (at == std::string_view::npos) return close;
    const auto text = without.substr(at);
    return text::is_all_white_space(text.substr(close.size())) ? text : close;
}

}  // namespace tandem::server
