#!/usr/bin/env bash
# Installs missing packages, builds, and runs all tests. See usage().
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly steps=(release real asan tsan fuzz lint)
cores=$(nproc)
readonly cores
readonly fuzz_seconds=${TANDEM_FUZZ_SECONDS:-5}

usage() {
  cat <<'END'
Usage: tools/test.sh [STEP]...

  tools/test.sh             everything, as the project's CI does it
  tools/test.sh release     one step

Steps:
  release   optimised build, warnings are errors; unit, simulation, contract, integration and
            command tests, and the page in Chromium; what drives the gateway from other
            languages is skipped where it cannot run, unless TANDEM_REQUIRE_CLIENTS=1
  real      the tests on a real llama-server, which is fetched once (20 MB) from Debian
            testing into build/; skipped where it cannot be had, unless
            TANDEM_REQUIRE_REAL_SERVER=1
  asan      the tests of the library, the gateway and the command under the address and
            undefined-behaviour sanitizers; if asan is among the steps, it alone runs the unit
            tests, and only the sanitizers run the integration tests
  tsan      the tests of transport, client and service under the thread sanitizer
  fuzz      each fuzz target for a short time (TANDEM_FUZZ_SECONDS, 5)
  lint      layout, shell scripts, what does not compile alone and clang-tidy (tools/lint.sh); what
            needs version 14 of clang's tools is skipped where they cannot be had, unless
            TANDEM_REQUIRE_LINT=1

Missing packages are installed with apt-get (tools/setup.sh). Everything is built in build/. Of
several steps the next ones are built, at the lowest priority, while one is tested: what that says is
in build/STEP-build.log.
Exit status: 0 all tests passed, 1 some failed, 2 wrong use.
END
}

say() { printf '\n== test.sh, %s s: %s\n' "$SECONDS" "$*"; }

is_wanted() { [[ " ${wanted[*]} " == *" $1 "* ]]; }

# Prints the settings of a preset for cmake. A build links about a hundred programs; lld takes less
# than half the time of GNU ld. Unit and integration tests take a third of the release build.
settings_of() {
  ! command -v ld.lld >/dev/null || printf '%s\n' -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
  [[ $1 == release ]] || return 0
  if is_wanted asan; then
    printf '%s\n' -DTANDEM_BUILD_UNIT_TESTS=OFF
  else
    printf '%s\n' -DTANDEM_BUILD_UNIT_TESTS=ON
  fi
}

# Builds a preset, or only the given targets.
build() {
  local preset=$1 settings
  shift
  say "building $preset"
  mapfile -t settings < <(settings_of "$preset")
  cmake --preset "$preset" "${settings[@]}" >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; return 1; }
  cmake --build --preset "$preset" ${1:+--target "$@"}
}

# Runs more tests than cores, because most tests wait for time or a process.
run_tests() {
  local preset=$1
  shift
  say "testing $preset"
  local log="build/$preset-tests.log"
  if ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j $((2 * cores)) "$@" \
    >"$log"; then
    tail -n 20 "$log"
  else
    # Omits passed tests, so that failures are easy to find.
    grep -avE '^ +Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test .* Passed ' "$log"
    return 1
  fi
  expect_clients "$log" "$preset"
}

# Reports skipped tests of gateway clients.
expect_clients() {
  local skipped
  skipped=$(grep -aE ': (page|npm\.[a-z]+|openai\.client|integrations\.[a-z_]+|examples\.bot) .*Skipped' "$1") || return 0
  say "SKIPPED, AS SOMETHING IS MISSING HERE"
  printf '%s\n' "$skipped"
  # ctest shows only the output of failed tests, so reads the reason from its log.
  grep -a -B 10 'IS NOT TESTED' "build/$2/Testing/Temporary/LastTest.log" || true
  [[ ${TANDEM_REQUIRE_CLIENTS-} != 1 ]]
}

build_release() { build release; }

test_release() {
  is_wanted asan || run_units release
  TANDEM_SIMULATION_STEPS=2000000 run_tests release -LE 'real|unit'
}

# The release step already builds it, and its tests may be running there.
build_real() { is_wanted release || build release; }

test_real() {
  if ! tools/llama-server.sh fetch >/dev/null; then
    say "NO REAL LLAMA-SERVER: its tests are skipped"
    [[ ${TANDEM_REQUIRE_REAL_SERVER-} != 1 ]] || return 1
  fi
  # A soak of one minute and a part of the chaos test, which takes five minutes in full.
  TANDEM_SOAK_SECONDS=${TANDEM_SOAK_SECONDS:-60} \
    TANDEM_CHAOS_REPLIES=${TANDEM_CHAOS_REPLIES:-40} run_tests release -L real
}

