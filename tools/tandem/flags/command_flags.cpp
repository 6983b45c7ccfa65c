#include "flags/command_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {

command_flags::command_flags(CLI::App& tandem, const char* name, const char* text,
                             const char* footer)
    : app_(*tandem.add_subcommand(name, text)) {
    app_.footer(footer);
    app_.set_help_flag();
    app_.allow_extras();
}

void command_flags::add(const char* flag, const char* value, const std::string& help, reader read,
                        const char* default_value) {
    auto& e = entries_.emplace_back(entry{flag, default_value, std::move(read)});
    e.has_default = !e.text.empty();
    const auto shown = e.has_default ? fmt::format("{} [{}]", help, default_value) : help;
    add_value_flag(app_, flag, e.text, value, shown.c_str(), group_);
}

std::string& command_flags::text(std::string_view flag) {
    return std::ranges::find(entries_, flag, &entry::flag)->text;
}

void command_flags::read(std::vector<std::string>& faults) const {
    for (const auto& e : entries_)
        if (e.has_default || !e.text.empty()) e.read(e.text, faults);
}

}  // namespace tandem::command
