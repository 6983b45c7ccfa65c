"""Measures what callers notice when gateways of a cluster are killed or restarted: several `tandem
serve --cluster` in front of a mock server, HAProxy in front of them, and callers who hear a story of
thirty sentences again and again with the Python client. Every --every seconds, the next gateway gets
the signal, and is started again. docs/cluster.md contains the results.

  gateway_restarts.py 60 --restarts 100
  gateway_restarts.py 200 --signal TERM --restarts 3

A pause is the time from the end of a chunk's speech to the next chunk of the reply. The environment
variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
Exit status: 1 if a reply failed, or a listener heard another text; 77 without a needed program.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools/python"))
try:
    from tandem_voice import VoiceError, connect
except ImportError:
    print("SKIPPED: python3-websockets is missing; tools/setup.sh tests installs it")
    sys.exit(77)

QUESTION = "Tell me a story."
STORY = " ".join(f"This is sentence {n} of it." for n in range(1, 31))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("callers", type=int)
    parser.add_argument("--gateways", type=int, default=3)
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--speed", type=float, default=60, help="tokens/s of one reply")
    parser.add_argument("--signal", choices=["KILL", "TERM"], default="KILL")
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--every", type=float, default=4, help="seconds between two restarts")
    parser.add_argument("--voice-speed", type=float, default=1, help="times 170 words a minute")
    return parser.parse_args()


class Programs:
    """The store, the server, the gateways and the balancer."""

    def __init__(self, stack, a):
        self._stack, self._folder = stack, Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self._store = f"unix://{self._folder}/store"
        self._run(["redis-server", "--port", "0", "--unixsocket", f"{self._folder}/store", "--save", ""])
        (self._folder / "story.jsonl").write_text(json.dumps({"id": "story", "messages": [
            {"role": "user", "content": QUESTION}, {"role": "assistant", "content": STORY}]}) + "\n")
        mock = [os.environ["TANDEM_MOCK_SERVER"], "--port", "0", "--parallel", str(a.slots)]
        mock += ["--ctx-size", str(4096 * a.slots), "--tokens-per-second", str(a.speed)]
        self._server = self._listen([*mock, "--dialogues", f"{self._folder}/story.jsonl"])[1]
        self.gateways = [self.start_gateway(number, 0) for number in range(a.gateways)]
        self.balancer = self._balance()

    def start_gateway(self, number, port):
        """Returns the process and its port."""
        command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", self._server]
        command += ["--listen", f"127.0.0.1:{port}", "--log-level", "off", "--reuse-guard", "0"]
        command += ["--cluster", self._store, "--gateway-id", f"gateway-{number}"]
        process, url = self._listen(command)
        return process, int(url.rsplit(":", 1)[1])

    def _run(self, command, **options):
        process = self._stack.enter_context(subprocess.Popen(command, **{"stdout": subprocess.DEVNULL, **options}))
        self._stack.callback(process.kill)
        return process

    def _listen(self, command):
        process = self._run(command, stdout=subprocess.PIPE, text=True)
        return process, re.search(r"http://[^\s,]+", process.stdout.readline()).group()

    def _balance(self):
        settings = (Path(__file__).parents[2] / "docs/deploy/haproxy.cfg").read_text().split("resolvers", maxsplit=1)[0]
        port = random.randint(20000, 40000)
        settings += f"listen gateways\n    bind 127.0.0.1:{port}\n    balance leastconn\n"
        settings += "    option httpchk GET /readyz\n    default-server check inter 500ms fall 1 rise 1\n"
        settings += "".join(f"    server g{p} 127.0.0.1:{p}\n" for _, p in self.gateways)
        (self._folder / "haproxy.cfg").write_text(settings)
        self._run(["haproxy", "-db", "-f", f"{self._folder}/haproxy.cfg"], stderr=subprocess.DEVNULL)
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.05)
        return f"http://127.0.0.1:{port}"


class Figures:
    def __init__(self):
        self.right = self.wrong = 0
        self.failed = []
        self.pauses = []  # pairs of begin and end
        self.restarts = []  # pairs of the signal's time and the process's end


async def hear(url, a, figures):
    """Hears the story once."""
    heard, spoken_at = "", None
    async with connect(url) as session:
        async for chunk in session.ask(QUESTION):
            if spoken_at:
                figures.pauses.append((spoken_at, time.monotonic()))
            heard += chunk.text
            await asyncio.sleep(len(chunk.speech.split()) * 60 / 170 / a.voice_speed)
            spoken_at = time.monotonic()
    if heard == STORY:
        figures.right += 1
    else:
        figures.wrong += 1
        print("heard:", heard)


async def talk(url, a, figures, is_over):
    await asyncio.sleep(random.uniform(0, 5))
    while not is_over.is_set():
        try:
            await hear(url, a, figures)
        except VoiceError as error:
            figures.failed.append(error)
            await asyncio.sleep(error.retry_after or 1)


async def restart(programs, a, figures):
    await asyncio.sleep(10)
    for number in range(a.restarts):
        process, port = programs.gateways[number % a.gateways]
        began = time.monotonic()
        process.send_signal(signal.SIGKILL if a.signal == "KILL" else signal.SIGTERM)
        await asyncio.to_thread(process.wait)
        figures.restarts.append((began, time.monotonic()))
        programs.gateways[number % a.gateways] = programs.start_gateway(number % a.gateways, port)
        await asyncio.sleep(a.every)


def describe(pauses):
    times = sorted(1000 * (end - begin) for begin, end in pauses) or [0]
    p50, p99 = (times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99))
    return f"p50 {p50:.0f}, p99 {p99:.0f}, longest {times[-1]:.0f} ms ({len(pauses)})"


async def run(a):
    figures, is_over = Figures(), asyncio.Event()
    with contextlib.ExitStack() as stack:
        programs = Programs(stack, a)
        talks = [asyncio.create_task(talk(programs.balancer, a, figures, is_over)) for _ in range(a.callers)]
        await restart(programs, a, figures)
        is_over.set()
        await asyncio.gather(*talks)
    # A restart is noticed in the first seconds after the signal.
    near = [p for p in figures.pauses if any(begin < p[1] and p[0] < end + 3 for begin, end in figures.restarts)]
    ends = [end - begin for begin, end in figures.restarts]
    print(
        f"{a.callers} callers, {len(ends)} × SIG{a.signal}: {figures.right} replies heard, {figures.wrong} wrong, "
        f"{len(figures.failed)} failed; pauses near a restart: {describe(near)}; others: "
        f"{describe([p for p in figures.pauses if p not in near])}; a gateway was gone after {max(ends):.1f} s at most"
    )
    for error in figures.failed[:3]:
        print(error)
    return 1 if figures.wrong or figures.failed else 0


if __name__ == "__main__":
    for program in ("redis-server", "haproxy"):
        if not shutil.which(program):
            print(f"SKIPPED: {program} is missing; tools/setup.sh tests installs it")
            sys.exit(77)
    sys.exit(asyncio.run(run(arguments())))
