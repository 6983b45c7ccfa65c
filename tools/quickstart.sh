#!/usr/bin/env bash
# Builds tandem and shows a paced reply. See usage().
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly build=build/quickstart
readonly words_per_minute=${TANDEM_WPM:-220}

usage() {
  cat <<'END'
Usage: tools/quickstart.sh

Installs what is missing (with apt-get), builds tandem in build/quickstart, starts a
llama-server with the small talk model of tests/model, and shows a reply that comes a
sentence at a time, at the pace of a voice. Where no llama-server can be had, the mock
server takes its place. The server is stopped at the end.

Environment:
  TANDEM_WPM   words a minute of the voice; 220 if unset
END
}

say() { printf '\n== quickstart.sh: %s\n' "$*"; }

build_tandem() {
  say "building tandem (Release)"
  cmake -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTANDEM_BUILD_TESTS=OFF >/dev/null
  # Builds everything, so that it can be installed.
  cmake --build "$build"
}

# Prints the status line of GET /health; nothing if there is no answer.
health() {
  local status=
  {
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 0
    printf 'GET /health HTTP/1.0\r\n\r\n' >&3
    IFS= read -r -t 2 status <&3 || true
    exec 3>&-
  } 2>/dev/null
  printf '%s' "$status"
}

# Waits until the server answers. Fails if the server exits or takes more than 30 s.
wait_for() {
  local waited
  for ((waited = 0; waited < 300; waited++)); do
    [[ $(health "$1") != *" 200 "* ]] || return 0
    kill -0 "$server" 2>/dev/null || return 1
    read -r -t 0.1 <> <(:) || true
  done
  return 1
}

stop_server() {
  [[ -z ${server-} ]] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
}

# Starts server $1 with the command in the remaining arguments. Retries with another port, because
# the chosen port may be in use.
start_server() {
  local log=$build/$1.log
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 20000))
    "${@:2}" --parallel 2 --host 127.0.0.1 --port "$port" >"$log" 2>&1 &
    server=$!
    wait_for "$port" && return 0
    stop_server
  done
  say "$1 did not start; see $log"
  return 1
}

start_real_server() {
  tools/llama-server.sh fetch >/dev/null || return 1
  start_server llama-server tools/llama-server.sh run -- -m "$PWD/tests/model/talk.gguf" \
    --ctx-size 4096 --threads 1
}

start_mock_server() {
  say "NO LLAMA-SERVER CAN BE HAD HERE: this is the mock server, which plays the dialogues of a file"
  start_server mock-server "$build/mock_server/tandem-mock-server" --tokens-per-second 60 \
    --dialogues tests/model/dialogues.jsonl
}

show_reply() {
  say "a caller complains; each line is handed to the voice when the one before was spoken"
  "$build/tools/tandem" replay --url "http://127.0.0.1:$port" --tts "wpm=$words_per_minute" - <<'END'
{"id": "pizza", "system": "You answer the phone of a pizza service. Be polite and quick.", "turns": ["My pizza arrived cold!", "Thanks, that is kind."]}
END
}

main() {
  case ${1-} in
    '') ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  tools/setup.sh build
  build_tandem
  trap stop_server EXIT
  say "starting a llama-server with the talk model"
  start_real_server || start_mock_server
  show_reply
  say "next, with your own server, started with a slot for each caller (llama-server --parallel N; see" \
    "docs/server.md): $build/tools/tandem doctor --url URL, then replay --help"
}

main "$@"
