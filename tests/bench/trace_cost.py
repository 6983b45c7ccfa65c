"""Measures what traces cost the event loop of the gateway. Callers speak over /v1/voice with `tandem serve`
in front of mock servers. Gateways alternate: one sends traces to a collector, the next does not.
docs/traces.md contains the result.

  trace_cost.py 1000 --rounds 4

The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
Exit status: 1 if a turn failed, or if the traces of a turn did not arrive; 77 without aiohttp.
"""

import argparse
import asyncio
import contextlib
import http.server
import os
import re
import statistics
import subprocess
import sys
import threading
import time

from voice_callers import Caller, aiohttp

TICKS = os.sysconf("SC_CLK_TCK")
MOST_SLOTS = 250  # of a mock server
MOST_TOKENS = 60  # of a reply: 15 s of speech


class Collector(http.server.BaseHTTPRequestHandler):
    """Accepts all traces, and counts the turns in them."""

    turns = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Collector.turns += body.count(b'"name":"voice turn"')
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def collect():
    """Runs a collector until standard input ends. Prints the number of turns."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()
    print(Collector.turns)


class Process:
    def __init__(self, stack, command):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = stack.enter_context(subprocess.Popen(command, **pipes))
        stack.callback(self._process.terminate)
        self.url = re.search(r"http://[^\s,]+", self._process.stdout.readline()).group()

    def close_input(self):
        """Returns the rest of the output."""
        return self._process.communicate()[0]

    def thread_seconds(self):
        """The processor time of each thread."""
        folder = f"/proc/{self._process.pid}/task"
        seconds = {}
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            seconds[thread] = (int(fields[11]) + int(fields[12])) / TICKS
        return seconds


def start_mock(stack, slots):
    flags = ["--parallel", str(slots), "--ctx-size", str(4096 * slots), "--tokens-per-second", "40"]
    return Process(stack, [os.environ["TANDEM_MOCK_SERVER"], *flags]).url


def start_gateway(stack, servers, *more):
    command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--listen", "127.0.0.1:0"]
    command += [word for server in servers for word in ("--url", server)]
    command += ["--log-level", "off", "--reuse-guard", "0", "--max-tokens", str(MOST_TOKENS)]
    return Process(stack, [*command, *more])


async def measure(a, gateway, figures):
    """Returns the share of time in which the loop (the busiest thread) runs, and the turns per second."""
    settled = time.monotonic() + a.settled_after
    end = settled + a.seconds
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        callers = [Caller(a, figures, n).talk(session, gateway.url, settled, end) for n in range(a.callers)]
        talks = asyncio.gather(*callers)
        await asyncio.sleep(settled - time.monotonic())
        before, began, turns = gateway.thread_seconds(), time.monotonic(), len(figures["usage"])
        await asyncio.sleep(end - time.monotonic())
        after, lasted = gateway.thread_seconds(), time.monotonic() - began
        turns = len(figures["usage"]) - turns
        await talks
    loop = max(after[thread] - before.get(thread, 0) for thread in after)
    return loop / lasted, turns / lasted


def compare(a, servers, collector, figures):
    """Starts a new gateway each time, because a gateway that knows its servers may refuse the next callers."""
    shares = {"without traces": [], "with traces": []}
    for _ in range(a.rounds):
        for name, flags in zip(shares, ([], ["--otlp-endpoint", collector])):
            with contextlib.ExitStack() as stack:
                gateway = start_gateway(stack, servers, *flags)
                share, turns = asyncio.run(measure(a, gateway, figures))
            shares[name].append(100 * share)
            print(f"{name}: the loop is busy for {100 * share:.2f} %, with {turns:.1f} turns/s", flush=True)
    plain, traced = (statistics.mean(several) for several in shares.values())
    print(f"{a.callers} voices: {plain:.2f} % without traces, {traced:.2f} % with traces")


def run(a):
    figures = {"first": [], "gap": [], "usage": [], "failed": [], "refused": [], "let in": []}
    with contextlib.ExitStack() as stack:
        servers = [start_mock(stack, min(MOST_SLOTS, a.callers)) for _ in range(0, a.callers, MOST_SLOTS)]
        collector = Process(stack, [sys.executable, __file__, "collect"])
        compare(a, servers, collector.url, figures)
        collected = int(collector.close_input())
    print(f"{collected} turns traced, {len(figures['failed'])} failed, {len(figures['refused'])} refused")
    return 1 if figures["failed"] or collected == 0 else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("callers", type=int)
    parser.add_argument("--rounds", type=int, default=4, help="with and without traces")
    parser.add_argument("--seconds", type=float, default=30, help="that are measured in a round")
    parser.add_argument("--settled-after", type=float, default=15, help="seconds before them")
    parser.set_defaults(pause=0, interrupts=0.1, voice_speed=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(collect() if sys.argv[1:] == ["collect"] else run(arguments()))
