"""Compares the processor time of clients. In each round, they read the same text from one server in turn:

  curl       curl -N into /dev/null, the cheapest way to read the stream
  tandem     tandem replay --json
  python     peers/paced_service.py with python3-httpx; left out if httpx is missing
  openai     peers/openai_stream.cjs with the npm package, only with a real server; left out if the
             package is missing

  compare.py [ROUNDS [SENTENCES]]      compare.sh prepares the environment, and calls this program

Four scenes: `start` is the wall-clock time in milliseconds from the start of tandem to its first
request on the wire; `stream` is one uncut stream of a mock server that sends as fast as it can; `cut`
uses the same server, with the connection closed at the end of each sentence; `real` is 40 uncut
streams of a real llama-server, one after the other. Each client runs twice in each round, once with
much to read and once with almost nothing. The second run is its `start_ms`, and the difference is the
cost of reading. All clients send the same body as tandem; openai sends it to /v1/completions. The
program checks once that all clients read the same text.

The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
TANDEM_LLAMA_SERVER is the command that starts a real server; without it, the scene `real` is left out.
TANDEM_OPENAI is a folder with the package `openai`. Prints JSON: medians with their spread, for the
times and for the ratios within a round.
"""

import contextlib
import http.server
import json
import os
import re
import shlex
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

SENTENCE = "All is quite well in the old town here. "
QUESTION = "Tell me."
HERE = os.path.dirname(os.path.abspath(__file__))
REAL_REPLIES = 41  # about 70 tokens each; the short run has one of them


