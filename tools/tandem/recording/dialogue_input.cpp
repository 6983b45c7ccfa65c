#include "recording/dialogue_input.hpp"

#include "os/input_file.hpp"
#include "recording/function_check.hpp"
#include "recording/prompt_file.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t max_input_bytes = 256u << 20;
constexpr std::size_t max_faults_shown = 20;

void print_faults(terminal& t, const std::string& who, const std::string& name,
                  const std::vector<prompt_fault>& faults) {
    for (std::size_t i = 0; i < faults.size() && i < max_faults_shown; ++i)
        t.print_error(fmt::format("{}:{}: {}", name, faults[i].line, faults[i].message));
    if (faults.size() > max_faults_shown)
        t.print_error(fmt::format("and {} more errors", faults.size() - max_faults_shown));
    t.print_error(who + ": nothing was sent");
}

std::vector<prompt_fault> check_names(const std::vector<dialogue>& dialogues,
                                      const generation_options& common, dialogue_use use) {
    auto faults = check_tool_choice(dialogues, common);
    if (!faults.empty() || use == dialogue_use::requests) return faults;
    return check_functions(dialogues, common);
}

}  // namespace

std::vector<dialogue> read_dialogue_file(const std::string& file, const std::string& who,
                                         const generation_options& common, dialogue_use use,
                                         terminal& t) {
    const auto read = read_file(file, max_input_bytes);
    if (!read.fault.empty()) {
        t.print_error(who + ": " + read.fault);
        return {};
    }
    auto parsed = parse_prompts(read.text);
    if (parsed.faults.empty()) parsed.faults = check_names(parsed.dialogues, common, use);
    const auto name = input_name(file);
    if (!parsed.faults.empty()) {
        print_faults(t, who, name, parsed.faults);
        return {};
    }
    if (parsed.dialogues.empty())
        t.print_error(fmt::format(
            R"({}: {} has no prompts; write one a line, such as {{"turns": ["Hello"]}})", who,
            name));
    return std::move(parsed.dialogues);
}

std::vector<dialogue> check_dialogues(std::vector<dialogue> given, const std::string& who,
                                      const generation_options& common, terminal& t) {
    const auto faults = check_tool_choice(given, common);
    if (faults.empty()) return given;
    t.print_error(who + ": " + faults.front().message);
    return {};
}

}  // namespace tandem::command
