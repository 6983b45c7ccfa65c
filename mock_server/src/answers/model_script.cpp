#include "answers/model_script.hpp"

#include "answers/chat_template.hpp"
#include "answers/fallback_text.hpp"
#include "answers/tool_template.hpp"

#include <algorithm>
#include <utility>

namespace tandem::mock {
namespace {

// The rest of `reply` after `said`; nullopt if `said` is not a prefix of `reply`.
std::optional<std::string> rest_of(std::string_view reply, std::string_view said) {
    if (!reply.starts_with(said)) return std::nullopt;
    return std::string(reply.substr(said.size()));
}

// Tries the matches of the suffix in order, because a later match may lie inside the reply.
std::optional<std::string> rest_after_suffix(std::string_view prompt, const scripted_reply& s) {
    const std::size_t longest = s.prompt_suffix.size() + s.reply.size();
    const std::size_t from = prompt.size() > longest ? prompt.size() - longest : 0;
    for (std::size_t at = prompt.find(s.prompt_suffix, from); at != std::string_view::npos;
         at = prompt.find(s.prompt_suffix, at + 1)) {
        if (auto rest = rest_of(s.reply, prompt.substr(at + s.prompt_suffix.size()))) return rest;
    }
    return std::nullopt;
}

// Whether `text` may start with a fallback reply. `text` may end within the reply's opening.
bool may_be_fallback(std::string_view text) {
    return text.starts_with(fallback_opening) || fallback_opening.starts_with(text);
}

// Tries the openings in order, because a later one may lie inside the reply.
std::string from_fallback(std::string_view prompt) {
    for (std::size_t at = prompt.find(fallback_opening[0]); at != std::string_view::npos;
         at = prompt.find(fallback_opening[0], at + 1)) {
        if (!may_be_fallback(prompt.substr(at))) continue;
        if (auto rest = rest_of(make_fallback_reply(prompt.substr(0, at)), prompt.substr(at))) {
            return *rest;
        }
    }
    return make_fallback_reply(prompt);
}

}  // namespace

model_script::model_script(const std::vector<dialogue>& dialogues,
                           std::vector<scripted_reply> replies)
    : replies_by_suffix_(std::move(replies)) {
    for (const dialogue& d : dialogues) {
        std::string before;
        for (const message& m : d.messages) {
            if (m.role == "assistant") {
                replies_by_prompt_[before + assistant_header].push_back(m.content);
            }
            before += render_message(m);
        }
    }
    const auto longer = [](const scripted_reply& a, const scripted_reply& b) {
        return a.prompt_suffix.size() > b.prompt_suffix.size();
    };
    std::stable_sort(replies_by_suffix_.begin(), replies_by_suffix_.end(), longer);
}

std::string model_script::continuation(std::string_view prompt) const {
    if (auto rest = find_in_dialogues(remove_tool_list(prompt))) return *rest;
    if (auto rest = find_in_suffixes(prompt)) return *rest;
    return from_fallback(prompt);
}

std::optional<std::string> model_script::find_in_dialogues(std::string_view prompt) const {
    const std::string_view header = assistant_header;
    for (std::size_t at = prompt.rfind(header); at != std::string_view::npos;
         at = at > 0 ? prompt.rfind(header, at - 1) : std::string_view::npos) {
        const std::size_t end = at + header.size();
        const auto found = replies_by_prompt_.find(std::string(prompt.substr(0, end)));
        if (found == replies_by_prompt_.end()) continue;
        for (const std::string& reply : found->second) {
            if (auto rest = rest_of(reply, prompt.substr(end))) return rest;
        }
    }
    return std::nullopt;
}

std::optional<std::string> model_script::find_in_suffixes(std::string_view prompt) const {
    for (const scripted_reply& s : replies_by_suffix_) {
        if (auto rest = rest_after_suffix(prompt, s)) return rest;
    }
    return std::nullopt;
}

}  // namespace tandem::mock
