#include "flags/tools_argument.hpp"

#include "os/input_file.hpp"
#include "wire/json/dump_json.hpp"
#include "wire/json/json_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>

namespace tandem::command {
namespace {

constexpr std::size_t max_tools_bytes = std::size_t{1} << 20;
constexpr wire::json_limits tools_limits{.depth = 64, .values = 100'000, .keys = 1000};

bool is_json(const std::string& value) {
    const auto first = value.find_first_not_of(" \t\r\n");
    return first != value.npos && (value[first] == '[' || value[first] == '{');
}

}  // namespace

tools_argument read_tools_argument(const std::string& value) {
    if (is_json(value)) return {.text = value, .origin = "--tools"};
    auto file = read_file(value, max_tools_bytes);
    if (file.fault.empty() && file.text.empty())
        file.fault =
            fmt::format("{}: is empty; write a JSON list of tools into it, or omit the flag",
                        input_name(value));
    return {.text = std::move(file.text),
            .origin = fmt::format("--tools {}", input_name(value)),
            .fault = std::move(file.fault)};
}

std::string remove_command_fields(const std::string& tools) {
    if (!wire::describe_json_fault(tools, tools_limits).empty()) return tools;
    auto list = nlohmann::ordered_json::parse(tools, nullptr, false);
    std::size_t dropped = 0;
    if (list.is_array())
        for (auto& item : list)
            if (item.is_object()) dropped += item.erase("command") + item.erase("timeout_ms");
    return dropped == 0 ? tools : wire::dump_json(list);
}

}  // namespace tandem::command
