#!/usr/bin/env bash
# Trains tests/model/talk.gguf again from dialogues.jsonl, and checks it. See usage().
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here tools=$here/../../tools
# Debian's Python. Another python3 earlier in PATH would not find Debian's packages.
readonly python=/usr/bin/python3
# Without libopenblas0-pthread, PyTorch multiplies matrices ten times slower.
readonly packages=(python3-torch python3-numpy python3-regex libopenblas0-pthread)

usage() {
  cat <<'END'
Usage: tests/model/make_model.sh [TRAIN_OPTION]...

Trains the talk model, writes tests/model/talk.gguf, and checks it on a llama-server.
Options go to train.py (--steps, --seed, --threads ...). README.md says how long it takes.

Needs Debian 12 or later with python3-torch, python3-numpy, python3-regex and
libopenblas0-pthread; they are installed if missing (as root). python3-gguf, which
writes the file, is unpacked from Debian testing into build/python3-gguf.
END
}

install_packages() {
  dpkg -s "${packages[@]}" >/dev/null 2>&1 && return
  apt-get install --yes --no-install-recommends "${packages[@]}"
}

find_gguf() {
  local dir=$here/../../build/python3-gguf
  [[ -d $dir ]] || "$tools/debian-testing.sh" --alone "$dir" python3-gguf
  export PYTHONPATH=$dir/usr/lib/python3/dist-packages
}

main() {
  [[ ${1-} != --help ]] || { usage; exit; }
  install_packages
  find_gguf
  export PYTHONDONTWRITEBYTECODE=1
  nice "$python" "$here/train.py" --out "$here/talk.gguf" "$@"
  "$python" "$here/check.py" --tokens --cuts
}

main "$@"
