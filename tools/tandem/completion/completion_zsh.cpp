#include "completion/completion_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace tandem::command {
namespace {

constexpr const char* zsh_head = R"(#compdef tandem
# zsh completion for tandem; made by "tandem completion zsh".

_tandem() {
    local -a commands
    commands=(
)";

constexpr const char* zsh_tail = R"(    esac
}

# Also where it is sourced, not loaded from a folder of fpath.
if [[ $funcstack[1] == _tandem ]]; then
    _tandem "$@"
else
    compdef _tandem tandem
fi
)";

// Inside single quotes, where _arguments and _describe give some characters a meaning.
std::string zsh_text(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (c == '\'')
            result += "'\\''";
        else if (std::string_view("[]:\\").find(c) != std::string_view::npos)
            result += {'\\', c};
        else
            result += c;
    return result;
}

// What stands behind the name of a value.
std::string zsh_action(const completed_flag& f) {
    switch (f.by) {
        case completed_by::words:
            return fmt::format("({})", fmt::join(f.words, " "));
        case completed_by::files:
            return "_files";
        case completed_by::folders:
            return "_files -/";
        default:
            return " ";
    }
}

std::string zsh_lines(const completed_flag& f) {
    const auto value = zsh_text(f.value) + ':' + zsh_action(f);
    if (f.names.empty()) return fmt::format("                '*:{}' \\\n", value);
    std::string lines;
    for (const auto& name : f.names)
        lines += f.by == completed_by::nothing
                     ? fmt::format("                '{}[{}]' \\\n", name, zsh_text(f.help))
                     : fmt::format("                '*{}{}[{}]:{}' \\\n", name,
                                   name.starts_with("--") ? "=" : "", zsh_text(f.help), value);
    return lines;
}

std::string zsh_case(const completed_command& c) {
    std::string lines;
    for (const auto& f : c.flags) lines += zsh_lines(f);
    return fmt::format(
        "        {})\n            _arguments -S \\\n{}                && return ;;\n", c.name,
        lines);
}

}  // namespace

std::string zsh_completion(const completion_words& words) {
    std::string names;
    std::string cases;
    for (const auto& c : words.commands) {
        names += fmt::format("        '{}:{}'\n", c.name, zsh_text(c.help));
        cases += zsh_case(c);
    }
    std::vector<std::string> flags;
    for (const auto& f : words.flags) flags.insert(flags.end(), f.names.begin(), f.names.end());
    return zsh_head + names +
           fmt::format(
               "        'help:tell more of a command'\n"
               "    )\n"
               "    if ((CURRENT == 2)); then\n"
               "        _describe command commands\n"
               "        [[ $PREFIX != -* ]] || compadd -- {}\n"
               "        return\n"
               "    fi\n"
               "    shift words\n"
               "    ((CURRENT -= 1))\n"
               "    case $words[1] in\n"
               "        help) _describe command commands ;;\n",
               fmt::join(flags, " ")) +
           cases + zsh_tail;
}

}  // namespace tandem::command
