#!/usr/bin/env bash
# Finds a llama-server, or fetches Debian's build of it. See usage().
set -euo pipefail

readonly here=${BASH_SOURCE[0]%/*}
readonly cannot_be_had=3

usage() {
  cat <<'END'
Usage: tools/llama-server.sh [OPTION]... VERB

  tools/llama-server.sh run -- -m model.gguf --parallel 2 -c 4096 --port 8080

Finds a llama-server: $LLAMA_SERVER if set, else one on PATH, else Debian's own build,
which is fetched once from Debian testing (20 MB), with the libraries it needs, and
kept in a folder. Nothing is installed.

Verbs:
  fetch           get the server if there is none, and print its absolute path. The path
                  can be started from any working directory like any llama-server; the
                  process started is the server itself (it is exec'ed: same PID)
  run -- ARGS...  become the server, with ARGS: the PID of this script is the server's
  command         for programs that spawn the server themselves: print the working
                  directory on the first line, then the arguments, one a line

Options:
  --dir DIR       folder for the fetched build; <repository>/build/llama-server if not given
  --debian        always use Debian's build; ignore $LLAMA_SERVER and PATH
  --help          this text

Environment:
  LLAMA_SERVER              path of the server to use
  TANDEM_LLAMA_SERVER_DIR   the same as --dir
  TANDEM_DEBIAN_MIRROR      the Debian mirror; http://deb.debian.org/debian if unset

Exit status: 0 done, 2 wrong use, 3 no server can be had here (the reason is on stderr;
a test should skip, and say so). After run: the server's own.
END
}

say() { printf 'llama-server.sh: %s\n' "$*" >&2; }

wrong_use() {
  say "$@" "(see --help)"
  exit 2
}

give_up() {
  say "$@"
  exit "$cannot_be_had"
}

# Sets `server` to the absolute path of an existing server.
find_server() {
  if [[ $debian_only == no && -n ${LLAMA_SERVER-} ]]; then
    [[ -f $LLAMA_SERVER && -x $LLAMA_SERVER ]] || wrong_use "LLAMA_SERVER=$LLAMA_SERVER is not a program"
    server=$(realpath -s -- "$LLAMA_SERVER")
  elif [[ $debian_only == no ]] && server=$(type -P llama-server); then
    server=$(realpath -s -- "$server")
  else
    server=$dir/llama-server
    [[ -x $server ]]
  fi
}

# Concurrent callers wait for the lock and then find the finished server.
fetch_server() {
  mkdir -p "$dir"
  exec {lock}>"$dir/.lock"
  flock "$lock"
  [[ -x $server ]] || build_server
  exec {lock}>&-
}

build_server() {
  say "fetching Debian's llama-server into $dir"
  rm -rf "$dir"/root*
  "$here/debian-testing.sh" "$dir/root" llama.cpp-tools || give_up "no llama-server can be had"
  place_loader
  write_starter
}

# llama-server looks for its CPU backends next to its executable. The kernel considers the dynamic
# loader the executable, so a copy of the loader is placed there.
place_loader() {
  local loader backends
  loader=$(find "$dir/root/usr/lib" -name 'ld-linux-*.so.*' -type f)
  backends=$(find "$dir/root/usr/lib" -type d -path '*/ggml/backends*')
  [[ -f $loader && -d $backends ]] || give_up "the layout of Debian's llama.cpp-tools has changed"
  cp "$loader" "$backends/llama-server"
}

# Writes the start script last and renames it into place, so that an existing script implies a
# complete server.
write_starter() {
  cat >"$dir/llama-server.part" <<'END'
#!/bin/sh
# Starts the llama-server unpacked beside this file on that build's own loader and libc.
root=$(cd "${0%/*}" && pwd)/root
for loader in "$root"/usr/lib/*/ggml/backends*/llama-server; do :; done
lib=${loader%/ggml/*}
exec "$loader" --library-path "$lib:$lib/llama" "$root/usr/bin/llama-server" "$@"
END
  chmod 755 "$dir/llama-server.part"
  "$dir/llama-server.part" --version >/dev/null 2>&1 || give_up "Debian's llama-server does not start here"
  mv "$dir/llama-server.part" "$dir/llama-server"
}

parse_options() {
  dir=${TANDEM_LLAMA_SERVER_DIR:-$here/../build/llama-server}
  debian_only=no
  while [[ ${1-} == -* ]]; do
    case $1 in
      --help | -h) usage; exit ;;
      --debian) debian_only=yes ;;
      --dir)
        dir=${2-}
        [[ -n $dir ]] || wrong_use "--dir needs a folder"
        shift
        ;;
      *) wrong_use "unknown option $1" ;;
    esac
    shift
  done
  dir=$(realpath -m -- "$dir")
  words=("$@")
}

run_server() {
  [[ ${1-} == -- ]] && shift
  exec "$server" "$@"
}

main() {
  parse_options "$@"
  set -- "${words[@]}"
  local verb=${1-}
  [[ $verb =~ ^(fetch|run|command)$ ]] || wrong_use "which verb? ${verb:-none given}"
  find_server || fetch_server
  case $verb in
    fetch) printf '%s\n' "$server" ;;
    command) printf '%s\n' "$PWD" "$server" ;;
    run) run_server "${@:2}" ;;
  esac
}

main "$@"
