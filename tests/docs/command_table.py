"""Exceptions that commands_test.py makes for the docs. An entry that no page contains is a fault."""

# The beginnings of paragraphs in blocks, and of code within sentences, that are not commands.
OTHER = {
    ("README.md", "build/quickstart/tools"),  # a folder
    ("docs/architecture.md", "prompt ─►"),
    ("docs/capacity.md", "callers ≤"),
    ("docs/chat.md", "> Tell me a bedtime story."),
    ("docs/chat.md", '[{"type": "function"'),
    ("docs/chat.md", "One moment, I'll look that up."),  # what the talk model says
    ("docs/configuration.md", "openssl rehash"),
    ("docs/conversations.md", "generated     In Paris"),
    ("docs/conversations.md", '{"id": "table"'),
    ("docs/conversations.md", '{"turns": ["What time'),
    ("docs/doctor.md", "tandem doctor  http"),  # the first line of its output
    ("docs/eager.md", 'user        "Do you have'),  # a drawing
    ("docs/gateway.md", "listening on"),
    ("docs/gateway-operation.md", "request req-"),
    ("docs/install.md", "cmake --install"),
    ("docs/voice-websocket.md", "→ "),
    ("docs/voice-websocket.md", "✗ "),
}

# Commands that are not run here: the reason, and the ctest or script that runs the same, if any.
PACKAGES = "needs root, and a machine to install on; what is in the packages is tested"
SYSTEMD = "needs systemd as init; the unit is tested by systemd's own programs"
EXAMPLE = "names a server that is not there"
CONTAINERS = "needs Docker; the files are tested"
REAL = "needs a real llama-server"
BY_HAND = "run by hand after a framework's release, with its sources, as the page says"
NOT_RUN = {
    "./tools/quickstart.sh": ("builds everything, and fetches a server", None),
    "tools/quickstart.sh --cluster": ("builds everything, and fetches a server", None),
    "./tools/test.sh": ("runs this test", "tools/test.sh"),
    "tools/test.sh lint": ("minutes of clang-tidy", "tools/test.sh"),
    "tools/lint.sh tidy src/text/chunks/chunker.cpp": ("minutes of clang-tidy", "tools/test.sh"),
    "tools/setup.sh tests": ("installs packages", "tools/test.sh"),
    "tools/setup.sh build": ("installs packages", "tools/quickstart.sh"),
    "sudo cmake --install build/release --strip": ("installs", "install.prefix"),
    "sudo cmake --install build/quickstart --strip": ("installs", "install.prefix"),
    "sudo xargs rm <build/release/install_manifest.txt": ("needs what the line before it installs", None),
    "g++ -std=c++20 bot.cpp $(pkg-config --cflags --libs tandem)": ("needs an installed tandem", "install.pkg_config"),
    "pkg-config --cflags --libs tandem": ("needs an installed tandem", "install.pkg_config"),
    "cmake -B build -DCMAKE_PREFIX_PATH=FOLDER": ("needs an installed tandem", "install.find_package"),
    "man tandem-serve": ("needs an installed tandem", "install.man_pages"),
    "cpack --config build/package/CPackConfig.cmake -G DEB -B build/package/packages": (
        "packs a build of its own", "install.packages"),
    "pip install tools/python": ("installs", "integrations.wheel"),
    "python3 tools/npm/pack.py docs/voice.asyncapi.yaml .": ("writes into the folder", "npm.voice"),
    "npm install ./tandem-voice-0.1.0.tgz": ("installs what the command before it writes", "npm.voice"),
    "curl -X POST http://127.0.0.1:8090/admin/servers/10.0.0.5:8080/drain": (EXAMPLE,
        "gateway.gateway_of_two_servers.sends_no_turns_to_a_drained_one_until_that_is_undone"),
    "tandem cluster sessions --cluster redis://valkey:6379": (EXAMPLE,
        "cluster.session_scripts.let_the_command_show_all_sessions_but_no_whole_id"),
    "tandem cluster drain http://llama:8080 --cluster redis://valkey:6379": (EXAMPLE,
        "cluster.cluster_of_gateways.drains_a_server_by_command"),
    "docker build -f docs/deploy/Containerfile -t tandem .": (CONTAINERS, "docs.deploy"),
    "docker run --rm tandem key --name bot": (CONTAINERS, "docs.deploy"),
    "docker compose -f docs/deploy/compose.yaml up": (CONTAINERS, "docs.deploy"),
    "apt-get install espeak-ng alsa-utils": ("installs packages; Debian's own", None),
    "sudo apt-get install dpkg-dev file": ("installs packages; Debian's own", None),
    "sudo apt-get install ./build/package/packages/tandem_0.1.0_amd64.deb": (PACKAGES, "install.packages"),
    "sudo tests/install/clean_debian.sh build/package/packages /var/tmp/clean": (
        "makes a Debian system; run by hand before a release", None),
    "sudoedit /etc/tandem/serve.env": ("an editor", "install.service"),
    "sudo systemctl enable --now tandem": (SYSTEMD, "install.service"),
    "sudo systemctl daemon-reload": (SYSTEMD, "install.service"),
    "systemctl restart tandem": (SYSTEMD, "install.service"),
    "systemctl reload tandem": (SYSTEMD, "install.service"),
    "systemctl stop tandem": (SYSTEMD, "install.service"),
    "systemctl edit tandem": (SYSTEMD, "install.service"),
    "journalctl -u tandem": (SYSTEMD, None),
    "llama-server -m model.gguf --parallel 4 --ctx-size 32768 --host 127.0.0.1 --port 8080": (REAL, None),
    "tools/llama-server.sh run -- -m tests/model/talk.gguf --parallel 2 -c 8192 -t 1 --port 8080": (
        REAL, "tools/quickstart.sh"),
    "tools/llama-server.sh fetch && ctest --test-dir build/release -L real": (REAL, "tools/test.sh"),
    "build/release/tests/chaos/chaos": (REAL, "tools/test.sh"),
    "cmake --preset asan && cmake --build --preset asan --target fuzz_sse && mkdir -p build/found &&"
    " build/asan/tests/fuzz/fuzz_sse -max_total_time=60 build/found"
    " tests/fuzz/corpus/sse": ("a build of its own", "tools/test.sh"),
    "tests/bench/compare.sh 9 3000": ("takes minutes, and fetches a server", "bench.compare"),
    "tests/bench/growth.py run FILE 5": ("takes minutes", None),
    "tests/bench/call_templates.py FOLDER": ("needs llama.cpp's templates", "bench.call_templates"),
    "tests/integrations/check_interfaces.py --pipecat DIR --livekit DIR": (BY_HAND, None),
    "build/release/tests/bench/gateway_load": ("takes minutes", "bench.gateway_load_plain"),
}

# Commands that run for a shorter time than in the docs.
SMALLER = {
    "build/release/tests/bench/stream_load 1000 50 5 stream": "build/release/tests/bench/stream_load 20 50 2 stream",
    "build/release/tests/bench/channel_load 100": "build/release/tests/bench/channel_load 5",
    "TANDEM_SIMULATION_SEED=123 build/release/tests/simulation/simulation": (
        "TANDEM_SIMULATION_STEPS=20000 TANDEM_SIMULATION_SEED=123 build/release/tests/simulation/simulation"),
}
