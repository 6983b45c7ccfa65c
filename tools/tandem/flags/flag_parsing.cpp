#include "flags/flag_parsing.hpp"

#include "base/parse_number.hpp"
#include "config/describe_expected_value.hpp"
#include "flags/help_format.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tandem::command {

bool is_flag(const std::string& argument) {
    return argument.starts_with('-') && argument.size() > 1;
}

unparsed_arguments collect_unparsed_arguments(const CLI::App& app) {
    unparsed_arguments rest;
    const auto all = app.remaining();
    const auto mark = std::ranges::find(all, "--");
    for (auto a = all.begin(); a != mark; ++a)
        (is_flag(*a) ? rest.flags : rest.arguments).push_back(*a);
    if (mark != all.end()) rest.arguments.insert(rest.arguments.end(), mark + 1, all.end());
    return rest;
}

namespace {

// Conversations share all slots, so these flags are refused with a message that says so.
constexpr std::array<std::string_view, 2> removed_flags{"--slots-per-conversation",
                                                        "--share-idle-slots"};

// An argument that is a URL is not shown, because it may contain a password.
bool is_url(std::string_view argument) {
    return argument.starts_with("http://") || argument.starts_with("https://");
}

}  // namespace

std::string describe_unknown_flag(const CLI::App& app, const std::string& argument) {
    if (std::ranges::find(removed_flags, argument.substr(0, argument.find('='))) !=
        removed_flags.end())
        return argument +
               " was removed: all conversations share all slots, and the one whose listener has "
               "least left to hear goes first; remove the flag";
    const auto like = fmt::format("{}", fmt::join(find_similar_flags(app, argument), " or "));
    return argument + " is an unknown flag" +
           (like.empty() ? "" : fmt::format("; did you mean {}?", like));
}

std::vector<std::string> describe_unknown_flags(const CLI::App& app) {
    std::vector<std::string> faults;
    for (const auto& flag : collect_unparsed_arguments(app).flags)
        faults.push_back(describe_unknown_flag(app, flag));
    return faults;
}

std::vector<std::string> describe_surplus_arguments(const CLI::App& app) {
    std::vector<std::string> faults;
    const bool has_url_flag = app.get_option_no_throw("--url") != nullptr;
    for (const auto& argument : collect_unparsed_arguments(app).arguments)
        faults.push_back(has_url_flag && is_url(argument)
                             ? "a URL is an unexpected argument; write --url before it"
                             : argument + " is an unexpected argument");
    return faults;
}

std::vector<std::string> describe_unparsed_arguments(const CLI::App& app) {
    auto faults = describe_unknown_flags(app);
    return faults.empty() ? describe_surplus_arguments(app) : faults;
}

std::vector<std::string> describe_empty_values(const CLI::App& app,
                                               const std::vector<std::string>& arguments) {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    const auto option_of = [&](const std::string& flag) -> const CLI::Option* {
        if (const auto* o = app.get_option_no_throw(flag)) return o;
        for (const auto* c : commands)
            if (const auto* o = c->get_option_no_throw(flag)) return o;
        return nullptr;
    };
    const auto takes_value = [&](const std::string& flag) {
        const auto* o = option_of(flag);
        return o && o->get_expected_max() > 0;
    };
    const auto is_empty = [&](const std::string& a) {
        return a.starts_with("--") && a.find('=') == a.size() - 1 &&
               option_of(a.substr(0, a.size() - 1));
    };
    std::vector<std::string> faults;
    std::string before;
    for (const auto& a : arguments) {
        if (a == "--") break;
        const bool is_value = before.starts_with("--") && takes_value(before);
        if (!is_value && is_empty(a)) faults.push_back(fmt::format("{} has no value", a));
        before = a;
    }
    return faults;
}

std::vector<std::string> find_flags_taken_as_values(const CLI::App& app) {
    std::vector<std::string> faults;
    for (const auto* option : app.get_options()) {
        if (option->get_expected_max() == 0 || option->get_type_name() == "TEXT") continue;
        for (const auto& value : option->results()) {
            const auto flag = value.substr(0, value.find('='));
            if (is_flag(flag) && app.get_option_no_throw(flag))
                faults.push_back(fmt::format("{} needs a value ({}), but {} follows",
                                             option->get_name(), option->get_type_name(), flag));
        }
    }
    return faults;
}

std::optional<int> read_number(const char* flag, const std::string& text, int least, int most,
                               std::vector<std::string>& faults) {
    const auto number = parse_number<int>(text);
    if (number && *number >= least && *number <= most) return number;
    faults.push_back(make_invalid_value_message(
        flag, text, fmt::format("a whole number from {} to {}", least, most)));
    return std::nullopt;
}

std::optional<double> read_decimal(const char* flag, const std::string& text, double least,
                                   double most, std::vector<std::string>& faults) {
    const auto number = parse_number<double>(text);
    // Comparisons with NaN are false, so NaN is rejected.
    if (number && *number >= least && *number <= most) return number;
    faults.push_back(
        make_invalid_value_message(flag, text, fmt::format("a number from {} to {}", least, most)));
    return std::nullopt;
}

std::optional<duration> read_time(const char* flag, const std::string& text, duration least,
                                  duration most, std::vector<std::string>& faults) {
    const auto time = parse_duration(text);
    if (time && *time >= least && *time <= most) return time;
    const bool has_unit = time && text.find_first_not_of("0123456789.") != text.npos;
    faults.push_back(
        make_invalid_value_message(flag, text,
                                   fmt::format("{}{}", detail::describe_time_range(least, most),
                                               has_unit ? "" : detail::time_examples)));
    return std::nullopt;
}

std::optional<std::size_t> read_choice(const char* flag, std::span<const std::string_view> names,
                                       std::string_view text, std::vector<std::string>& faults) {
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    faults.push_back(make_invalid_value_message(
        flag, text,
        fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back())));
    return std::nullopt;
}

std::string make_invalid_value_message(const char* flag, std::string_view text,
                                       std::string_view expected) {
    return fmt::format("{} {}", flag, detail::invalid_value_text(text, expected));
}

}  // namespace tandem::command
