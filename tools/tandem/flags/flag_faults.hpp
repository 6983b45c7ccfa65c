#pragma once

#include "tandem/duration.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// What all commands have in common in how they read arguments, and in what they say of them.
namespace tandem::command {

/// "--slots" and "-h", but not "-", which is stdin.
bool is_flag(const std::string& argument);

/// What is left over of the arguments of a parsed command that allows extras.
struct left_over {
    std::vector<std::string> flags{};
    std::vector<std::string> arguments{};
};
/// Behind "--", which is neither, there are no flags.
left_over left_over_of(const CLI::App& app);

std::vector<std::string> unknown_flags(const CLI::App& app);
std::vector<std::string> surplus_arguments(const CLI::App& app);
/// The former, or where there are none the latter: the value of an unknown flag is taken for an
/// argument, and to call it one too many would mislead.
std::vector<std::string> argument_faults(const CLI::App& app);
/// "--slotz is an unknown flag; did you mean --slots?", by the flags that `app` has.
std::string unknown_flag(const CLI::App& app, const std::string& argument);
/// "--stop=": CLI11 would take the next argument for the value. `app` has the flag, or a command of
/// it.
std::vector<std::string> empty_values(const CLI::App& app,
                                      const std::vector<std::string>& arguments);
/// Flags whose value is the flag that follows: "--pacing --api-key=…". What is shown of that one is
/// its name alone, as its own value may be a secret. Only a TEXT may look like a flag.
std::vector<std::string> values_taken_from_flags(const CLI::App& app);

/// Of a flag that is given several times the last value counts, unless `target` is a list.
template <class Target>
void add_value_flag(CLI::App& app, const char* flag, Target& target, const char* value,
                    const char* help, const char* group) {
    auto* option = app.add_option(flag, target, help)->allow_extra_args(false);
    if constexpr (std::is_same_v<Target, std::string>) option->take_last();
    option->type_name(value)->group(group);
}

/// A whole number from `least` to `most`; `value` stays as it is where the text is none.
void read_number(const char* flag, const std::string& text, int least, int most, int& value,
                 std::vector<std::string>& faults);

/// The same for a decimal number.
void read_decimal(const char* flag, const std::string& text, double least, double most,
                  double& value, std::vector<std::string>& faults);

/// A time from `least` to `most`.
void read_time(const char* flag, const std::string& text, duration& time,
               std::vector<std::string>& faults, duration least = {},
               duration most = std::chrono::hours(1));
/// The value of --wait.
void read_wait(const std::string& text, duration& wait, std::vector<std::string>& faults);

/// "--color is red; it must be auto, always or never": what every value is refused with.
std::string refusal_of(const char* flag, std::string_view text, std::string_view expected);
/// "auto, always or never"
std::string joined_by_or(std::span<const std::string_view> names);

/// Sets `value` to the entry of `names` that `text` is; false if it is none.
template <class Enum, std::size_t N>
bool choose(const std::array<std::string_view, N>& names, std::string_view text, Enum& value) {
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) value = static_cast<Enum>(found - names.begin());
    return found != names.end();
}

/// The same, and tells what is wrong.
template <class Enum, std::size_t N>
void read_choice(const char* flag, const std::array<std::string_view, N>& names,
                 std::string_view text, Enum& value, std::vector<std::string>& faults) {
    if (!choose(names, text, value)) faults.push_back(refusal_of(flag, text, joined_by_or(names)));
}

}  // namespace tandem::command
