#!/usr/bin/env bash
# Checks that the Debian packages contain all files in the right places. Exit status 77 without dpkg-dev.
set -euo pipefail
command -v dpkg-shlibdeps >/dev/null || exit 77
readonly out=$WORK_DIR/packages
rm -rf "$out"
cpack --config "$BUILD_DIR/CPackConfig.cmake" -G DEB -B "$out" >"$WORK_DIR/cpack.log" 2>&1 ||
  { cat "$WORK_DIR/cpack.log"; exit 1; }
failed=0

fail() { printf '%s\n' "$1"; failed=1; }
# has PACKAGE PATH...
has() {
  local package=$1 files path
  files=$(dpkg-deb -c "$out/$package"_*.deb | awk '{print $6}')
  shift
  for path in "$@"; do grep -qx "\./$path" <<<"$files" || fail "$package has no $path"; done
}
# field PACKAGE FIELD PATTERN
field() {
  [[ $(dpkg-deb -f "$out/$1"_*.deb "$2") =~ $3 ]] || fail "$1: $2 has no $3"
}

has tandem usr/bin/tandem usr/bin/tandem-mock-server etc/tandem/serve.env \
  usr/lib/systemd/system/tandem.service usr/share/man/man1/tandem{,-serve}.1.gz \
  usr/share/bash-completion/completions/tandem usr/share/zsh/site-functions/_tandem \
  usr/share/fish/vendor_completions.d/tandem.fish
has libtandem-dev usr/include/tandem/tandem.hpp 'usr/lib/.*libtandem.a' \
  'usr/lib/.*cmake/tandem/tandemConfig.cmake' 'usr/lib/.*pkgconfig/tandem.pc'
for package in tandem libtandem-dev; do
  has "$package" "usr/share/doc/$package/copyright" "usr/share/doc/$package/changelog.gz"
done
if command -v lintian >/dev/null; then
  # A maintainer with a valid mail address is required only for packages for others.
  lintian --allow-root --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
    "$out"/*.deb || fail 'lintian finds errors'
fi
field tandem Depends 'libcurl[0-9a-z]+ \(>='
field libtandem-dev Depends libspdlog-dev
for package in tandem libtandem-dev; do field "$package" Description '^LLM stage of a voice bot'; done
# grep -q ends at the first match; in a pipe, tar would then occasionally fail with SIGPIPE.
unit=$(dpkg-deb --fsys-tarfile "$out"/tandem_*.deb | tar -xO ./usr/lib/systemd/system/tandem.service)
grep -q '^ExecStart=/usr/bin/tandem serve' <<<"$unit" || fail 'the unit does not start /usr/bin/tandem'
exit "$failed"
