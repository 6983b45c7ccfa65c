"""Measures what callers notice of faults in a cluster. Several `tandem serve --cluster` run behind HAProxy
and in front of a mock server. Callers hear a story of thirty sentences again and again with the Python
client. Every --every seconds, the next gateway, or the store, gets the signal. After KILL and TERM, the
process is started again (the store without data). After STOP, it continues --lasting seconds later. A
primary has a replica, and a sentinel that fails over to the replica. A link is the connection of the next
gateway to the store: for --lasting seconds, STOP delays the traffic in both directions, and KILL closes
the link and refuses new connections. docs/cluster.md contains the results.

  cluster_faults.py 60 --faults 100
  cluster_faults.py 200 --signal TERM --faults 3 --slots 64
  cluster_faults.py 60 --target store --signal STOP --lasting 60 --faults 1
  cluster_faults.py 60 --target link --signal KILL --lasting 5 --faults 50

A pause is the time from the end of a chunk's speech to the next chunk of the reply. A wait is the time
from a question to its first chunk. The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER
contain the paths of the two programs.
Exit status: 1 if a reply failed, or a listener heard wrong text; 77 without a needed program.
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
    parser.add_argument("--target", choices=["gateway", "store", "primary", "link"], default="gateway")
    parser.add_argument("--signal", choices=["KILL", "TERM", "STOP"], default="KILL")
    parser.add_argument("--faults", type=int, default=10)
    parser.add_argument("--every", type=float, default=4, help="seconds between two faults")
    parser.add_argument("--lasting", type=float, default=3, help="seconds of STOP, and of a link's faults")
    parser.add_argument("--voice-speed", type=float, default=1, help="times 170 words a minute")
    return parser.parse_args()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port):
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


class Link:
    """Forwards the connections of one gateway to the store, except during a fault."""

    def __init__(self, store_path):
        self.port = free_port()
        self._store_path = store_path
        self._listener = None
        self._is_whole = asyncio.Event()
        self._is_whole.set()
        self._writers = set()

    async def listen(self):
        self._listener = await asyncio.start_server(self._connect, "127.0.0.1", self.port)

    async def fail(self, is_closed, seconds):
        if is_closed:
            self._listener.close()
            for writer in self._writers:
                writer.transport.abort()
        else:
            self._is_whole.clear()
        await asyncio.sleep(seconds)
        self._is_whole.set()
        if is_closed:
            await self.listen()

    async def _connect(self, reader, writer):
        await self._is_whole.wait()
        store_reader, store_writer = await asyncio.open_unix_connection(self._store_path)
        await asyncio.gather(self._forward(reader, store_writer), self._forward(store_reader, writer))

    async def _forward(self, reader, writer):
        """Forwards until the sender closes. A fault delays the close, too."""
        self._writers.add(writer)
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                await self._is_whole.wait()
                writer.write(data)
                await writer.drain()
        await self._is_whole.wait()
        writer.close()
        self._writers.discard(writer)


class Programs:
    """The store, the server, the gateways and the balancer."""

    def __init__(self, stack, a):
        self._stack, self._folder = stack, Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self._sentinel = f"{free_port()}" if a.target == "primary" else None
        self.store = self._start_replicated_store() if self._sentinel else self.start_store()
        (self._folder / "story.jsonl").write_text(json.dumps({"id": "story", "messages": [
            {"role": "user", "content": QUESTION}, {"role": "assistant", "content": STORY}]}) + "\n")
        mock = [os.environ["TANDEM_MOCK_SERVER"], "--port", "0", "--parallel", str(a.slots)]
        mock += ["--ctx-size", str(4096 * a.slots), "--tokens-per-second", str(a.speed)]
        self._server = self._listen([*mock, "--dialogues", f"{self._folder}/story.jsonl"])[1]
        self.links = [Link(f"{self._folder}/store") for _ in range(a.gateways if a.target == "link" else 0)]
        self.gateways = [self.start_gateway(number, 0) for number in range(a.gateways)]
        self.balancer = self._balance()

    def start_store(self):
        return self._run(["redis-server", "--port", "0", "--unixsocket", f"{self._folder}/store", "--save", ""])

    def _start_replicated_store(self):
        """Returns its processes by port."""
        primary, replica = free_port(), free_port()
        store = {primary: self._start_redis(primary), replica: self._start_redis(replica, primary)}
        (self._folder / "sentinel").write_text(
            f"port {self._sentinel}\ndir {self._folder}\nsentinel monitor main 127.0.0.1 {primary} 1\n"
            "sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 5000\n"
        )
        self._run(["redis-server", f"{self._folder}/sentinel", "--sentinel"])
        wait_for_port(int(self._sentinel))
        return store

    def _start_redis(self, port, primary=None):
        of = ["--replicaof", "127.0.0.1", str(primary)] if primary else []
        process = self._run(["redis-server", "--port", str(port), "--save", "", "--dir", self._folder, *of])
        wait_for_port(port)
        return process

    def find_primary(self):
        ask = ["redis-cli", "-p", self._sentinel, "SENTINEL", "get-master-addr-by-name", "main"]
        return int(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.split()[1])

    async def start_replica(self, port):
        """Waits for the fail-over from this port, and starts a replica there."""
        while (primary := self.find_primary()) == port:
            await asyncio.sleep(0.05)
        self.store[port] = self._start_redis(port, primary)

    def _store_url(self, number):
        if self._sentinel:
            return f"redis+sentinel://127.0.0.1:{self._sentinel}/main"
        if self.links:
            return f"redis://127.0.0.1:{self.links[number].port}"
        return f"unix://{self._folder}/store"

    def start_gateway(self, number, port):
        """Returns the process and its port."""
        command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", self._server]
        command += ["--listen", f"127.0.0.1:{port}", "--log-level", "off", "--reuse-guard", "0"]
        command += ["--cluster", self._store_url(number), "--gateway-id", f"gateway-{number}"]
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
        port = free_port()
        settings += f"listen gateways\n    bind 127.0.0.1:{port}\n    balance leastconn\n"
        settings += "    option httpchk GET /readyz\n    default-server check inter 500ms fall 1 rise 1\n"
        settings += "".join(f"    server g{p} 127.0.0.1:{p}\n" for _, p in self.gateways)
        (self._folder / "haproxy.cfg").write_text(settings)
        self._run(["haproxy", "-db", "-f", f"{self._folder}/haproxy.cfg"], stderr=subprocess.DEVNULL)
        wait_for_port(port)
        return f"http://127.0.0.1:{port}"


class Figures:
    def __init__(self):
        self.right = self.wrong = 0
        self.failed = []
        # Pairs of begin and end. A fault ends when the process, or the link, works again.
        self.pauses, self.waits, self.faults = [], [], []


async def hear(url, a, figures):
    """Hears the story once."""
    heard = ""
    async with connect(url) as session:
        silent_since = time.monotonic()
        async for chunk in session.ask(QUESTION):
            (figures.pauses if heard else figures.waits).append((silent_since, time.monotonic()))
            heard += chunk.text
            await asyncio.sleep(len(chunk.speech.split()) * 60 / 170 / a.voice_speed)
            silent_since = time.monotonic()
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


def find_target(programs, a, number):
    """Returns a process and its port."""
    if a.target == "store":
        return programs.store, 0
    if a.target == "primary":
        port = programs.find_primary()
        return programs.store[port], port
    return programs.gateways[number]


async def start_again(programs, a, number, port):
    if a.target == "store":
        programs.store = programs.start_store()
    elif a.target == "primary":
        await programs.start_replica(port)
    else:
        programs.gateways[number] = programs.start_gateway(number, port)


async def send_signal(programs, a, number):
    process, port = find_target(programs, a, number)
    process.send_signal(signal.Signals[f"SIG{a.signal}"])
    if a.signal == "STOP":
        await asyncio.sleep(a.lasting)
        process.send_signal(signal.SIGCONT)
    else:
        await asyncio.to_thread(process.wait)
        await start_again(programs, a, number, port)


async def cause_fault(programs, a, number, figures):
    began = time.monotonic()
    if a.target == "link":
        await programs.links[number].fail(a.signal == "KILL", a.lasting)
    else:
        await send_signal(programs, a, number)
    figures.faults.append((began, time.monotonic()))


def describe(pauses):
    times = sorted(1000 * (end - begin) for begin, end in pauses) or [0]
    p50, p99 = (times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99))
    return f"p50 {p50:.0f}, p99 {p99:.0f}, longest {times[-1]:.0f} ms ({len(pauses)})"


def describe_both(pauses, faults):
    """The effects of a fault may last until three seconds after its end."""
    near = [p for p in pauses if any(begin < p[1] and p[0] < end + 3 for begin, end in faults)]
    return f"near a fault {describe(near)}, else {describe([p for p in pauses if p not in near])}"


async def run(a):
    figures, is_over = Figures(), asyncio.Event()
    with contextlib.ExitStack() as stack:
        programs = Programs(stack, a)
        for link in programs.links:
            await link.listen()
        talks = [asyncio.create_task(talk(programs.balancer, a, figures, is_over)) for _ in range(a.callers)]
        await asyncio.sleep(10)
        for number in range(a.faults):
            await cause_fault(programs, a, number % a.gateways, figures)
            await asyncio.sleep(a.every)
        is_over.set()
        await asyncio.gather(*talks)
    longest = max(end - begin for begin, end in figures.faults)
    print(
        f"{a.callers} callers, {len(figures.faults)} × SIG{a.signal} of a {a.target}, gone for {longest:.1f} s at most: "
        f"{figures.right} replies heard, {figures.wrong} wrong, {len(figures.failed)} failed; pauses "
        f"{describe_both(figures.pauses, figures.faults)}; waits {describe_both(figures.waits, figures.faults)}"
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
