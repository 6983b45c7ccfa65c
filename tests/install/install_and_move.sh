#!/usr/bin/env bash
# Installs into one folder and moves it to PREFIX: what is installed must not depend on where it was.
set -euo pipefail
rm -rf "$PREFIX" "$PREFIX.first"
cmake --install "$BUILD_DIR" --prefix "$PREFIX.first" >"$WORK_DIR/install.log" || { cat "$WORK_DIR/install.log"; exit 1; }
mv "$PREFIX.first" "$PREFIX"
