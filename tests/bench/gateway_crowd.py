"""Connects many clients to the gateway at once, or runs clients for a long time. Measures the memory of
the gateway, and checks that it serves other clients.

  gateway_crowd.py crowd 10000   10000 connections that send nothing, or only a part of a request
  gateway_crowd.py mixed 600     600 s of requests, streams, WebSockets, faults, and disconnects

The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
Exit status: 1 if an answer was wrong, or if memory grew in a mixed load of a minute or more; 77 without
aiohttp.
"""

import asyncio
import collections
import contextlib
import itertools
import os
import random
import re
import subprocess
import sys
import time

try:
    import aiohttp
except ImportError:
    print("SKIPPED: python3-aiohttp is missing; tools/setup.sh tests installs it")
    sys.exit(77)

CHAT = {"model": "any", "messages": [{"role": "user", "content": "Hello!"}], "max_tokens": 40}
UNFINISHED = [
    b"",
    b"GET /health HTTP/1.1\r\nHost: gateway\r\nX-Slow",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n"
    b'Content-Length: 4000\r\n\r\n{"model":',
    b"GET /v1/voice HTTP/1.1\r\nHost: gateway\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
]
# After this share of a run, memory should no longer grow.
WARM_UP = 0.3
GROWTH = 1.2


class Gateway:
    """`tandem serve` in front of tandem-mock-server."""

    def __init__(self, stack, *flags):
        mock = ["--parallel", "8", "--ctx-size", "32768", "--tokens-per-second", "200"]
        _, server = self._start(stack, [os.environ["TANDEM_MOCK_SERVER"], *mock])
        command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", server]
        command += ["--listen", "127.0.0.1:0", "--log-level", "off", "--reuse-guard", "0", *flags]
        self._process, self.url = self._start(stack, command)
        self.port = int(self.url.rsplit(":", 1)[1].strip("/"))

    @staticmethod
    def _start(stack, command):
        process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        stack.callback(process.terminate)
        return process, re.search(r"http://[^\s,]+", process.stdout.readline()).group()

    def memory_kib(self):
        with open(f"/proc/{self._process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s*(\d+)", status.read()).group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self._process.pid}/fd"))


async def _asked(session, gateway, count):
    """Sends `count` pairs of requests, checks the answers, and returns the sorted times of the pairs in
    milliseconds."""
    times = []
    for _ in range(count):
        began = time.monotonic()
        async with session.get(f"{gateway.url}/health") as answer:
            assert answer.status == 200, await answer.text()
        async with session.post(f"{gateway.url}/v1/chat/completions", json=CHAT) as answer:
            assert answer.status == 200, await answer.text()
        times.append(1000 * (time.monotonic() - began))
    return sorted(times)


def _figures(times):
    return f"p50 {times[len(times) // 2]:.1f}, max {times[-1]:.1f} ms"


async def crowd(count):
    with contextlib.ExitStack() as stack:
        gateway = Gateway(stack, "--max-connections", str(count + 100))
        async with aiohttp.ClientSession() as session:
            alone = await _asked(session, gateway, 50)
            before = gateway.memory_kib()
            kinds = itertools.islice(itertools.cycle(UNFINISHED), count)
            clients = []
            for beginning in kinds:
                _, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
                writer.write(beginning)
                clients.append(writer)
            among = await _asked(session, gateway, 50)
            held, peak = gateway.descriptors(), gateway.memory_kib()
            for writer in clients:
                writer.transport.abort()
            gone_by = time.monotonic() + 30
            while gateway.descriptors() > 100:
                assert time.monotonic() < gone_by, "the gateway keeps connections that are gone"
                await asyncio.sleep(0.05)
            after = await _asked(session, gateway, 50)
            print(
                f"{count} connections, {held} descriptors: memory {before} KiB before, {peak} with them "
                f"({(peak - before) / count:.1f} each), {gateway.memory_kib()} when they are gone; a "
                f"/health and a chat of others alone {_figures(alone)}, among them {_figures(among)}, "
                f"behind them {_figures(after)}"
            )
    return 0


async def _plain(session, url):
    async with session.post(f"{url}/v1/chat/completions", json=CHAT) as answer:
        assert answer.status == 200 and (await answer.json())["choices"]


async def _stream(session, url):
    async with session.post(f"{url}/v1/chat/completions", json={**CHAT, "stream": True}) as answer:
        assert (await answer.text()).endswith("data: [DONE]\n\n")


async def _leave(session, url):
    async with session.post(f"{url}/v1/chat/completions", json={**CHAT, "stream": True}) as answer:
        await answer.content.readany()
        answer.close()


async def _voice(session, url):
    async with session.ws_connect(f"{url}/v1/voice") as socket:
        await socket.send_json({"type": "start", "text": "Hello!", "options": {"max_tokens": 60}})
        async for message in socket:
            event = message.json()
            assert event["type"] in ("ready", "chunk", "end"), event
            if event["type"] == "end":
                return
            if event["type"] == "chunk":
                await socket.send_json({"type": "continue", "chunk": event["id"]})
    raise AssertionError("the socket closed before the end")


async def _interrupted_voice(session, url):
    async with session.ws_connect(f"{url}/v1/voice") as socket:
        await socket.send_json({"type": "start", "text": "Hello!"})
        async for message in socket:
            if message.json()["type"] == "chunk":
                await socket.send_json({"type": "interrupt"})
            if message.json()["type"] == "end":
                return


async def _refused(session, url):
    bodies = [b"{", b"[" * 5000, b'{"messages": 1}', b"\xff\xfe", b'{"a":' + b"9" * 100_000 + b"}"]
    body = random.choice(bodies)
    async with session.post(f"{url}/v1/chat/completions", data=body) as answer:
        assert answer.status in (400, 413, 415), answer.status


async def _asks_for_nothing(session, url):
    async with session.get(f"{url}/{random.randrange(10**9)}") as answer:
        assert answer.status == 404


KINDS = [_plain, _stream, _leave, _voice, _interrupted_voice, _refused, _asks_for_nothing]


async def _client(session, url, until, done):
    while time.monotonic() < until:
        kind = random.choice(KINDS)
        await kind(session, url)
        done[kind.__name__.strip("_")] += 1


async def mixed(seconds):
    done = collections.Counter()
    with contextlib.ExitStack() as stack:
        gateway = Gateway(stack)
        began = time.monotonic()
        async with aiohttp.ClientSession() as session:
            async with asyncio.TaskGroup() as group:
                for _ in range(16):
                    group.create_task(_client(session, gateway.url, began + seconds, done))
                await asyncio.sleep(WARM_UP * seconds)
                warm = gateway.memory_kib()
                peak = warm
                while time.monotonic() < began + seconds:
                    await asyncio.sleep(min(1, 0.1 * seconds))
                    peak = max(peak, gateway.memory_kib())
    print(
        f"{seconds} s, {sum(done.values())} requests {dict(done)}: memory {warm} KiB after "
        f"{WARM_UP * seconds:.0f} s, {peak} at most later"
    )
    return 0 if seconds < 60 or peak <= GROWTH * warm else 1


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("crowd", "mixed"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(asyncio.run({"crowd": crowd, "mixed": mixed}[sys.argv[1]](int(sys.argv[2]))))
