"""Measures what changes of conversation cost on a real llama-server, with `tandem serve` in front of it and
12 concurrent callers over /v1/voice. Each caller speaks one of the talk model's dialogues, whose replies
are known word for word, so mixed-up text or history shows as a wrong reply. docs/capacity.md
contains the results.

  dialogue_callers.py 2
  dialogue_callers.py 2 --system-words 200

Each repetition starts the server anew. The first server is the reference for the others: each caller has a
slot there, and a turn evaluates only its own tokens. With --system-words, each caller has its own long
system prompt, and the model's replies are nonsense and are not checked. The environment variable
TANDEM_COMMAND contains the path of the command. Exit status: 1 if a reply was wrong; 77 without aiohttp or
llama-server.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time

try:
    import aiohttp
except ImportError:
    print("SKIPPED: python3-aiohttp is missing; tools/setup.sh tests installs it")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "tests/model"
NO_SERVER = 3  # the exit status of llama-server.sh
# Six dialogues of two turns, and six long replies.
DIALOGUES = "table-for-four weather-two-turns german-doctor lights timer complaint".split()
DIALOGUES += "soup-recipe walk story plan bank dosage".split()
WORDS = "harbour island boat bread morning market lane square garden tower river bridge".split()
SERVERS = ["--parallel 12", "--parallel 2", "--parallel 2 --cache-ram 0"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("voice_speed", type=float, nargs="?", default=1, help="times 170 words a minute")
    parser.add_argument("--servers", nargs="+", default=SERVERS, help="flags of each llama-server")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--system-words", type=int, default=0, help="words of each caller's own system prompt")
    return parser.parse_args()


def find_server():
    found = subprocess.run([ROOT / "tools/llama-server.sh", "fetch"], stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode == NO_SERVER:
        print("SKIPPED: no llama-server")
        sys.exit(77)
    found.check_returncode()
    return found.stdout.strip()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(stack, command, **streams):
    process = stack.enter_context(subprocess.Popen(command, text=True, **streams))
    stack.callback(process.terminate)
    return process


def start_llama(stack, path, flags):
    port = free_port()
    slots = int(re.search(r"--parallel (\d+)", flags).group(1))
    command = [path, "-m", MODEL / "talk.gguf", "-t", "1", "-c", str(4096 * slots), "--port", str(port)]
    start(stack, [*command, *flags.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"http://127.0.0.1:{port}"


def start_gateway(stack, server, *flags):
    command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", server, *flags]
    process = start(stack, [*command, "--listen", "127.0.0.1:0", "--log-level", "off"], stdout=subprocess.PIPE)
    return re.search(r"http://[^\s,]+", process.stdout.readline()).group()


async def wait_until_loaded(session, server):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(aiohttp.ClientError):
            async with session.get(f"{server}/health") as answer:
                if answer.status == 200:
                    return
        await asyncio.sleep(0.05)
    raise TimeoutError("llama-server does not start")


class Caller:
    def __init__(self, a, number, messages, figures):
        self._system = [m for m in messages if m["role"] == "system"]
        spoken = [m["content"] for m in messages if m["role"] != "system"]
        self._turns = list(zip(spoken[::2], spoken[1::2]))
        self._voice_speed = a.voice_speed
        self._figures = figures
        self._checks = a.system_words == 0
        if not self._checks:
            words = random.Random(number).choices(WORDS, k=a.system_words)
            self._system = [{"role": "system", "content": f"You are voice {number}. " + " ".join(words)}]

    async def talk(self, session, url):
        async with session.ws_connect(f"{url}/v1/voice") as ws:
            messages, options = self._system, {"temperature": 0, "max_tokens": 400}
            for text, reply in self._turns:
                await ws.send_json({"type": "start", "text": text, "messages": messages, "options": options})
                messages = []
                await self._hear(ws, reply)

    async def _hear(self, ws, reply):
        while True:
            event = await ws.receive_json(timeout=60)
            if event["type"] == "chunk":
                is_first_of_request = event["evaluated"] > 0
                if event["seq"] and is_first_of_request:
                    self._figures["continued"].append(event["evaluated"])
                await asyncio.sleep(len(event["speech"].split()) * 60 / 170 / self._voice_speed)
                await ws.send_json({"type": "continue", "chunk": event["id"]})
            elif event["type"] in ("end", "error"):
                return self._end(event, reply)

    def _end(self, event, reply):
        self._figures["turns"] += 1
        self._figures["evaluated"] += event.get("usage", {}).get("evaluated", 0)
        if event["type"] == "error" or (self._checks and event["text"] != reply):
            self._figures["wrong"] += 1
            print(f"wrong reply: {event}, not {reply!r}")


async def read_changes(session, url, figures):
    async with session.get(f"{url}/metrics") as answer:
        text = await answer.text()
    for figure, name in (("changes", "changes"), ("at changes", "change_tokens")):
        found = re.findall(rf"^tandem_server_residence_{name}_total\{{.*\}} (\d+)", text, re.M)
        figures[figure] += sum(map(int, found))


async def repeat(a, path, flags, figures):
    lines = (MODEL / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    dialogues = {d["id"]: d["messages"] for d in map(json.loads, filter(None, lines))}
    with contextlib.ExitStack() as stack:
        server = start_llama(stack, path, flags)
        async with aiohttp.ClientSession() as session:
            await wait_until_loaded(session, server)
            url = start_gateway(stack, server)
            callers = [Caller(a, n, dialogues[d], figures) for n, d in enumerate(DIALOGUES)]
            await asyncio.gather(*(c.talk(session, url) for c in callers))
            await read_changes(session, url, figures)


def describe(flags, f, own):
    continued = sorted(f["continued"]) or [0]
    beyond = (f["evaluated"] - own) / max(1, f["changes"])
    return (
        f"{flags}: {f['turns']} turns, {f['wrong']} wrong; {f['changes']} changes of conversation; "
        f"{f['evaluated']} prompt tokens evaluated, {f['at changes']} of them at changes; beyond the turns' own "
        f"{beyond:.1f} a change; {len(f['continued'])} requests continued a reply, and evaluated "
        f"{sum(continued) / len(continued):.1f} tokens on average, {continued[-1]} at most"
    )


async def run(a):
    path, own, wrong = find_server(), None, 0
    for flags in a.servers:
        figures = dict.fromkeys(("turns", "wrong", "evaluated", "changes", "at changes"), 0) | {"continued": []}
        for _ in range(a.repeats):
            await repeat(a, path, flags, figures)
        own = figures["evaluated"] if own is None else own
        wrong += figures["wrong"]
        print(describe(flags, figures, own), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run(arguments())))
