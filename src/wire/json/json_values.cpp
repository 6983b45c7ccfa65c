#include "wire/json/json_values.hpp"

#include "wire/json/json.hpp"
#include "wire/json/json_limits.hpp"

#include <algorithm>

namespace tandem::wire {
namespace {

constexpr std::size_t max_values = 100'000;

json parsed(std::string_view text) {
    if (check_json(text, {.depth = max_depth, .values = max_values}) != json_fault::none) return {};
    return json::parse(text, nullptr, false);
}

}  // namespace

bool is_json_object(std::string_view text) {
    return parsed(text).is_object();
}

bool is_list_of_objects(std::string_view text) {
    const auto list = parsed(text);
    return list.is_array() &&
           std::all_of(list.begin(), list.end(), [](const json& item) { return item.is_object(); });
}

}  // namespace tandem::wire
