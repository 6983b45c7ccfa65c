#!/usr/bin/env bash
# Compares the cost of a reply for tandem, curl, a service in Python and OpenAI's client: see compare.py.
#   tests/bench/compare.sh [ROUNDS [SENTENCES]]
# BUILD is the folder of a release build (build/release). The script fetches a llama-server and installs
# the npm package in BUILD if they are missing. It reports on stderr which parts it leaves out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "${BUILD:-build/release}")
readonly build

export TANDEM_COMMAND=$build/tools/tandem
export TANDEM_MOCK_SERVER=$build/mock_server/tandem-mock-server
for program in "$TANDEM_COMMAND" "$TANDEM_MOCK_SERVER"; do
  [[ -x $program ]] && continue
  echo "$program is missing: cmake --preset release && cmake --build --preset release" >&2
  exit 1
done

left_out() { echo "compare.sh: $1 is left out: $2" >&2; }

if server=$(tools/llama-server.sh fetch); then
  printf -v TANDEM_LLAMA_SERVER '%q ' "$server" -m "$PWD/tests/model/talk.gguf" \
    --parallel 2 -c 4096 -t 1 --host 127.0.0.1
  export TANDEM_LLAMA_SERVER
else
  left_out "the real server" "it cannot be had"
fi
if command -v npm >/dev/null && [[ -e $build/tests/openai/package-lock.json ]] &&
  cmake -DNPM=npm -DFOLDER="$build/tests/openai" -P tests/npm_packages.cmake >/dev/null &&
  [[ -d $build/tests/openai/node_modules/openai ]]; then
  export TANDEM_OPENAI=$build/tests/openai
else
  left_out openai "npm is missing, or its registry"
fi
/usr/bin/python3 -c 'import httpx' 2>/dev/null || left_out python "python3-httpx is missing"
exec /usr/bin/python3 -B tests/bench/compare.py "$@"
