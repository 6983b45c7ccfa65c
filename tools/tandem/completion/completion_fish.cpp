#include "completion/completion_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace tandem::command {
namespace {

// The command is the first word; one of that name behind it is a value.
constexpr const char* fish_head = R"(# fish completion for tandem; made by "tandem completion fish".
function __tandem_has_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
end
function __tandem_has_no_command
    test (count (commandline -opc)) -eq 1
end
complete -c tandem -f
)";
constexpr const char* without_command = "__tandem_has_no_command";

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
    for (const auto& f : words.flags) text += fish_line(without_command, f);
    for (const auto& c : words.commands) {
        names.push_back(c.name);
        text += fmt::format("complete -c tandem -n {} -a {} -d {}\n", without_command, c.name,
                            fish_text(c.help));
        for (const auto& f : c.flags) text += fish_line("__tandem_has_command " + c.name, f);
    }
    return text + fmt::format(
                      "complete -c tandem -n {} -a help -d 'tell more of a command'\n"
                      "complete -c tandem -n '__tandem_has_command help' -a '{}'\n",
                      without_command, fmt::join(names, " "));
}

}  // namespace tandem::command
