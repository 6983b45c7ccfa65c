#include "recording/function_check.hpp"

#include "wire/calls/json_calls.hpp"

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

    void check(const dialogue& d);
    std::vector<prompt_fault> faults;

 private:
    void check_expectations(const dialogue& d);
    void check_name(const dialogue& d, const std::string& where, const std::string& name);

    const generation_options& common_;
    std::vector<std::string> names_;  // of the current dialogue's tools
};

void function_checker::check(const dialogue& d) {
    names_ = wire::read_function_names(get_generation_options(d, common_).tools);
    for (const auto& [name, _] : d.results) check_name(d, "results", name);
    check_expectations(d);
    if (!d.prompt && is_function_name(common_.tool_choice))
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
    if (std::ranges::find(names_, name) != names_.end()) return;
    const auto known = names_.empty()
                           ? "the line has no tools; add them, or use --tools"
                           : fmt::format("the tools of the line are {}", fmt::join(names_, ", "));
    faults.push_back(
        {d.line, fmt::format("{} names the function \"{}\", but {}", where, name, known)});
}

}  // namespace

std::vector<prompt_fault> check_functions(const std::vector<dialogue>& dialogues,
                                          const generation_options& common) {
    function_checker checker(common);
    for (const auto& d : dialogues) checker.check(d);
    return std::move(checker.faults);
}

}  // namespace tandem::command
