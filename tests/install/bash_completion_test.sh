#!/usr/bin/env bash
# Checks what bash offers for the beginning of a command line, with the installed script.
set -euo pipefail
PATH=$PREFIX/bin:$PATH
source "$PREFIX/share/bash-completion/completions/tandem"
failed=0

# offers WORD... : prints the completions of the last word, one on each line.
offers() {
  COMP_WORDS=(tandem "$@") COMP_CWORD=$#
  COMPREPLY=()
  _tandem
  printf '%s\n' "${COMPREPLY[@]}"
}

# expect 'WANTED' WORD... : checks that the completions are exactly WANTED.
expect() {
  local wanted=$1 found
  shift
  found=$(offers "$@" | sort | xargs)
  [[ $found == "$wanted" ]] && return
  printf 'tandem %s offers "%s", not "%s"\n' "$*" "$found" "$wanted"
  failed=1
}

complete -p tandem | grep -qx 'complete -F _tandem tandem'
expect 'replay' re
expect 'completion' com
expect '--help --version' --
expect 'always auto never' replay --color ''
expect 'always auto' replay --color a
expect 'always auto' replay --color = a
expect 'always auto never' replay --color =
expect '--audit --audit-prompts' serve --aud
expect 'chunk token' serve --stream-by ''
expect '' segment --aud
expect 'bash fish zsh' completion ''
expect '' serve --listen ''
expect 'serve' help ser

cd "$(mktemp -d)"
trap 'rm -r "$PWD"' EXIT
mkdir folder
touch 'a file.jsonl' other
expect 'a file.jsonl' replay a
expect 'a file.jsonl folder other' serve --keys ''
expect 'folder' serve --ca-path ''
exit "$failed"
