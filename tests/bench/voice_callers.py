"""Measures the waits of callers who speak with a bot over /v1/voice: `tandem serve` in front of a mock
server. Each caller hears a reply at 170 words a minute, and immediately asks again. docs/capacity.md
contains the results.

  voice_callers.py 64 --slots 8 --speed 40
  voice_callers.py 64 --slots 64 --speed 80 --total-speed 320
  voice_callers.py 64 --gateways 3

The callers begin within the first two thirds of --settled-after. Only what happens after this time is
counted. A caller who is refused because of overload waits as long as the gateway asks. The environment
variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
Exit status: 1 if a turn failed; 77 without aiohttp.
"""

import argparse
import asyncio
import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
import time

try:
    import aiohttp
except ImportError:
    print("SKIPPED: python3-aiohttp is missing; tools/setup.sh tests installs it")
    sys.exit(77)

WORDS = "harbour island boat bread morning market lane square garden tower river bridge".split()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("callers", type=int)
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--speed", type=float, default=40, help="tokens/s of one reply at most")
    parser.add_argument("--total-speed", type=float, default=0, help="tokens/s of all replies (0: no limit)")
    parser.add_argument("--change-ms", type=int, default=20, help="to bring a conversation into a slot")
    parser.add_argument("--cache-ram", type=int, default=8192, help="MiB of the mock's prompt cache")
    parser.add_argument("--gateways", type=int, default=1, help="that share the slots through a redis-server")
    parser.add_argument("--guard", default="0", help="--reuse-guard of the gateway")
    parser.add_argument("--pacing", default="auto")
    parser.add_argument("--voice-speed", type=float, default=1, help="times 170 words a minute")
    parser.add_argument("--interrupts", type=float, default=0, help="share of turns cut in chunk 2")
    parser.add_argument("--pause", type=float, default=0, help="seconds between two turns")
    parser.add_argument("--settled-after", type=float, default=30, help="seconds")
    parser.add_argument("--seconds", type=float, default=90)
    return parser.parse_args()


def start(stack, command):
    process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    stack.callback(process.terminate)
    return re.search(r"http://[^\s,]+", process.stdout.readline()).group()


def start_servers(stack, a):
    mock = [os.environ["TANDEM_MOCK_SERVER"], "--parallel", str(a.slots)]
    mock += ["--ctx-size", str(4096 * a.slots), "--tokens-per-second", str(a.speed)]
    mock += ["--total-tokens-per-second", str(a.total_speed), "--prompt-tokens-per-second", "1500"]
    mock += ["--conversation-change-ms", str(a.change_ms), "--cache-ram", str(a.cache_ram)]
    server = start(stack, mock)
    cluster = ["--cluster", start_store(stack)] if a.gateways > 1 else []
    return [start_gateway(stack, a, server, cluster) for _ in range(a.gateways)]


def start_store(stack):
    socket = f"{stack.enter_context(tempfile.TemporaryDirectory())}/socket"
    process = stack.enter_context(
        subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket, "--save", ""], stdout=subprocess.DEVNULL)
    )
    stack.callback(process.terminate)
    return f"unix://{socket}"


def start_gateway(stack, a, server, cluster):
    command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", server]
    command += ["--listen", "127.0.0.1:0", "--log-level", "off", "--reuse-guard", a.guard]
    return start(stack, [*command, "--pacing", a.pacing, *cluster])


class Caller:
    def __init__(self, a, figures, number):
        self._a = a
        self._figures = figures
        self._random = random.Random(number)
        self._system = f"You are voice {number}. " + " ".join(self._random.choices(WORDS, k=200))

    async def talk(self, session, url, settled, end):
        await asyncio.sleep(self._random.uniform(0, 2 / 3 * self._a.settled_after))
        while time.monotonic() < end:
            async with session.ws_connect(f"{url}/v1/voice") as socket:
                retry_after = await self._speak(socket, settled, end)
            await asyncio.sleep(retry_after)

    async def _speak(self, socket, settled, end):
        """Speaks until the end. If the session is refused, returns the seconds to wait before a retry."""
        messages = [{"role": "system", "content": self._system}]
        while time.monotonic() < end:
            question = "Tell me of the " + " and the ".join(self._random.choices(WORDS, k=8))
            await socket.send_json({"type": "start", "text": question, "messages": messages})
            messages = []
            if (retry_after := await self._hear(socket, settled)) is not None:
                return retry_after
            await asyncio.sleep(self._a.pause)
        return 0

    async def _hear(self, socket, settled):
        """If the session is refused, returns the seconds to wait before a retry."""
        silent_since = time.monotonic()
        counts = silent_since >= settled
        interrupts = self._random.random() < self._a.interrupts
        while True:
            event = await socket.receive_json(timeout=60)
            if event["type"] == "chunk":
                wait = 1000 * (time.monotonic() - silent_since)
                if counts:
                    self._figures["gap" if event["seq"] else "first"].append(wait)
                speech = len(event["speech"].split()) * 60 / 170 / self._a.voice_speed
                if interrupts and event["seq"] == 1:
                    await asyncio.sleep(speech / 2)
                    await socket.send_json({"type": "interrupt", "heard": {"chunk": event["id"], "share": 0.5}})
                else:
                    await asyncio.sleep(speech)
                    await socket.send_json({"type": "continue", "chunk": event["id"]})
                silent_since = time.monotonic()
            elif event["type"] == "end":
                if counts:
                    self._figures["usage"].append(event["usage"])
                return None
            elif event["type"] == "error" and event["code"] == "overloaded":
                self._figures["refused"].append(event)
                return event["retry_after_ms"] / 1000
            elif event["type"] == "error":
                self._figures["failed"].append(event)
                return None
            elif event["type"] == "ready":
                self._figures["let in"].append(self)


def describe(times):
    times = sorted(times) or [0]
    at = [times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.95, 0.99)]
    return "p50 {:.0f}, p95 {:.0f}, p99 {:.0f} ms".format(*at)


async def run(a):
    figures = {"first": [], "gap": [], "usage": [], "failed": [], "refused": [], "let in": []}
    with contextlib.ExitStack() as stack:
        urls = start_servers(stack, a)
        began = time.monotonic()
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            settled, end = began + a.settled_after, began + a.seconds
            talks = [Caller(a, figures, n).talk(session, urls[n % len(urls)], settled, end) for n in range(a.callers)]
            await asyncio.gather(*talks)
    total = {k: sum(u[k] for u in figures["usage"]) for k in ("generated", "heard", "cached", "evaluated")}
    print(
        f"{a.callers} callers, {len(figures['let in'])} let in, {len(figures['refused'])} times refused, {len(figures['first'])} turns: first chunk {describe(figures['first'])}; "
        f"gap {describe(figures['gap'])}; {len(figures['failed'])} failed; of {total['generated']} tokens "
        f"{100 * (1 - total['heard'] / max(1, total['generated'])):.1f} % were not heard; "
        f"{total['evaluated']} prompt tokens evaluated, {total['cached']} cached"
    )
    for event in figures["failed"][:3]:
        print(event)
    return 1 if figures["failed"] else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run(arguments())))
