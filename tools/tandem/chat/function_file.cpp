#include "chat/function_file.hpp"

#include "recording/tool_list.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace tandem::command {
namespace {

using ordered_json = nlohmann::ordered_json;

constexpr wire::json_limits file_limits{.depth = 64, .values = 100'000, .keys = 1000};
constexpr int default_timeout_ms = 10'000;
constexpr int max_timeout_ms = 600'000;

bool is_command(const ordered_json& value) {
    const auto is_word = [](const ordered_json& item) { return item.is_string(); };
    return value.is_array() && !value.empty() && std::ranges::all_of(value, is_word) &&
           !value.front().get_ref<const std::string&>().empty();
}

std::vector<std::string> take_command(const std::string& at, ordered_json& item,
                                      std::vector<std::string>& faults) {
    const auto value = item.value("command", ordered_json());
    item.erase("command");
    if (is_command(value)) return value.get<std::vector<std::string>>();
    faults.push_back(at + ".command must be a list of strings: a program and its arguments");
    return {};
}

duration take_limit(const std::string& at, ordered_json& item, std::vector<std::string>& faults) {
    const auto value = item.value("timeout_ms", ordered_json(default_timeout_ms));
    item.erase("timeout_ms");
    if (value.is_number_integer() && value >= 1 && value <= max_timeout_ms)
        return std::chrono::milliseconds(value.get<int>());
    faults.push_back(
        fmt::format("{}.timeout_ms must be a whole number from 1 to {}", at, max_timeout_ms));
    return {};
}

}  // namespace

function_file parse_function_file(std::string_view text) {
    function_file file;
    if (const auto fault = wire::describe_json_fault(text, file_limits); !fault.empty()) {
        file.faults.push_back("it " + fault);
        return file;
    }
    if (const auto field = wire::find_duplicate_field(text)) {
        file.faults.push_back(*field + " is given twice");
        return file;
    }
    auto list = ordered_json::parse(text, nullptr, false);
    if (list.is_array())
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto& made = file.functions.emplace_back();
            if (!list[i].is_object()) continue;
            const auto at = fmt::format("[{}]", i);
            made.command = take_command(at, list[i], file.faults);
            made.limit = take_limit(at, list[i], file.faults);
        }
    auto declared = read_tool_list(list, "", file.faults);
    for (std::size_t i = 0; i < declared.names.size(); ++i)
        file.functions[i].name = std::move(declared.names[i]);
    file.tools = std::move(declared.text);
    return file;
}

}  // namespace tandem::command
