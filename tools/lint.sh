#!/usr/bin/env bash
# Checks the format and the quality of the code. See usage().
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly parts=(format shell alone tidy)
# The clang version that defines the format and the checks.
readonly version=14
readonly commits_compiled_alone=50
readonly not_laid_out='^(include/tandem/config_fields|src/reply/machine/chunk_outbox)\.hpp$'
cores=$(nproc)
readonly cores

usage() {
  cat <<'END'
Usage: tools/lint.sh [PART [FILE]...]

  tools/lint.sh                             all parts, as the project's CI does it
  tools/lint.sh format                      one part, of all files
  tools/lint.sh tidy src/text/chunks/chunker.cpp   one part, of these files

Parts:
  format   clang-format finds nothing to lay out otherwise (.clang-format)
  shell    shellcheck has no warning of a shell script
  alone    each file of what is shipped compiles without the others, while other builds compile
           dozens at once, and no name shadows another; as one of all parts, of files that
           changed in the last 50 commits or include a header that did
  tidy     clang-tidy has no finding in what is shipped (.clang-tidy); files that are named may
           be tests, and are searched for unused using declarations as well

Nothing is changed: clang-format-14 -i FILE lays a file out. What has no clang-format 14 or
clang-tidy 14 here, or no git that lists the files, is skipped, unless it is named or
TANDEM_REQUIRE_LINT=1.
Exit status: 0 nothing found, 1 something was, 2 wrong use.
END
}

say() { printf 'lint.sh: %s\n' "$*"; }

# Other versions format and check differently.
need() {
  command -v "$1" >/dev/null && return
  say "there is no $1 here; tools/setup.sh tests installs it on Debian 12" >&2
  skip "${FUNCNAME[1]}"
}

# Without arguments, the files come from git. It may be missing, or reject another user's tree.
need_list() {
  local why
  (($# == 0)) || return 0
  why=$(git ls-files --error-unmatch tools/lint.sh 2>&1 >/dev/null) && return
  say "git cannot tell which files belong to the project: $why" >&2
  skip "${FUNCNAME[1]}"
}

# Returns 1, because the part cannot run.
skip() {
  [[ $is_required == 1 ]] && exit 1
  say "SKIPPED: $1"
  return 1
}

# Prints the given files, or all C++ files, except those that match the pattern.
chosen() {
  local pattern=$1 files
  shift
  if (($#)); then
    files=$(printf '%s\n' "$@")
  else
    files=$(git ls-files -- '*.cpp' '*.hpp') || return 1
  fi
  grep -vE "$pattern" <<<"$files" || true
}

format() {
  need clang-format-$version && need_list "$@" || return 0
  chosen "$not_laid_out" "$@" |
    xargs -r -P "$cores" -n 200 "clang-format-$version" --dry-run -Werror || return 1
}

shell() {
  need shellcheck && need_list "$@" || return 0
  local scripts=("$@")
  ((${#scripts[@]})) || mapfile -t scripts < <(git grep -lE '^#!.*\b(ba)?sh$')
  shellcheck --severity=warning "${scripts[@]}"
}

# Prints the shipped files that changed in the last commits or include a header that did; prints all
# files if there are fewer commits.
changed_lately() {
  local since changed
  since=$(git rev-parse -q --verify "HEAD~$commits_compiled_alone") || since=$(git hash-object -t tree /dev/null)
  changed=$(git diff --name-only --diff-filter=d "$since" -- include src tools) || return 1
  {
    printf '%s\n' "$changed"
    sed -nE 's#^(include|src|tools/tandem)/(.*\.hpp)$#"\2"#p' <<<"$changed" | git grep -lF -f - -- include src tools || true
  } | sed -n '/\.cpp$/p' | sort -u
}

# Precompiles only third-party headers, so that a missing include of our own headers is an error.
alone() {
  local folder=build/lint-alone
  configure $folder -DCMAKE_UNITY_BUILD=OFF -DTANDEM_PRECOMPILE=ON
  cmake --build $folder --target tandem_precompiled_library tandem_precompiled_rest >/dev/null
  local wanted=.
  (($# == 0)) || wanted=$(printf '%s$|' "$@")
  # Extracts the compiler command "clang++ ... -o OUTPUT -c FILE" from its JSON string.
  sed -nE 's/^ *"command": "(.*) -o [^ ]+ -c ([^ ]+)",?$/\1 -fsyntax-only \2/p' $folder/compile_commands.json |
    sed 's/\\\(.\)/\1/g' | grep -vE '/build/.*_files\.cpp$|/precompiled\.cpp$|/cmake_pch\.hxx\.cxx$' | grep -E "${wanted%|}" |
    (cd $folder && xargs -r -d '\n' -P "$cores" -n 1 bash -c) || return 1
}

alone_lately() {
  local files
  need_list || return 0
  files=$(changed_lately) || return 1
  # shellcheck disable=SC2086 # no name contains a space
  [[ -z $files ]] || alone $files
}

# These checks cover single files only.
readonly checks_of_one_file=',misc-unused-using-decls,misc-unused-alias-decls'

# Without arguments, checks the shipped code in unity builds, because most of the time goes into
# shared headers. Given files are checked one by one.
tidy() {
  need clang-tidy-$version || return 0
  if (($#)); then
    configure build/lint-files -DCMAKE_UNITY_BUILD=OFF -DTANDEM_BUILD_TESTS=ON
    printf '%s\n' "$@" | each_tidy build/lint-files "$checks_of_one_file"
  else
    configure build/lint
    files_of build/lint | each_tidy build/lint ''
  fi
}

# Lists the sources of a build folder, without generated ones.
files_of() {
  sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$1/compile_commands.json" | grep -v '/build/.*_files\.cpp$' | sort -u
}

configure() {
  local log=$1.log
  mkdir -p build
  cmake --preset lint -B "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
}

each_tidy() {
  xargs -r -P "$cores" -I {} bash -c 'tidy_one "$@"' tidy_one "$1" "$2" {} || return 1
}

tidy_one() {
  local log
  log=$("clang-tidy-$version" --quiet --checks="$2" -p "$1" "$3" 2>&1) && return
  grep -vE '^[0-9]+ warnings? (generated|treated as)' <<<"$log"
  return 1
}
export version
export -f tidy_one

main() {
  [[ ${1-} != -h && ${1-} != --help ]] || { usage; exit 0; }
  is_required=${TANDEM_REQUIRE_LINT-}
  if (($#)); then
    [[ " ${parts[*]} " == *" $1 "* ]] || { usage >&2; exit 2; }
    is_required=1
    "$@"
    return
  fi
  local part
  for part in "${parts[@]}"; do
    # Compiling all files alone would take an eighth of the time of all tests.
    if [[ $part == alone ]]; then alone_lately; else "$part"; fi
  done
}

main "$@"
