#!/usr/bin/env bash
# Builds a project that uses tandem, and runs it against the mock server.
#   consumer_test.sh find_package|pkg_config|add_subdirectory
# CTest sets SOURCE_DIR and BUILD_DIR of tandem, PREFIX of the installation, CXX and WORK_DIR.
set -euo pipefail

readonly way=$1 here=$SOURCE_DIR/tests/install out=$WORK_DIR/$1
readonly expected='Yes.'

configure() {
  cmake -S "$here/$way" -B "$out" -G Ninja -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Debug "$@"
}

# If CMake finds another Boost, the error must name the Boost that tandem was built with.
refuses_other_boost() {
  local other=$out/other_boost said
  mkdir -p "$other/boost"
  echo '#define BOOST_LIB_VERSION "9_99"
#define BOOST_VERSION 909900' >"$other/boost/version.hpp"
  if said=$(configure -DCMAKE_PREFIX_PATH="$PREFIX" -DBoost_NO_BOOST_CMAKE=ON \
    -DBoost_INCLUDE_DIR="$other" 2>&1); then
    echo 'another Boost was taken'
    return 1
  fi
  said=$(tr -s ' \n' ' ' <<<"$said")
  [[ $said == *'tandem was built with Boost '*', and Boost 9.99.0 was found'* ]] || { printf '%s\n' "$said"; return 1; }
  rm -r "$out"
  mkdir "$out"
}

find_package() {
  refuses_other_boost
  configure -DCMAKE_PREFIX_PATH="$PREFIX"
  cmake --build "$out"
}

pkg_config() {
  PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name tandem.pc)") make -C "$here/$way" CXX="$CXX" OUT="$out/"
}

# The library is compiled in batches of a dozen files, unless the user's project disables that. To compile
# the whole library again would take a small CI machine minutes. The test therefore compiles one file of
# the library, and links the bot with its own command and the existing library.
add_subdirectory() {
  local link objects
  configure -DTANDEM_SOURCES="$SOURCE_DIR"
  objects=$(ninja -C "$out" -t targets all)
  [[ $objects == *tandem.dir/Unity/* && $objects != *bot.dir/Unity/* ]] || { printf '%s\n' "$objects"; return 1; }
  configure -DTANDEM_SOURCES="$SOURCE_DIR" -DCMAKE_UNITY_BUILD=OFF -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror'
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
  read -r -t 120 line <&3
  said=$("$out/bot" "${line#listening on }")
  [[ $said == "$expected" ]] || { printf 'said: %s\nexpected: %s\n' "$said" "$expected"; return 1; }
}

rm -rf "$out"
mkdir -p "$out"
"$way"
run_bot