# Runs the given unit test programs, or all of them, in one shard per core.
run_units() {
  local preset=$1 names=("${@:2}")
  say "testing units of $preset"
  ((${#names[@]})) || names=('unit_.*')
  run_programs "$preset" "$cores" "${names[@]}"
}

# Runs the given programs, each in `parts` shards. A separate process per test would take longer to
# start than to run, especially with a sanitizer.
run_programs() {
  local preset=$1 parts=$2 programs program part pattern
  pattern="/($(IFS='|'; printf '%s' "${*:3}"))\$"
  mapfile -t programs < <(find "build/$preset/tests" -type f -executable | sort -r | grep -E "$pattern")
  if ((${#programs[@]} < $# - 2)); then
    say "of ${*:3} only these are there: ${programs[*]-}"
    return 1
  fi
  for program in "${programs[@]}"; do
    for ((part = 0; part < parts; ++part)); do printf '%s %s %s\n' "$program" "$parts" "$part"; done
  done | xargs -P "$parts" -L 1 bash -c 'run_program "$@"' run_program
}

# If a program fails or hangs, omits passed tests, so that the last line shows where it stopped.
run_program() {
  local log=$1.$3.log
  if GTEST_TOTAL_SHARDS=$2 GTEST_SHARD_INDEX=$3 timeout 600 "$1" >"$log" 2>&1; then
    printf '%s, part %s: %s\n' "${1##*/}" "$3" "$(grep -a PASSED "$log")"
  else
    awk '/^\[ RUN/ { begun = $0; next } /^\[(       OK|----------)/ { begun = ""; next }
      begun { print begun; begun = "" } { print } END { if (begun) print begun }' "$log"
    printf '%s, part %s FAILED\n' "$1" "$3"
    return 1
  fi
}
export -f run_program

readonly sanitized_programs=(integration integration_failures gateway_test command_test)
build_asan() { build asan tests/unit/all "${sanitized_programs[@]}" simulation; }

# Short random runs suffice for the sanitizers. Tests that need a long simulation run only in the
# release build. So do programs in other languages, because they have their own time limits.
test_asan() {
  TANDEM_RANDOM_PERCENT=10 run_units asan
  run_programs asan $((2 * cores)) "${sanitized_programs[@]}"
  TANDEM_SIMULATION_STEPS=200000 \
    run_tests asan -L simulation -E 'tries_all_that_may_happen|makes_the_transitions|crowd'
}

# Only multithreaded code matters here. The failure tests run on a single strand.
build_tsan() {
  build tsan unit_transport integration
}

test_tsan() {
  run_units tsan unit_transport
  run_programs tsan $((2 * cores)) integration
}

build_fuzz() { build asan fuzz; }

test_fuzz() {
  say "fuzzing each target for $fuzz_seconds s"
  printf '%s\n' build/asan/tests/fuzz/fuzz_* |
    xargs -P "$cores" -I {} bash -c 'fuzz_target {}'
}

fuzz_target() {
  local name=${1##*/fuzz_}
  local found=build/found/$name log=build/found/$name.log seeds=tests/fuzz/corpus/$name
  [[ -d $seeds ]] || seeds=
  mkdir -p "$found"
  if "$1" -max_total_time="$fuzz_seconds" -timeout=10 -artifact_prefix=build/found/ \
    "$found" ${seeds:+"$seeds"} 2>"$log"; then
    printf '%s: %s\n' "$name" "$(tail -n 1 "$log")"
  else
    cat "$log"
    printf '%s FAILED\n' "$name"
    return 1
  fi
}
export fuzz_seconds
export -f fuzz_target

# Linting takes as long as a build, so it runs in the build phase.
build_lint() {
  say "looking at the code"
  tools/lint.sh
}

test_lint() { :; }

# Prints the status and the seconds of each built step on one line, and stops after the first
# failure. Note that `set -e` has no effect in a command with a checked status.
build_all() {
  local step began status=0
  renice -n 19 "$BASHPID" >/dev/null
  for step in "$@"; do
    began=$SECONDS
    ("build_$step") >"build/$step-build.log" 2>&1 || status=$?
    printf '%s %s\n' "$status" "$((SECONDS - began))"
    ((status == 0)) || return 0
  done
}

# Builds the next step during the tests, which mostly wait for time or a process.
run_overlapped() {
  local step status builder build_took began
  rm -f build/built build/*-build.log
  mkfifo build/built
  set -m # a separate process group, so that everything in it can be stopped
  build_all "$@" </dev/null >build/built &
  builder=$!
  set +m
  # shellcheck disable=SC2064 # it is gone when the trap is run
  trap "kill -- -$builder 2>/dev/null && wait $builder || true" EXIT
  exec {built}<build/built
  rm build/built
  for step in "$@"; do
    say "waiting for $step: build/$step-build.log"
    read -r status build_took <&"$built" || status=1
    if ((status)); then
      cat "build/$step-build.log"
      say "$step failed"
      return 1
    fi
    began=$SECONDS
    "test_$step"
    took+=("$step: built in $build_took s, tested in $((SECONDS - began)) s")
  done
}

main() {
  local step
  took=()
  wanted=("$@")
  [[ ${1-} != -h && ${1-} != --help ]] || { usage; exit 0; }
  ((${#wanted[@]})) || wanted=("${steps[@]}")
  for step in "${wanted[@]}"; do
    [[ " ${steps[*]} " == *" $step "* ]] || { usage >&2; exit 2; }
  done
  mkdir -p build
  tools/setup.sh tests
  if ((${#wanted[@]} == 1)); then
    "build_${wanted[0]}"
    took+=("built in $SECONDS s")
    "test_${wanted[0]}"
  else
    run_overlapped "${wanted[@]}"
  fi
  say "all passed: ${wanted[*]}"
  printf '%s\n' "${took[@]}"
}

main "$@"
