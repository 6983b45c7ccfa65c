#include "recording/dialogue.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {

generation_options get_generation_options(const dialogue& d, generation_options common) {
    if (d.max_tokens) common.max_tokens = *d.max_tokens;
    if (!d.tools.empty()) common.tools = d.tools;
    return common;
}

chat_message get_turn_prompt(const dialogue& d, int turn) {
    if (d.prompt) return {.role = "user", .content = *d.prompt};
    if (d.turns.empty()) return d.messages.back();
    return {.role = "user", .content = d.turns[static_cast<std::size_t>(turn)]};
}

std::string run_id(const std::string& dialogue_id, int run, int runs) {
    return runs == 1 ? dialogue_id : fmt::format("{}#{}", dialogue_id, run + 1);
}

std::vector<dialogue> make_dialogues(const std::vector<std::string>& prompts,
                                     const std::vector<std::string>& user_messages,
                                     const std::string& system) {
    std::vector<dialogue> result;
    const auto next_id = [&] { return fmt::format("p{}", result.size() + 1); };
    for (const auto& p : prompts) result.push_back({.id = next_id(), .prompt = p});
    for (const auto& m : user_messages) {
        dialogue d{.id = next_id()};
        if (!system.empty()) d.messages.push_back({"system", system});
        d.messages.push_back({"user", m});
        result.push_back(std::move(d));
    }
    return result;
}

std::string canned_results::next_result(const std::string& function) {
    const auto found = dialogue_.results.find(function);
    if (found == dialogue_.results.end())
        return fmt::format("Error: there is no result for \"{}\"", function);
    const auto& texts = found->second;
    return texts[std::min(used_[function]++, texts.size() - 1)];
}

}  // namespace tandem::command
