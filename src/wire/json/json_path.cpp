#include "wire/json/json_path.hpp"

#include "wire/json/json.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <vector>

namespace tandem::wire {
namespace {

/// An object or a list that is open while the text is parsed.
struct level {
    bool is_list = false;
    std::size_t values = 0;
    std::string name{};
    std::set<std::string> names{};
};

bool looks_like_a_field(std::string_view name) {
    constexpr std::size_t longest = 32;  // shorter than an API key
    constexpr auto characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.size() <= longest &&
           name.find_first_not_of(characters) == std::string_view::npos;
}

std::string path_of(const std::vector<level>& open) {
    std::string at;
    for (const auto& l : open)
        at = l.is_list ? fmt::format("{}[{}]", at, l.values - 1) : append_field_path(at, l.name);
    return at;
}

}  // namespace

std::string append_field_path(std::string_view at, std::string_view name) {
    const auto last = looks_like_a_field(name) ? std::string(name)
                                               : fmt::format("(name of {} bytes)", name.size());
    return at.empty() ? last : fmt::format("{}.{}", at, last);
}

std::optional<std::string> find_duplicate_field(std::string_view text) {
    using event = json::parse_event_t;
    std::vector<level> open;
    std::optional<std::string> repeated;
    // Keeps no value: the parser searches a list each time one of its objects ends.
    const auto watch = [&](int depth, event what, const json& parsed) {
        if (what == event::key) {
            auto& here = open.back();
            here.name = parsed.get<std::string>();
            if (!here.names.insert(here.name).second && !repeated) repeated = path_of(open);
        } else if (what == event::object_end || what == event::array_end) {
            open.pop_back();
        } else {
            if (!open.empty()) ++open.back().values;
            if (what != event::value) open.push_back({.is_list = what == event::array_start});
        }
        const bool has_ended =
            what == event::object_end || what == event::array_end || what == event::value;
        return depth == 0 || !has_ended;
    };
    return json::parse(text, watch, false).is_discarded() ? std::nullopt : repeated;
}

}  // namespace tandem::wire
