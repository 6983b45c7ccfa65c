#include "completion/completion_script.hpp"

namespace tandem::command {
namespace {

// bash splits "--color=au" into three words, so the script drops the "=".
constexpr std::string_view bash_script = R"(# bash completion for tandem
_tandem() {
    local word value lines words=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        [[ $word == = ]] || words+=("$word")
    done
    [[ ${COMP_WORDS[COMP_CWORD]} != = ]] || words+=('')
    value=${words[-1]}
    mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
    case ${lines[0]-} in
        :files) mapfile -t COMPREPLY < <(compgen -f -- "$value") ;;
        :folders) mapfile -t COMPREPLY < <(compgen -d -- "$value") ;;
        *) COMPREPLY=("${lines[@]%%$'\t'*}"); return ;;
    esac
    compopt -o filenames 2>/dev/null
}
complete -F _tandem tandem
)";

constexpr std::string_view zsh_script = R"(#compdef tandem
# zsh completion for tandem
_tandem() {
    local line
    local -a lines offers
    lines=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    case $lines[1] in
        :*)
            [[ $PREFIX != --*=* ]] || compset -P '*='
            if [[ $lines[1] == :files ]]; then _files; else _files -/; fi ;;
        ?*)
            for line in $lines; do
                offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
            done
            _describe tandem offers ;;
    esac
}

# Also where it is sourced, not loaded from a folder of fpath.
if [[ $funcstack[1] == _tandem ]]; then
    _tandem "$@"
else
    compdef _tandem tandem
fi
)";

constexpr std::string_view fish_script = R"(# fish completion for tandem
function __tandem_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l value (commandline -ct)
    set -l lines ($program __complete $words "$value" 2>/dev/null)
    switch "$lines[1]"
        case :files
            __fish_complete_path $value
        case :folders
            __fish_complete_directories $value ''
        case '*'
            string join \n -- $lines
    end
end
complete -c tandem -f -a '(__tandem_complete)'
)";

}  // namespace

const std::array<std::string_view, 3> completion_scripts{bash_script, zsh_script, fish_script};

}  // namespace tandem::command
