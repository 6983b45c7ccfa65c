#!/usr/bin/env bash
# Builds tandem and shows a paced reply, or several gateways that act as one. See usage().
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly build=build/quickstart
readonly words_per_minute=${TANDEM_WPM:-220}
children=()

usage() {
  cat <<'END'
Usage: tools/quickstart.sh [--cluster]

Installs what is missing (with apt-get), builds tandem in build/quickstart, starts a
llama-server with the small talk model of tests/model, and shows a reply that comes a
sentence at a time, at the pace of a voice. Where no llama-server can be had, the mock
server takes its place. The server is stopped at the end.

With --cluster, starts redis-server, two servers, three gateways that act as one, and
HAProxy in front of them. Then a call loses its gateway by kill -9, and another one
continues it.

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

# Prints the status line of GET /health; prints nothing without an answer.
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

# Waits until child $2 answers at port $1. Fails if it exits or takes more than 30 s.
wait_for() {
  local waited
  for ((waited = 0; waited < 300; waited++)); do
    [[ $(health "$1") != *" 200 "* ]] || return 0
    kill -0 "$2" 2>/dev/null || return 1
    read -r -t 0.1 <> <(:) || true
  done
  return 1
}

stop_children() {
  ((${#children[@]})) || return 0
  kill "${children[@]}" 2>/dev/null || true
  wait "${children[@]}" 2>/dev/null || true
}

# Starts program $1 with the command in the remaining arguments, where PORT stands for a port.
# Retries with another port, because the chosen port may be in use.
start() {
  local log=$build/$1.log command child
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 20000))
    command=("${@:2}")
    "${command[@]//PORT/$port}" >"$log" 2>&1 &
    child=$!
    children+=("$child")
    disown "$child" # bash would report the gateway that is killed
    wait_for "$port" "$child" && return 0
    kill "$child" 2>/dev/null || true
  done
  say "$1 did not start; see $log"
  return 1
}

start_real_server() {
  tools/llama-server.sh fetch >/dev/null || return 1
  start "llama-server${1-}" tools/llama-server.sh run -- -m "$PWD/tests/model/talk.gguf" \
    --ctx-size 4096 --threads 1 --parallel 2 --host 127.0.0.1 --port PORT
}

start_mock_server() {
  say "NO LLAMA-SERVER CAN BE HAD HERE: this is the mock server, which plays the dialogues of a file"
  start "mock-server${1-}" "$build/mock_server/tandem-mock-server" --tokens-per-second 60 \
    --dialogues tests/model/dialogues.jsonl --parallel 2 --host 127.0.0.1 --port PORT
}

start_servers() {
  local i
  for i in 1 2; do
    start_real_server "-$i" || start_mock_server "-$i"
    urls+=(--url "http://127.0.0.1:$port")
  done
}

start_store() {
  local socket=$PWD/$build/store.sock waited
  store=unix://$socket
  rm -f "$socket"
  redis-server --port 0 --unixsocket "$socket" --save '' >"$build/store.log" 2>&1 &
  children+=($!)
  for ((waited = 0; waited < 100; waited++)); do
    [[ ! -S $socket ]] || return 0
    read -r -t 0.1 <> <(:) || true
  done
  say "redis-server did not start; see $build/store.log"
  return 1
}

start_gateways() {
  local name
  for name in gateway-1 gateway-2 gateway-3; do
    start "$name" "$build/tools/tandem" serve "${urls[@]}" --cluster "$store" \
      --gateway-id "$name" --listen 127.0.0.1:PORT
    gateways+=("$name=${children[-1]}")
    ports+=("$port")
  done
}

# Uses the settings of docs/deploy for the gateways of this machine.
start_balancer() {
  local config=$build/haproxy.cfg
  {
    sed '/^# Docker/,$d' docs/deploy/haproxy.cfg
    cat <<'END'
listen gateways
    bind "127.0.0.1:${BALANCER}"
    balance leastconn
    option httpchk GET /readyz
    default-server check inter 500ms fall 1 rise 1
END
    for port in "${ports[@]}"; do printf '    server gateway-%s 127.0.0.1:%s\n' "$port" "$port"; done
  } >"$config"
  start balancer env BALANCER=PORT haproxy -db -f "$config"
}

show_cluster() {
  say "starting redis-server, two servers, three gateways and HAProxy"
  start_servers
  start_store
  start_gateways
  start_balancer
  say "a call loses its gateway by kill -9; another one continues it"
  # Uses Debian's Python, because setup.sh installs websockets for it.
  /usr/bin/python3 tools/quickstart_call.py "http://127.0.0.1:$port" "$build/tools/tandem" "$store" \
    "${gateways[@]}"
  say "next: docs/cluster.md"
}

show_reply() {
  say "a caller complains; each line is handed to the voice when the one before was spoken"
  "$build/tools/tandem" replay --url "http://127.0.0.1:$port" --tts "wpm=$words_per_minute" - <<'END'
{"id": "pizza", "system": "You answer the phone of a pizza service. Be polite and quick.", "turns": ["My pizza arrived cold!", "Thanks, that is kind."]}
END
}

show_paced_reply() {
  say "starting a llama-server with the talk model"
  start_real_server || start_mock_server
  show_reply
  say "next, with your own server, started with a slot for each caller (llama-server --parallel N; see" \
    "docs/server.md): $build/tools/tandem doctor --url URL, then replay --help"
}

main() {
  local show=show_paced_reply packages=build
  case ${1-} in
    '') ;;
    --cluster) show=show_cluster packages=cluster ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  tools/setup.sh "$packages"
  build_tandem
  trap stop_children EXIT
  "$show"
}

main "$@"
