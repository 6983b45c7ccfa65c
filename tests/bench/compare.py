"""The processor time of one stream at full speed, client by client in turn, on one mock server:

  curl       curl -N into /dev/null: nobody reads the stream for less
  tandem     tandem replay --json
  python     peers/paced_service.py, on python3-httpx; left out where that is missing

  compare.py [ROUNDS [SENTENCES]]

All ask for the same stream: the body that curl and python send is the one that tandem has sent.
TANDEM_COMMAND and TANDEM_MOCK_SERVER in the environment are the two programs. Prints JSON: medians
of microseconds a token with their spread, and of the ratios to curl of the same round. The time of
a client that does nothing but start is part of it.
"""

import contextlib
import http.server
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.request

SENTENCE = "All is quite well in the old town here. "
QUESTION = "Tell me."
HERE = os.path.dirname(os.path.abspath(__file__))


def start_mock(stack, folder, sentences):
    """Its URL; it answers with so many sentences."""
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


def replay(url):
    command = [os.environ["TANDEM_COMMAND"], "replay", "--url", url, "--proxy", "none", "--json"]
    command += ["--pacing", "stream", "--held-chunks-max", "1024", "--reuse-guard", "0"]
    return command + ["--temperature", "0", "--max-tokens", "0", "--user", QUESTION]


class Listener(http.server.BaseHTTPRequestHandler):
    """Passes on what tandem asks, and keeps the body of its first completion."""

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
        with contextlib.suppress(ConnectionError):  # a cut
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

    def log_message(self, *_):
        pass


def body_of_tandem(url):
    """What tandem sends for this stream."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        server.upstream = url
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        subprocess.run(replay(here), check=True, stdout=subprocess.DEVNULL)
        server.shutdown()
    return Listener.body


def seconds_of(command):
    """Of user and system."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with {process.returncode}")
    return used.ru_utime + used.ru_stime


def clients_for(url, body_file):
    curl = ["curl", "-sN", "--fail", "--noproxy", "*", url + "/completion"]
    curl += ["-H", "Content-Type: application/json", "-d", "@" + body_file]
    clients = {"curl": curl, "tandem": replay(url)}
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    peer = [python, "-B", os.path.join(HERE, "peers", "paced_service.py"), url, body_file]
    if subprocess.run([python, "-c", "import httpx"], stderr=subprocess.DEVNULL).returncode == 0:
        clients["python"] = peer
    return clients


def tokens_of(curl):
    told = subprocess.run(curl, check=True, capture_output=True, text=True).stdout
    events = [json.loads(line[6:]) for line in told.splitlines() if line.startswith("data: ")]
    return events[-1]["tokens_predicted"]


def figures(rounds, tokens):
    def spread(values):
        ordered = sorted(values)
        return {
            "median": round(statistics.median(ordered), 3),
            "least": round(ordered[0], 3),
            "most": round(ordered[-1], 3),
        }

    told = {"tokens": tokens, "rounds": len(rounds)}
    for name in rounds[0]:
        told[name] = {
            "us_per_token": spread(r[name] * 1e6 / tokens for r in rounds),
            "ratio_to_curl": spread(r[name] / r["curl"] for r in rounds),
        }
    if "python" in rounds[0]:
        told["python"]["ratio_to_tandem"] = spread(r["python"] / r["tandem"] for r in rounds)
    return told


def main(rounds=11, sentences=3000):
    if not shutil.which("curl"):
        print("SKIPPED: curl is missing; tools/setup.sh tests installs it")
        sys.exit(77)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url = start_mock(stack, folder, int(sentences))
        body_file = os.path.join(folder, "body.json")
        with open(body_file, "wb") as file:
            file.write(body_of_tandem(url))
        clients = clients_for(url, body_file)
        tokens = tokens_of(clients["curl"])
        measured = [
            {name: seconds_of(command) for name, command in clients.items()}
            for _ in range(int(rounds))
        ]
        print(json.dumps(figures(measured, tokens), indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
