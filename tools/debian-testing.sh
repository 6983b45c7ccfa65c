#!/usr/bin/env bash
# Unpacks packages of Debian testing into a folder. See usage().
set -euo pipefail

readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg
readonly mirror=${TANDEM_DEBIAN_MIRROR:-http://deb.debian.org/debian}
readonly cannot_be_had=3

usage() {
  cat <<'END'
Usage: tools/debian-testing.sh [--alone] DIR PACKAGE...

Unpacks the packages and all they depend on, libc included, into the new folder DIR.
With --alone: the named packages only.

apt resolves and checks the signatures, in a private root with its own sources, lists
and an empty list of installed packages. The system's own apt is neither read nor
changed, but for its Acquire settings (proxy and the like). Needs no root rights.
DIR/packages.txt lists what was unpacked.

Environment:
  TANDEM_DEBIAN_MIRROR   the mirror; http://deb.debian.org/debian if unset

Exit status: 0 done, 2 wrong use, 3 the packages cannot be had here.
END
}

say() { printf 'debian-testing.sh: %s\n' "$*" >&2; }

give_up() {
  say "$@"
  exit "$cannot_be_had"
}

wrong_use() {
  usage >&2
  exit 2
}

check_tools() {
  local tool
  for tool in apt-get apt-config dpkg dpkg-deb; do
    command -v "$tool" >/dev/null || give_up "$tool is missing: only Debian and its relatives are served"
  done
  [[ -r $keyring ]] || give_up "$keyring is missing: install the package debian-archive-keyring"
}

make_apt_root() {
  mkdir -p "$apt_root"/etc/{apt.conf.d,preferences.d,sources.list.d} \
    "$apt_root"/{state/lists,cache/archives}/partial
  : >"$apt_root/status"
  printf 'deb [signed-by=%s] %s testing main\n' "$keyring" "$mirror" >"$apt_root/etc/sources.list"
  write_apt_conf >"$apt_root/apt.conf"
  export APT_CONFIG=$apt_root/apt.conf
}

# Keeps the machine's own Acquire settings, which may be needed to reach a mirror.
write_apt_conf() {
  APT_CONFIG='' apt-config dump | grep '^Acquire::' || true
  cat <<END
Dir "$apt_root";
Dir::Etc "$apt_root/etc";
Dir::State "$apt_root/state";
Dir::State::status "$apt_root/status";
Dir::Cache "$apt_root/cache";
APT::Architecture "$(dpkg --print-architecture)";
APT::Architectures { "$(dpkg --print-architecture)"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "2";
END
}

# Shows apt's output only if it fails.
quietly() {
  "$@" >"$apt_root/log" 2>&1 && return
  cat "$apt_root/log" >&2
  give_up "failed: $*"
}

download() {
  quietly apt-get update
  if [[ $alone == yes ]]; then
    (cd "$apt_root/cache/archives" && quietly apt-get download "$@")
  else
    quietly apt-get install --yes --download-only "$@"
  fi
}

unpack() {
  local deb
  # The format string is for dpkg-deb, not for the shell.
  # shellcheck disable=SC2016
  for deb in "$apt_root"/cache/archives/*.deb; do
    dpkg-deb -x "$deb" "$part"
    dpkg-deb -W --showformat '${Package} ${Version}\n' "$deb" >>"$part/packages.txt"
  done
}

main() {
  alone=no
  case ${1-} in
    -h | --help) usage; exit ;;
    --alone) alone=yes; shift ;;
  esac
  (($# >= 2)) || wrong_use
  local dir=$1
  shift
  check_tools
  mkdir -p "$(dirname "$dir")"
  apt_root=$(mktemp -d)
  part=$(mktemp -d "$dir.part.XXXXXX")
  trap 'rm -rf "$apt_root" "$part"' EXIT
  make_apt_root
  download "$@"
  unpack
  chmod 755 "$part"
  # Renames the folder only when it is complete, so that an existing folder is always complete.
  mv -T "$part" "$dir"
}

main "$@"
