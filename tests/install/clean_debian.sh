#!/usr/bin/env bash
# Installs the Debian packages on a clean Debian 12, and uses them there. See usage().
set -euo pipefail

readonly mirror=${TANDEM_DEBIAN_MIRROR:-http://deb.debian.org/debian}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

usage() {
  cat <<'END'
Usage: tests/install/clean_debian.sh PACKAGES FOLDER

  sudo tests/install/clean_debian.sh build/package/packages /var/tmp/clean

Makes a minimal Debian 12 in FOLDER with debootstrap, where there is none yet, and installs the
.deb files of the folder PACKAGES in a copy of it. There a reply is replayed from the mock server, a
bot is built with CMake and with pkg-config, and the packages are taken away again. Tells how long
each step took. Needs root, debootstrap and the network. Exit status: 0 all went well.
END
}

# Runs a step and prints its duration. Any failing command ends the step: "set -e" would have no effect
# if the line that runs the step tested its status.
step() {
  local name=$1 started=${EPOCHREALTIME/./} spent status
  shift
  set +e
  (set -e; "$@") >"$log" 2>&1
  status=$?
  set -e
  [[ $status == 0 ]] || { cat "$log"; printf 'FAILED: %s\n' "$name"; return 1; }
  spent=$(((${EPOCHREALTIME/./} - started) / 100000))
  printf '%4d.%d s  %s\n' $((spent / 10)) $((spent % 10)) "$name"
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

make_system() {
  [[ -f $base/etc/debian_version ]] || debootstrap --variant=minbase bookworm "$base" "$mirror"
}
leave_system() { ! mountpoint -q "$root/proc" || umount "$root/proc"; }
copy_system() {
  leave_system  # the previous run may have been killed
  rm -rf "$root"
  cp -a "$base" "$root"
  cp -r "$packages"/*.deb "$here/../model/dialogues.jsonl" "$root/root/"
  cp -r "$here" "$root/root/tests"
  mount -t proc proc "$root/proc"
}
install_command() { inside sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends /root/tandem_*.deb'; }
install_library() { inside sh -c 'apt-get install -y -q --no-install-recommends /root/libtandem-dev_*.deb'; }
install_tools() { inside apt-get install -y -q --no-install-recommends g++ make cmake pkg-config; }

# Runs a program against the packaged mock server.
with_mock_server() {
  inside bash -c 'set -euo pipefail
    coproc server { exec tandem-mock-server --port 0 --dialogues /root/dialogues.jsonl; }
    trap "kill $server_PID" EXIT
    read -r -t 120 line <&"${server[0]}"
    url=${line#listening on }; '"$1"
}
version() { inside tandem --version; }
replay() { with_mock_server 'tandem replay --url "$url" --reuse-guard 0 --user "Are you open on Sundays?" | grep -F "Yes."'; }
with_cmake() {
  inside sh -c 'cmake -S /root/tests/find_package -B /root/bot && cmake --build /root/bot'
  with_mock_server 'said=$(/root/bot/bot "$url"); [[ $said == Yes. ]]'
}
with_pkg_config() {
  inside make -C /root/tests/pkg_config OUT=/root/made-
  with_mock_server 'said=$(/root/made-bot "$url"); [[ $said == Yes. ]]'
}
complete_words() {
  inside bash -c 'source /usr/share/bash-completion/completions/tandem
    COMP_WORDS=(tandem replay --color a) COMP_CWORD=3; _tandem; [[ ${COMPREPLY[*]} == "auto always" ]]'
}
files_of_packages() { inside sh -c 'test -f /etc/tandem/serve.env && test -f /lib/systemd/system/tandem.service && test -f /usr/share/man/man1/tandem-serve.1.gz'; }
remove() {
  inside apt-get purge -y -q tandem libtandem-dev
  inside sh -c '! test -e /etc/tandem && ! test -e /usr/include/tandem && ! test -e /usr/bin/tandem'
}

main() {
  [[ $# == 2 ]] || { usage >&2; exit 2; }
  packages=$(cd "$1" && pwd) base=$2/base root=$2/system log=$2/step.log
  mkdir -p "$2"
  trap leave_system EXIT
  step 'a minimal Debian 12 (debootstrap)' make_system
  step 'a copy of it' copy_system
  step 'apt-get install tandem' install_command
  step 'tandem --version' version
  step 'a reply from the mock server' replay
  step 'completion in bash' complete_words
  step 'unit, settings and pages are there' files_of_packages
  step 'apt-get install libtandem-dev' install_library
  step 'apt-get install g++ make cmake pkg-config' install_tools
  step 'a bot built with find_package' with_cmake
  step 'a bot built with pkg-config' with_pkg_config
  step 'apt-get purge' remove
}

main "$@"