def start_mock(stack, folder, sentences):
    """Returns the URL of a mock server that answers with this number of sentences."""
    dialogue = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": SENTENCE * sentences},
    ]
    path = os.path.join(folder, "dialogues.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        print(json.dumps({"id": "long", "messages": dialogue}), file=file)
    command = [os.environ["TANDEM_MOCK_SERVER"], "--dialogues", path, "--ctx-size", "2000000"]
    mock = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    stack.callback(mock.terminate)
    return re.search(r"http://\S+", mock.stdout.readline()).group()


def start_real(stack):
    """Returns the URL of a real server after it has loaded its model."""
    with http.server.HTTPServer(("127.0.0.1", 0), None) as free:
        port = free.server_port
    command = shlex.split(os.environ["TANDEM_LLAMA_SERVER"]) + ["--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = stack.enter_context(subprocess.Popen(command, **quiet))
    stack.callback(server.terminate)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(url + "/health").close()
            return url
        time.sleep(0.1)
    sys.exit(f"{command[0]} did not begin to serve within a minute")


def replay(url, pacing="stream", question=QUESTION, times=1, tokens=0):
    command = [os.environ["TANDEM_COMMAND"], "replay", "--url", url, "--proxy", "none", "--json"]
    command += ["--pacing", pacing, "--held-chunks-max", "1024", "--reuse-guard", "0"]
    command += ["--temperature", "0", "--max-tokens", str(tokens)]
    return command + ["--user", question] * times


class Listener(http.server.BaseHTTPRequestHandler):
    """Forwards the requests of tandem, and stores the body of the first completion request."""

    body = None

    def do_GET(self):
        self._pass_on(None)

    def do_POST(self):
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/completion":
            Listener.body = Listener.body or asked
        self._pass_on(asked)

    def _pass_on(self, asked):
        with urllib.request.urlopen(self.server.upstream + self.path, asked) as answer:
            told = answer.read()
        with contextlib.suppress(ConnectionError):  # tandem cuts the connection
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

    def log_message(self, *_):
        pass


def body_of(command_for, url):
    """Runs tandem as `command_for` specifies, and returns the body of its first completion request."""
    Listener.body = None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        server.upstream = url
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        subprocess.run(command_for(here), check=True, stdout=subprocess.DEVNULL)
        server.shutdown()
    return Listener.body


def seconds_of(command):
    """Returns the user and system time of the command."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with {process.returncode}")
    return used.ru_utime + used.ru_stime


def curl(url, body_file, times=1):
    command = ["curl", "-sN", "--fail-early", "--fail", "--noproxy", "*"] + [url + "/completion"] * times
    return command + ["-H", "Content-Type: application/json", "-d", "@" + body_file]


def python(url, body_file, *mode):
    """Returns None if python3-httpx is missing."""
    program = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    has_httpx = subprocess.run([program, "-c", "import httpx"], stderr=subprocess.DEVNULL)
    peer = os.path.join(HERE, "peers", "paced_service.py")
    return None if has_httpx.returncode else [program, "-B", peer, url, body_file, *mode]


def openai(url, body_file, times):
    """Returns None if node or the package is missing."""
    packages, node = os.environ.get("TANDEM_OPENAI"), shutil.which("node")
    peer = os.path.join(HERE, "peers", "openai_stream.cjs")
    return [node, peer, packages, url, body_file, str(times)] if packages and node else None


def told_by(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def events_of(curl_command):
    return [json.loads(line[6:]) for line in told_by(curl_command) if line.startswith("data: ")]


def tokens_of(curl_command):
    """Returns the number of tokens that the curl command receives."""
    return sum(e["tokens_predicted"] for e in events_of(curl_command) if e["stop"])


def text_read_by(name, command):
    if name == "curl":
        return "".join(event["content"] for event in events_of(command))
    lines = [json.loads(line) for line in told_by(command)]
    return "".join(line.get("text", "") for line in lines if line.get("event", "chunk") == "chunk")


def spread(values, digits=3):
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), digits),
        "least": round(ordered[0], digits),
        "most": round(ordered[-1], digits),
    }


def measure(clients, rounds, unit, count):
    """Returns the results by client. Each client has two commands; the first one reads `count` units
    more than the second one."""
    clients = {name: both for name, both in clients.items() if both[0]}
    texts = {name: text_read_by(name, much) for name, (much, _) in clients.items()}
    for name, text in texts.items():
        if text != texts["tandem"]:
            sys.exit(f"{name} read {len(text)} characters, tandem {len(texts['tandem'])}, not the same")
    runs = [one_round(clients, turn) for turn in range(rounds)]
    told = {f"{unit}s": count, "rounds": rounds}
    for name in clients:
        told[name] = {
            f"us_per_{unit}": spread((r[name][0] - r[name][1]) * 1e6 / count for r in runs),
            "start_ms": spread(r[name][1] * 1e3 for r in runs),
        }
        for other in ("curl", "tandem"):
            if other in clients and other != name:
                ratios = ((r[name][0] - r[name][1]) / (r[other][0] - r[other][1]) for r in runs)
                told[name][f"ratio_to_{other}"] = spread(ratios)
    return told


def one_round(clients, turn):
    """Runs all clients once. Each round begins with a different client."""
    names = list(clients)
    names = names[turn % len(names) :] + names[: turn % len(names)]
    return {name: [seconds_of(command) for command in clients[name]] for name in names}


def written(folder, name, body):
    path = os.path.join(folder, name + ".json")
    with open(path, "wb") as file:
        file.write(body)
    return path


def of_one_token(body):
    return json.dumps({**json.loads(body), "n_predict": 1}).encode()


def first_request_after(listener):
    """Returns the milliseconds from the start of tandem to its first request."""
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    began = time.monotonic()
    with subprocess.Popen(replay(url) + ["--retries", "0"], **quiet) as tandem:
        connection, _ = listener.accept()
        connection.recv(1)
        took = time.monotonic() - began
        tandem.kill()
        connection.close()
    return took * 1000


def scene_of_starts(rounds):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        first_request_after(listener)
        return {"starts": rounds, "ms": spread(first_request_after(listener) for _ in range(rounds))}


def scene_of_a_stream(folder, rounds, sentences):
    with contextlib.ExitStack() as stack:
        url = start_mock(stack, folder, sentences)
        body = body_of(replay, url)
        short, body = written(folder, "one", of_one_token(body)), written(folder, "all", body)
        clients = {
            "curl": (curl(url, body), curl(url, short)),
            "tandem": (replay(url), replay(url, tokens=1)),
            "python": (python(url, body), python(url, short)),
        }
        return measure(clients, rounds, "token", tokens_of(clients["curl"][0]) - 1)


def scene_of_cuts(folder, rounds, sentences):
    with contextlib.ExitStack() as stack:
        url = start_mock(stack, folder, sentences)
        body = body_of(lambda here: replay(here, "strict"), url)
        short, body = written(folder, "one", of_one_token(body)), written(folder, "all", body)
        clients = {
            "tandem": (replay(url, "strict"), replay(url, "strict", tokens=1)),
            "python": (python(url, body, "cut"), python(url, short, "cut")),
        }
        return measure(clients, rounds, "chunk", sentences - 1)


def scene_of_a_real_server(folder, rounds):
    with contextlib.ExitStack() as stack:
        url = start_real(stack)
        question = "Tell me a story."
        body = body_of(lambda here: replay(here, question=question), url)
        body = written(folder, "real", body)
        ways = {
            "curl": lambda times: curl(url, body, times),
            "tandem": lambda times: replay(url, question=question, times=times),
            "python": lambda times: python(url, body, "uncut", str(times)),
            "openai": lambda times: openai(url, body, times),
        }
        clients = {name: (ask(REAL_REPLIES), ask(1)) for name, ask in ways.items()}
        return measure(clients, rounds, "token", tokens_of(curl(url, body, REAL_REPLIES - 1)))


def main(rounds=11, sentences=3000):
    if not shutil.which("curl"):
        print("SKIPPED: curl is missing; tools/setup.sh tests installs it")
        sys.exit(77)
    rounds, sentences = int(rounds), int(sentences)
    with tempfile.TemporaryDirectory() as folder:
        told = {
            "start": scene_of_starts(2 * rounds + 1),
            "stream": scene_of_a_stream(folder, rounds, sentences),
            "cut": scene_of_cuts(folder, rounds, min(sentences, 100)),
        }
        if "TANDEM_LLAMA_SERVER" in os.environ:
            told["real"] = scene_of_a_real_server(folder, rounds)
        print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
