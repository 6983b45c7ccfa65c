#pragma once

#include "tandem/duration.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
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

std::vector<std::string> describe_unknown_flags(const CLI::App& app);
std::vector<std::string> describe_surplus_arguments(const CLI::App& app);
/// Returns unknown flags or, if there are none, surplus arguments. CLI11 parses the value of an
/// unknown flag as an argument; reporting this argument, too, would mislead.
std::vector<std::string> describe_unparsed_arguments(const CLI::App& app);
/// Returns "--slotz is an unknown flag; did you mean --slots?", with suggestions from the flags of
/// `app`.
std::string describe_unknown_flag(const CLI::App& app, const std::string& argument);
/// Reports flags such as "--stop=", for which CLI11 would use the next argument as the value. The
/// flags belong to `app` or to one of its subcommands.
std::vector<std::string> describe_empty_values(const CLI::App& app,
                                               const std::vector<std::string>& arguments);
/// Reports flags followed by another flag instead of a value, as in "--pacing --api-key=…". Shows
/// only the name of the second flag, because its value may be a secret. Values of type TEXT may
/// look like flags, so they are not reported.
std::vector<std::string> find_flags_taken_as_values(const CLI::App& app);

/// If a flag is repeated, the last value is used, unless `target` is a list.
template <class Target>
void add_value_flag(CLI::App& app, const char* flag, Target& target, const char* value,
                    const char* help, const char* group) {
    auto* option = app.add_option(flag, target, help)->allow_extra_args(false);
    if constexpr (std::is_same_v<Target, std::string>) option->take_last();
    option->type_name(value)->group(group);
}

/// Parse a value. If `text` is not a value from `least` to `most`, return nothing and add a fault.
std::optional<int> read_number(const char* flag, const std::string& text, int least, int most,
                               std::vector<std::string>& faults);
std::optional<double> read_decimal(const char* flag, const std::string& text, double least,
                                   double most, std::vector<std::string>& faults);
std::optional<duration> read_time(const char* flag, const std::string& text, duration least,
                                  duration most, std::vector<std::string>& faults);
/// Returns the index of `text` in `names`. Returns nothing and adds a fault if there is none.
std::optional<std::size_t> read_choice(const char* flag, std::span<const std::string_view> names,
                                       std::string_view text, std::vector<std::string>& faults);

/// Returns the message for an invalid value: "--color is red; it must be auto, always or never".
std::string make_invalid_value_message(const char* flag, std::string_view text,
                                       std::string_view expected);

}  // namespace tandem::command
