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

// Functions that all commands use to parse arguments and to report faults in them.
namespace tandem::command {

/// Returns true for "--slots" and "-h", but not for "-", which means stdin.
bool is_flag(const std::string& argument);

/// The unparsed arguments of a command that allows extras.
struct unparsed_arguments {
    std::vector<std::string> flags{};
    std::vector<std::string> arguments{};
};
/// All arguments after "--" are positional; "--" itself is dropped.
unparsed_arguments collect_unparsed_arguments(const CLI::App& app);

std::vector<std::string> unknown_flags(const CLI::App& app);
std::vector<std::string> surplus_arguments(const CLI::App& app);
/// Returns unknown flags or, if there are none, surplus arguments. CLI11 parses the value of an
/// unknown flag as an argument, and reporting that one too would mislead.
std::vector<std::string> argument_faults(const CLI::App& app);
/// Returns "--slotz is an unknown flag; did you mean --slots?", with suggestions from the flags of
/// `app`.
std::string unknown_flag(const CLI::App& app, const std::string& argument);
/// Reports flags such as "--stop=", for which CLI11 would use the next argument as the value. The
/// flags belong to `app` or to one of its subcommands.
std::vector<std::string> empty_values(const CLI::App& app,
                                      const std::vector<std::string>& arguments);
/// Reports flags followed by another flag instead of a value, as in "--pacing --api-key=…". Shows
/// only the name of the second flag, because its value may be a secret. A TEXT value may look like
/// a flag.
std::vector<std::string> values_taken_from_flags(const CLI::App& app);

/// If a flag is repeated, the last value is used, unless `target` is a list.
template <class Target>
void add_value_flag(CLI::App& app, const char* flag, Target& target, const char* value,
                    const char* help, const char* group) {
    auto* option = app.add_option(flag, target, help)->allow_extra_args(false);
    if constexpr (std::is_same_v<Target, std::string>) option->take_last();
    option->type_name(value)->group(group);
}

/// Parses an integer from `least` to `most`. Does not change `value` if `text` is invalid.
void read_number(const char* flag, const std::string& text, int least, int most, int& value,
                 std::vector<std::string>& faults);

/// Like read_number(), for decimal numbers.
void read_decimal(const char* flag, const std::string& text, double least, double most,
                  double& value, std::vector<std::string>& faults);

/// Parses a duration from `least` to `most`.
void read_time(const char* flag, const std::string& text, duration& time,
               std::vector<std::string>& faults, duration least = {},
               duration most = std::chrono::hours(1));
/// Parses the value of --wait.
void read_wait(const std::string& text, duration& wait, std::vector<std::string>& faults);

/// Returns the message for an invalid value: "--color is red; it must be auto, always or never".
std::string refusal_of(const char* flag, std::string_view text, std::string_view expected);
/// Joins names as in "auto, always or never".
std::string join_with_or(std::span<const std::string_view> names);

/// Sets `value` to the enumerator with the index of `text` in `names`. Returns false if `names`
/// does not contain `text`.
template <class Enum, std::size_t N>
bool choose(const std::array<std::string_view, N>& names, std::string_view text, Enum& value) {
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) value = static_cast<Enum>(found - names.begin());
    return found != names.end();
}

/// Like choose(), but adds a fault for an invalid text.
template <class Enum, std::size_t N>
void read_choice(const char* flag, const std::array<std::string_view, N>& names,
                 std::string_view text, Enum& value, std::vector<std::string>& faults) {
    if (!choose(names, text, value)) faults.push_back(refusal_of(flag, text, join_with_or(names)));
}

}  // namespace tandem::command
