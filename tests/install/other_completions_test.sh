#!/usr/bin/env bash
# Checks what fish and zsh offer, with the installed scripts. Exit status 77 without one of the shells.
set -euo pipefail
readonly share=$PREFIX/share
command -v fish >/dev/null && command -v zsh >/dev/null || exit 77
failed=0
home=$(mktemp -d)
trap 'rm -r "$home"' EXIT
export HOME=$home PATH=$PREFIX/bin:$PATH

fish_offers() {
  fish --no-config -c "source $share/fish/vendor_completions.d/tandem.fish; complete -C '$1'" |
    cut -f 1 | sort | xargs
}

# Starts zsh in a pseudo-terminal, and presses Tab.
zsh_offers() {
  timeout 120 zsh -f -c "
    zmodload zsh/zpty
    zpty z zsh -f
    zpty -w z 'PS1= PROMPT= RPROMPT= LISTMAX=1000; stty cols 200; fpath=($share/zsh/site-functions \$fpath)'
    zpty -w z 'autoload -U compinit; compinit -u -D; zstyle \":completion:*\" verbose no'
    zpty -w z 'echo rea''dy'
    zpty -r z out '*ready*'
    zpty -n -w z \$'$1\t\t'
    zpty -r -m z out '*$2*' && print found
  " | tail -n 1
}

expect() {
  [[ $2 == "$3" ]] && return
  printf '%s: "%s", not "%s"\n' "$1" "$2" "$3"
  failed=1
}

expect 'fish, commands' "$(fish_offers 'tandem se')" 'segment serve'
expect 'fish, flags' "$(fish_offers 'tandem serve --aud')" '--audit --audit-prompts'
expect 'fish, values' "$(fish_offers 'tandem replay --color ')" 'always auto never'
expect 'fish, a value that is the name of a command' "$(fish_offers 'tandem replay --user chat --barge')" ''
expect 'fish, flags behind it' "$(fish_offers 'tandem replay --user chat --conver')" '--conversations'
expect 'fish, no command behind one' "$(fish_offers 'tandem chat se')" ''
expect 'fish, commands that help tells of' "$(fish_offers 'tandem help se')" 'segment serve'
expect 'fish, shells' "$(fish_offers 'tandem completion ')" 'bash fish zsh'
expect 'zsh, commands' "$(zsh_offers 'tandem rep' 'tandem replay')" found
expect 'zsh, flags' "$(zsh_offers 'tandem serve --placem' '--placement')" found
expect 'zsh, values' "$(zsh_offers 'tandem replay --color al' '--color always')" found
exit "$failed"
