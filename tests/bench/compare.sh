#!/usr/bin/env bash
# Compares what a reply costs tandem, curl, a service in Python and OpenAI's client: see compare.py.
#   tests/bench/compare.sh [ROUNDS [SENTENCES]]
# BUILD is the folder of a release build (build/release); what is missing to compare with is fetched
# (a llama-server) or installed there (the npm package), or left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly build=$PWD/${BUILD:-build/release}

export TANDEM_COMMAND=$build/tools/tandem
export TANDEM_MOCK_SERVER=$build/mock_server/tandem-mock-server
for program in "$TANDEM_COMMAND" "$TANDEM_MOCK_SERVER"; do
  [[ -x $program ]] || { echo "$program is missing: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
done

if server=$(tools/llama-server.sh fetch); then
  export TANDEM_LLAMA_SERVER="$server -m $PWD/tests/model/talk.gguf --parallel 2 -c 4096 -t 1 --host 127.0.0.1"
fi
if command -v npm >/dev/null; then
  cmake -DNPM=npm -DFOLDER="$build/tests/openai" -P tests/npm_packages.cmake >/dev/null &&
    export TANDEM_OPENAI=$build/tests/openai
fi
exec /usr/bin/python3 -B tests/bench/compare.py "$@"
