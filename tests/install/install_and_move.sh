#!/usr/bin/env bash
# Installs into one folder and moves it to PREFIX: installed files must not depend on the folder.
set -euo pipefail
rm -rf "$PREFIX" "$PREFIX.first"
cmake --install "$BUILD_DIR" --prefix "$PREFIX.first" >"$WORK_DIR/install.log" || { cat "$WORK_DIR/install.log"; exit 1; }
mv "$PREFIX.first" "$PREFIX"
