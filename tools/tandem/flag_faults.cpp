#include "flag_faults.hpp"

#include "help_format.hpp"

#include <fmt/format.h>

namespace tandem::command {

bool is_flag(const std::string& argument) {
    return argument.starts_with('-') && argument.size() > 1;
}

std::vector<std::string> unknown_flags(const CLI::App& app) {
    std::vector<std::string> faults;
    for (const auto& argument : app.remaining()) {
        if (!is_flag(argument)) continue;
        const auto like = similar_flag(app, argument);
        faults.push_back(argument + " is an unknown flag" +
                         (like.empty() ? "" : fmt::format("; did you mean {}?", like)));
    }
    return faults;
}

std::vector<std::string> surplus_arguments(const CLI::App& app) {
    std::vector<std::string> faults;
    for (const auto& argument : app.remaining())
        if (!is_flag(argument)) faults.push_back(argument + " is one argument too many");
    return faults;
}

}  // namespace tandem::command
