#!/usr/bin/env bash
# man and mandoc render the installed pages without a warning, and each command has a page.
set -euo pipefail
cd "$PREFIX/share/man/man1"
failed=0

fail() { printf '%s\n' "$1"; failed=1; }

commands=$("$PREFIX/bin/tandem" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ -n $commands ]] || fail 'the help of tandem has no commands under "Commands:"'
for command in $commands; do
  [[ -f tandem-$command.1 ]] || fail "there is no page of tandem $command"
done
for page in *.1; do
  warnings=$(MANWIDTH=80 MANROFFSEQ='' man --warnings=w -E UTF-8 -l "$page" 2>&1 >/dev/null)
  [[ -z $warnings ]] || fail "$page: $warnings"
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" || fail "$page is not as mandoc wants it"
  fi
  # The page must contain each flag of the help text.
  name=${page%.1}
  words=("${name%%-*}")
  if [[ -x $PREFIX/bin/$name ]]; then words=("$name"); else words+=("${name#*-}"); fi
  help=--help
  [[ ${words[0]} != tandem ]] || help=--help=all
  "$PREFIX/bin/${words[0]}" "${words[@]:1}" "$help" | grep -oE '^  (-[A-Za-z],)?--[a-z-]+' | tr -d ' ' | sed 's/^-[A-Za-z],//' >"$WORK_DIR/flags"
  text=$(MANWIDTH=200 man -P cat -l "$page" | col -b)
  while read -r flag; do
    [[ $text == *"$flag"* ]] || fail "$page does not tell of $flag"
  done <"$WORK_DIR/flags"
  [[ -s $WORK_DIR/flags ]] || fail "the help of $name has no flags"
done
exit "$failed"
