#include "answers/chat_template.hpp"

namespace tandem::mock {

std::string chat_template_source() {
    return "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
           "message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
           "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
}

std::string render_message(const message& m) {
    return "<|im_start|>" + m.role + "\n" + m.content + "<|im_end|>\n";
}

std::string render_prompt(const std::vector<message>& messages) {
    const bool open_ended = !messages.empty() && messages.back().role == "assistant";
    std::string prompt;
    for (std::size_t i = 0; i + (open_ended ? 1 : 0) < messages.size(); ++i) {
        prompt += render_message(messages[i]);
    }
    // Like the server, omits the header of an empty message that is to be continued.
    if (open_ended && messages.back().content.empty()) return prompt;
    prompt += assistant_header;
    if (open_ended) prompt += messages.back().content;
    return prompt;
}

}  // namespace tandem::mock
