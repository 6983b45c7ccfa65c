#include "completion_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace tandem::command {
namespace {

constexpr const char* fish_head = R"(# fish completion for tandem; made by "tandem completion fish".
complete -c tandem -f
)";

// In single quotes.
std::string fish_text(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + '\'';
}

// How the value is completed.
std::string fish_value(const completed_flag& f) {
    switch (f.by) {
        case completed_by::nothing:
            return "";
        case completed_by::words:
            return fmt::format(" -x -a {}", fish_text(fmt::format("{}", fmt::join(f.words, " "))));
        case completed_by::files:
            return " -r -F";
        case completed_by::folders:
            return " -x -a '(__fish_complete_directories)'";
        case completed_by::user:
            return " -x";
    }
    return "";
}

// An argument has its words; a shell that completes files needs no more than to be let.
std::string fish_argument(const completed_flag& f) {
    return f.by == completed_by::files ? " -F" : fish_value(f).substr(3);
}

std::string fish_line(const std::string& condition, const completed_flag& f) {
    std::string names;
    for (const auto& n : f.names)
        names += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
    return fmt::format("complete -c tandem -n {}{}{} -d {}\n", fish_text(condition), names,
                       f.names.empty() ? fish_argument(f) : fish_value(f), fish_text(f.help));
}

}  // namespace

std::string fish_completion(const completion_words& words) {
    std::string text = fish_head;
    std::vector<std::string> names;
    for (const auto& f : words.flags) text += fish_line("__fish_use_subcommand", f);
    for (const auto& c : words.commands) {
        names.push_back(c.name);
        text += fmt::format("complete -c tandem -n __fish_use_subcommand -a {} -d {}\n", c.name,
                            fish_text(c.help));
        for (const auto& f : c.flags) text += fish_line("__fish_seen_subcommand_from " + c.name, f);
    }
    return text + fmt::format(
                      "complete -c tandem -n __fish_use_subcommand -a help -d "
                      "'tell more of a command'\n"
                      "complete -c tandem -n '__fish_seen_subcommand_from help' -a '{}'\n",
                      fmt::join(names, " "));
}

}  // namespace tandem::command
