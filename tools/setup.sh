#!/usr/bin/env bash
# Installs what building and testing tandem needs. See usage().
set -euo pipefail

readonly build_packages=(
  g++ cmake ninja-build libcurl4-openssl-dev nlohmann-json3-dev libfmt-dev libspdlog-dev
  libboost-dev libcli11-dev libssl-dev libsndfile1-dev libedit-dev prometheus-cpp-dev
  help2man ca-certificates libhiredis-dev
  debian-archive-keyring)
readonly cluster_packages=(redis-server haproxy python3-websockets)
readonly test_packages=(
  libgtest-dev libgmock-dev libicu-dev libbenchmark-dev openssl clang lld llvm doxygen
  "${cluster_packages[@]}"
  python3-aiohttp python3-httpx python3-pip python3-setuptools python3-wheel
  python3-yaml yamllint mypy node-typescript curl espeak-ng
  git make pkg-config man-db mandoc zsh fish dpkg-dev file lintian)

usage() {
  cat <<'END'
Usage: tools/setup.sh build|cluster|tests

  tools/setup.sh tests

Installs the packages that are missing for building (build), also for the quick start of several
gateways (cluster), or also for testing (tests), with apt-get: Debian 12 and 13, Ubuntu 24.04. Uses sudo unless run as root.
Does nothing, at once, where all are there. Exit status: 0 all there, 1 not, 2 wrong use.
END
}

say() { printf 'setup.sh: %s\n' "$*"; }

missing_of() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s\n' "$package"
  done
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Since Debian 12, libFuzzer and clang's sanitizers are in a separate package.
clang_runtime() {
  local version
  version=$(clang --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
  [[ -z $version ]] || printf 'libclang-rt-%s-dev\n' "$version"
}

# Packages for the tests with OpenAI's client and the page. Debian's npm fits only Debian's node.
# Ubuntu has no Chromium package.
browser_packages() {
  command -v node >/dev/null || printf 'nodejs\n'
  command -v npm >/dev/null || printf 'npm\n'
  ! grep -qx 'ID=debian' /etc/os-release || printf 'chromium-headless-shell\n'
}

# tools/lint.sh requires this version, which Debian 12 provides.
lint_packages() {
  printf 'shellcheck\n'
  ! grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release || printf 'clang-format-14\nclang-tidy-14\n'
}

install() {
  local missing
  mapfile -t missing < <(missing_of "$@")
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    say "there is no apt-get here; install by hand what these Debian packages hold: ${missing[*]}" >&2
    return 1
  fi
  say "installing ${missing[*]}"
  as_root apt-get update -q -o Acquire::Retries=3 >/dev/null ||
    say "apt-get update failed; trying with the lists that are there" >&2
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null || {
    say "apt-get cannot install ${missing[*]}" >&2
    return 1
  }
}

main() {
  case ${1-} in
    build) install "${build_packages[@]}" ;;
    cluster) install "${build_packages[@]}" "${cluster_packages[@]}" ;;
    tests)
      install "${build_packages[@]}" "${test_packages[@]}"
      mapfile -t more < <(clang_runtime && browser_packages && lint_packages)
      install "${more[@]}"
      ;;
    -h | --help) usage ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
}

main "$@"
