#!/usr/bin/env bash
# systemd accepts the unit and rates its security as good. Exit status 77 without systemd.
set -euo pipefail
command -v systemd-analyze >/dev/null || exit 77
readonly most_exposed=15  # tenths of a point of systemd's rating
unit=$WORK_DIR/tandem.service
# Replaces the folder of the installation with the folder to which the files were moved.
sed "s#$PREFIX.first#$PREFIX#g" "$PREFIX/lib/systemd/system/tandem.service" >"$unit"
grep -q "^ExecStart=$PREFIX/bin/tandem serve " "$unit"
warnings=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep tandem.service || true)
[[ -z $warnings ]] || { printf '%s\n' "$warnings"; exit 1; }
# The command line of the unit, as systemd expands it with an empty settings file.
read -r -a serve < <(sed -n 's/^ExecStart=//p' "$unit" | sed "s#\${STATE_DIRECTORY}#$WORK_DIR#; s#\$SERVE_FLAGS##")
timeout 120 "${serve[@]}" --listen 127.0.0.1:0 --model talk >"$WORK_DIR/serve.out" 2>&1 &
for ((i = 0; i < 1000; i++)); do
  grep -q '^listening on ' "$WORK_DIR/serve.out" && break
  read -r -t 0.1 <> <(:) || true
done
kill %1
wait %1 || true
grep -q '^listening on ' "$WORK_DIR/serve.out" || { cat "$WORK_DIR/serve.out"; exit 1; }
systemd-analyze security --offline=true --threshold="$most_exposed" "$unit" |
  tail -n 1
