#include "recording/prompt_file.hpp"

#include "recording/prompt_line.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class file_parser {
 public:
    void read_line(std::string_view line, std::size_t offset) {
        ++line_number_;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
        if (line.size() > max_line_bytes)
            return add(fmt::format("the line has {} bytes; the maximum is {}", line.size(),
                                   max_line_bytes));
        if (const auto bad = text::find_invalid_utf8(line); bad != std::string_view::npos)
            return add(fmt::format("invalid UTF-8 at byte {} of the line, byte {} of the file",
                                   bad + 1, offset + bad + 1));
        read_dialogue(line);
    }

    prompt_file result;

 private:
    void read_dialogue(std::string_view line) {
        dialogue d{.line = line_number_};
        for (auto& message : parse_prompt_line(line, d)) add(std::move(message));
        ++count_;
        if (d.id.empty()) d.id = fmt::format("p{}", count_);
        const auto [taken, is_new] = line_of_id_.emplace(d.id, line_number_);
        if (!is_new) add(fmt::format("the id \"{}\" is that of line {}", d.id, taken->second));
        result.dialogues.push_back(std::move(d));
    }

    void add(std::string message) { result.faults.push_back({line_number_, std::move(message)}); }

    std::size_t line_number_ = 0;
    int count_ = 0;
    std::map<std::string, std::size_t> line_of_id_;
};

}  // namespace

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

std::string canned_results::next_result(const std::string& function) {
    const auto found = dialogue_.results.find(function);
    if (found == dialogue_.results.end())
        return fmt::format("Error: there is no result for \"{}\"", function);
    const auto& texts = found->second;
    return texts[std::min(used_[function]++, texts.size() - 1)];
}

prompt_file parse_prompts(std::string_view text) {
    file_parser parser;
    std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    while (at < text.size()) {
        const auto end = std::min(text.find('\n', at), text.size());
        parser.read_line(text.substr(at, end - at), at);
        at = end + 1;
    }
    return std::move(parser.result);
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

}  // namespace tandem::command
