#include "gateway/policy/prompt_texts.hpp"

#include <initializer_list>

namespace tandem::gateway {

std::vector<std::string_view> collect_texts(std::span<const chat_message> messages,
                                            std::string_view prompt,
                                            const generation_options& options) {
    std::vector<std::string_view> texts;
    const auto add = [&](std::initializer_list<std::string_view> more) {
        for (const auto& text : more)
            if (!text.empty()) texts.push_back(text);
    };
    add({prompt});
    for (const auto& m : messages) {
        add({m.content, m.name, m.tool_call_id});
        for (const auto& call : m.tool_calls) add({call.id, call.name, call.arguments});
    }
    add({options.context, options.tools, options.json_schema, options.grammar,
         options.template_options});
    return texts;
}

std::string join_texts(std::span<const std::string_view> texts, std::size_t most) {
    std::string all;
    for (const auto& text : texts) {
        if (all.size() > most) break;
        if (!all.empty()) all += '\n';
        all += text.substr(0, most + 1);
    }
    return all;
}

}  // namespace tandem::gateway
