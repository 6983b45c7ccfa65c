#include "gateway/answers/tool_call_parser.hpp"

#include "gateway/json/raw_json.hpp"
#include "wire/json/json_limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr int max_call_depth = 64;
constexpr std::size_t max_call_values = 10'000;

bool is_json(std::string_view text) {
    return wire::check_json(text, {.depth = max_call_depth, .values = max_call_values}) ==
           wire::json_fault::none;
}

std::string_view member(std::span<const raw_member> members, std::string_view key) {
    for (const auto& m : members)
        if (m.key == key) return m.value;
    return {};
}

/// Decodes a JSON string; returns nullopt for any other value.
std::optional<std::string> string_of(std::string_view value) {
    const auto read = json::parse(value, nullptr, false);
    if (!read.is_string()) return std::nullopt;
    return read.get<std::string>();
}

/// Returns nullopt if `value` is neither an object nor a string that contains one.
std::optional<std::string> arguments_of(std::string_view value) {
    if (value.empty() || value == "null") return "{}";
    if (value.starts_with('{')) return std::string(value);
    const auto text = string_of(value);
    if (!text) return std::nullopt;
    const auto inner = trim_json_space(*text);
    if (inner.empty()) return "{}";
    if (!inner.starts_with('{') || !is_json(inner)) return std::nullopt;
    return std::string(inner);
}

call_fault add_call(std::string name, std::string_view arguments,
                    std::span<const std::string> functions, std::vector<tool_call>& out) {
    if (std::find(functions.begin(), functions.end(), name) == functions.end())
        return call_fault::unknown_function;
    auto read = arguments_of(arguments);
    if (!read) return call_fault::malformed;
    out.push_back({"", std::move(name), *std::move(read)});
    return call_fault::none;
}

call_fault read_call(std::string_view object, std::span<const std::string> functions,
                     std::vector<tool_call>& out) {
    auto members = split_members(object);
    // OpenAI's format, which some models write.
    if (const auto inner = member(members, "function"); inner.starts_with('{'))
        members = split_members(inner);
    const auto name = string_of(member(members, "name"));
    if (!name) return call_fault::malformed;
    const auto arguments = member(members, "arguments");
    return add_call(*name, arguments.empty() ? member(members, "parameters") : arguments, functions,
                    out);
}

call_fault read_list(std::string_view list, std::span<const std::string> functions,
                     std::vector<tool_call>& out) {
    const auto items = split_items(list);
    auto fault = items.empty() ? call_fault::malformed : call_fault::none;
    for (std::size_t i = 0; i < items.size() && fault == call_fault::none; ++i)
        fault =
            items[i].starts_with('{') ? read_call(items[i], functions, out) : call_fault::malformed;
    return fault;
}

}  // namespace

std::string_view to_string(call_fault fault) noexcept {
    switch (fault) {
        case call_fault::none:
            return "is valid";
        case call_fault::malformed:
            return "cannot be parsed";
        case call_fault::unknown_function:
            return "names a function that the request does not have";
        case call_fault::cut_off:
            return "is incomplete";
        case call_fault::too_long:
            return "is too long";
    }
    return "is invalid";
}

call_fault read_calls(std::string_view text, std::span<const std::string> functions,
                      std::vector<tool_call>& out) {
    text = trim_json_space(text);
    const bool is_list = text.starts_with('[');
    if ((!is_list && !text.starts_with('{')) || !is_json(text)) return call_fault::malformed;
    std::vector<tool_call> calls;
    const auto fault =
        is_list ? read_list(text, functions, calls) : read_call(text, functions, calls);
    if (fault == call_fault::none)
        out.insert(out.end(), std::make_move_iterator(calls.begin()),
                   std::make_move_iterator(calls.end()));
    return fault;
}

call_fault parse_named_call(std::string_view name, std::string_view arguments,
                            std::span<const std::string> functions, std::vector<tool_call>& out) {
    arguments = trim_json_space(arguments);
    if (!arguments.starts_with('{') || !is_json(arguments)) return call_fault::malformed;
    return add_call(std::string(name), arguments, functions, out);
}

}  // namespace tandem::gateway
