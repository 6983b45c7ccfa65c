#!/usr/bin/env bash
# Builds a project that uses tandem, and runs it against the mock server.
#   consumer_test.sh find_package|pkg_config|add_subdirectory
# CTest gives: SOURCE_DIR and BUILD_DIR of tandem, PREFIX where it is installed, CXX, WORK_DIR.
set -euo pipefail

readonly way=$1 here=$SOURCE_DIR/tests/install out=$WORK_DIR/$1
readonly expected='Yes.'

configure() {
  cmake -S "$here/$way" -B "$out" -G Ninja -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Debug "$@"
}

find_package() {
  configure -DCMAKE_PREFIX_PATH="$PREFIX"
  cmake --build "$out"
}

pkg_config() {
  PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name tandem.pc)") make -C "$here/$way" CXX="$CXX" OUT="$out/"
}

# The whole library once more would be minutes of a small CI machine. So one file of it is compiled,
# and the bot is linked by its own command with the library that is there already.
add_subdirectory() {
  configure -DTANDEM_SOURCES="$SOURCE_DIR" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror'
  local link
  link=$(ninja -C "$out" -t commands bot | tail -n 1)
  [[ $link == *' -o bot '*tandem/src/libtandem.a* ]]
  ninja -C "$out" tandem/src/CMakeFiles/tandem.dir/base/error.cpp.o "$(bot_object)"
  (cd "$out" && eval "${link/tandem\/src\/libtandem.a/$BUILD_DIR/src/libtandem.a}")
}

bot_object() {
  ninja -C "$out" -t targets all | sed -n 's/^\(CMakeFiles\/bot\.dir\/.*\.o\):.*/\1/p'
}

stop_server() {
  kill "$server" && wait "$server" || true
}

run_bot() {
  local line said
  exec 3< <(exec "$PREFIX/bin/tandem-mock-server" --port 0 \
    --dialogues "$SOURCE_DIR/tests/model/dialogues.jsonl")
  server=$!
  trap stop_server EXIT
  read -r -t 20 line <&3
  said=$("$out/bot" "${line#listening on }")
  [[ $said == "$expected" ]] || { printf 'said: %s\nexpected: %s\n' "$said" "$expected"; return 1; }
}

rm -rf "$out"
mkdir -p "$out"
"$way"
run_bot
