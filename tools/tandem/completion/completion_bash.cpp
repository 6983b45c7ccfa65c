#include "completion/completion_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::command {
namespace {

constexpr const char* bash_head = R"(# bash completion for tandem; made by "tandem completion bash".

# What $value begins with, of these words.
_tandem_words() { mapfile -t COMPREPLY < <(compgen -W "$*" -- "$value"); }
_tandem_paths() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$value")
}

_tandem() {
    local value=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    # "--color=au" is three words.
    if [[ $value == = ]]; then
        value=
    elif [[ $flag == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-2]}
    fi
)";

constexpr const char* bash_tail = R"(    esac
}
complete -F _tandem tandem
)";

std::string call_of(const completed_flag& f) {
    switch (f.by) {
        case completed_by::words:
            return fmt::format("_tandem_words {}", fmt::join(f.words, " "));
        case completed_by::files:
            return "_tandem_paths -f";
        case completed_by::folders:
            return "_tandem_paths -d";
        default:
            return ":";
    }
}

std::string names_of(const std::vector<completed_flag>& flags) {
    std::vector<std::string> names;
    for (const auto& f : flags) names.insert(names.end(), f.names.begin(), f.names.end());
    return fmt::format("{}", fmt::join(names, " "));
}

std::string command_case(const completed_command& c) {
    std::string values;
    std::string argument = "_tandem_words --help";
    for (const auto& f : c.flags)
        if (f.names.empty())
            argument = call_of(f);
        else if (f.by != completed_by::nothing)
            values +=
                fmt::format("                {}) {} ;;\n", fmt::join(f.names, "|"), call_of(f));
    return fmt::format(
        "        {})\n"
        "            case $flag in\n{}"
        "                *)\n"
        "                    if [[ $value == -* ]]; then _tandem_words {}\n"
        "                    else {}; fi ;;\n"
        "            esac ;;\n",
        c.name, values, names_of(c.flags), argument);
}

}  // namespace

std::string bash_completion(const completion_words& words) {
    std::vector<std::string> names;
    std::string cases;
    for (const auto& c : words.commands) {
        names.push_back(c.name);
        cases += command_case(c);
    }
    const auto commands = fmt::format("{}", fmt::join(names, " "));
    return bash_head +
           fmt::format(
               "    if ((COMP_CWORD == 1)); then\n"
               "        _tandem_words {} help {}\n"
               "        return\n"
               "    fi\n"
               "    case ${{COMP_WORDS[1]}} in\n"
               "        help) _tandem_words {} ;;\n{}",
               commands, names_of(words.flags), commands, cases) +
           bash_tail;
}

}  // namespace tandem::command
