#include "recording/function_check.hpp"

#include "wire/calls/tool_call_formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace tandem::command {
namespace {

bool is_function_name(std::string_view choice) noexcept {
    return !choice.empty() && choice != "auto" && choice != "none" && choice != "required";
}

class function_checker {
 public:
    explicit function_checker(const generation_options& common) : common_(common) {}

    void check_line(const dialogue& d);
    void check_choice(const dialogue& d);
    std::vector<prompt_fault> faults;

 private:
    void check_expectations(const dialogue& d);
    void check_name(const dialogue& d, const std::string& where, const std::string& name);

    const generation_options& common_;
};

std::string describe_known_functions(const dialogue& d, const std::vector<std::string>& names) {
    if (d.prompt) return "a raw prompt calls no functions; use a conversation";
    if (!names.empty()) return fmt::format("the tools of the line are {}", fmt::join(names, ", "));
    return d.line > 0 ? "the line has no tools; add them, or use --tools"
                      : "there are no tools; use --tools";
}

void function_checker::check_line(const dialogue& d) {
    for (const auto& [name, _] : d.results) check_name(d, "results", name);
    check_expectations(d);
}

void function_checker::check_choice(const dialogue& d) {
    const bool has_other_lines = d.prompt && d.line > 0;
    if (!has_other_lines && is_function_name(common_.tool_choice))
        check_name(d, "--tool-choice", common_.tool_choice);
}

void function_checker::check_expectations(const dialogue& d) {
    for (const auto& [turn, expected] : d.expected) {
        if (!expected.calls) continue;
        const auto where =
            d.replies() > 1 ? fmt::format("expect of turn {}", turn + 1) : std::string("expect");
        for (const auto& call : *expected.calls) check_name(d, where, call.name);
    }
}

void function_checker::check_name(const dialogue& d, const std::string& where,
                                  const std::string& name) {
    const auto names = wire::read_function_names(get_generation_options(d, common_).tools);
    if (!d.prompt && std::ranges::find(names, name) != names.end()) return;
    faults.push_back({d.line, fmt::format("{} names the function \"{}\", but {}", where, name,
                                          describe_known_functions(d, names))});
}

}  // namespace

std::vector<prompt_fault> check_functions(const std::vector<dialogue>& dialogues,
                                          const generation_options& common) {
    function_checker checker(common);
    for (const auto& d : dialogues) checker.check_line(d);
    return std::move(checker.faults);
}

std::vector<prompt_fault> check_tool_choice(const std::vector<dialogue>& dialogues,
                                            const generation_options& common) {
    function_checker checker(common);
    for (const auto& d : dialogues) checker.check_choice(d);
    return std::move(checker.faults);
}

}  // namespace tandem::command
