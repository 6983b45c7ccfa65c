#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

// What all commands say of arguments that they do not know.
namespace tandem::command {

/// "--slots" and "-h", but not "-", which is stdin.
bool is_flag(const std::string& argument);

/// Of a parsed command that allows extras.
std::vector<std::string> unknown_flags(const CLI::App& app);
std::vector<std::string> surplus_arguments(const CLI::App& app);

/// Sets `value` to the entry of `names` that `text` is; false if it is none.
template <class Enum, std::size_t N>
bool choose(const std::array<std::string_view, N>& names, std::string_view text, Enum& value) {
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) value = static_cast<Enum>(found - names.begin());
    return found != names.end();
}

}  // namespace tandem::command
