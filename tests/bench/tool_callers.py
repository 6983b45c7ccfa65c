"""Measures what functions cost callers over /v1/voice, with `tandem serve` in front of a real llama-server
with the talk model, and in front of a mock server. docs/conversations.md contains the results.

  tool_callers.py

It checks:

* declared: a reply without a call has the same text, requests and chunks with functions as without. The
  llama-server's template does not show functions, so that the model's words are known.
* call: a reply with calls has one more request, in which the server evaluates at most 8 tokens.
* result: for the reply to results, the server evaluates at most 8 tokens more than the results have.

It measures how long callers with fillers hear nothing, if the prompt takes about 3 s and if it takes no time.
The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
Exit status: 1 if a check fails; 77 without aiohttp or llama-server.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time

import dialogue_callers
import voice_callers

try:
    import aiohttp
except ImportError:
    print("SKIPPED: python3-aiohttp is missing; tools/setup.sh tests installs it")
    sys.exit(77)

MODEL = pathlib.Path(__file__).resolve().parents[1] / "model"
PACINGS = ["strict", "warm", "ahead", "stream"]
MOST_BEYOND = 8
FILLER_MS = 800
TOOLS = [
    {"type": "function", "function": tool["function"]}
    for tool in json.loads((MODEL / "functions.json").read_text(encoding="utf-8"))
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--callers", type=int, default=20, help="who wait for an answer")
    parser.add_argument("--dialogues", type=int, help="without calls; all if not given")
    return parser.parse_args()


def load(name):
    lines = (MODEL / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["messages"] for line in lines if line]


def until_first_reply(messages):
    return messages[: [m["role"] for m in messages].index("assistant")]


def hide_functions():
    """The talk model's template without its list of functions."""
    template = (MODEL / "chat_template.jinja").read_text(encoding="utf-8")
    return template.replace("{%- if tools %}", "{%- if false %}").replace("not (tools and", "not (false and")


class Reply:
    def __init__(self):
        self.chunks, self.calls, self.end, self.first_ms = [], [], None, 0

    @property
    def text(self):
        return self.end.get("text")

    def describe(self, pacing):
        """What must be the same with and without functions, which the first chunk's prompt contains."""
        if pacing == "ahead":  # cuts when the model is ahead of the voice
            return [self.text]
        chunks = [[c[n] for n in ("text", "speech", "tokens")] for c in self.chunks]
        hops = [c["evaluated"] for c in self.chunks[1:]]
        return [self.text, chunks, hops, self.end["metrics"]["requests"], self.end["metrics"]["cuts"]]


class Talk:
    def __init__(self, socket):
        self._socket = socket

    async def ask(self, messages, options, **fields):
        began = time.monotonic()
        await self._socket.send_json({"type": "start", "messages": messages, "options": options, **fields})
        return await self.hear(began)

    async def answer(self, calls, contents):
        began = time.monotonic()
        for call, content in zip(calls, contents):
            await self._socket.send_json({"type": "result", "call": call["id"], "content": content})
        return await self.hear(began)

    async def hear(self, began):
        reply = Reply()
        while reply.end is None:
            event = await self._socket.receive_json(timeout=60)
            if event["type"] == "chunk":
                reply.first_ms = reply.first_ms or 1000 * (time.monotonic() - began)
                reply.chunks.append(event)
                await self._socket.send_json({"type": "continue", "chunk": event["id"]})
            elif event["type"] == "call":
                reply.calls.append(event)
            elif event["type"] in ("end", "error"):
                reply.end = event
        return reply


@contextlib.asynccontextmanager
async def talk_at(session, url):
    async with session.ws_connect(f"{url}/v1/voice", protocols=["tandem.voice.v1"]) as socket:
        yield Talk(socket)


class Checks:
    def __init__(self):
        self.failed = 0

    def expect(self, is_right, what):
        if not is_right:
            self.failed += 1
            print(f"  WRONG: {what}", flush=True)


async def check_declared(session, url, name, a, checks):
    same, dialogues = 0, load("dialogues.jsonl")[: a.dialogues]
    for pacing in PACINGS:
        for messages in map(until_first_reply, dialogues):
            described = []
            for tools in ([], TOOLS):
                async with talk_at(session, url) as talk:
                    reply = await talk.ask(messages, {"temperature": 0, "pacing": pacing, "tools": tools})
                described.append(reply.describe(pacing))
            same += described[0] == described[1]
            checks.expect(described[0] == described[1], f"{pacing}: {described}")
    total = len(PACINGS) * len(dialogues)
    print(f"{name}: {same} of {total} replies with functions are like those without", flush=True)


async def count_tokens(session, server, contents):
    body = {"content": "".join(f"{c}<|im_end|>\n<|im_start|>tool\n" for c in contents)}
    async with session.post(f"{server}/tokenize", json=body) as answer:
        return len((await answer.json())["tokens"])


def read_parsing(recording):
    """The tokens that the server evaluated in each request that parses calls."""
    lines = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    parsing = {line["request"] for line in lines if line.get("path") == "/v1/chat/completions"}
    bodies = [json.loads(line["data"]) for line in lines if line.get("answer") in parsing and "data" in line]
    return [body["timings"]["prompt_n"] for body in bodies]


async def check_calls(session, server, name, checks):
    beyond, requests = [], 0
    with contextlib.ExitStack() as stack:
        recording = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())) / "recording"
        url = dialogue_callers.start_gateway(stack, server, "--record", recording)
        for pacing in PACINGS:
            for messages in load("calls.jsonl"):
                contents = [m["content"] for m in messages if m["role"] == "tool"]
                async with talk_at(session, url) as talk:
                    options = {"temperature": 0, "pacing": pacing, "tools": TOOLS}
                    calling = await talk.ask(until_first_reply(messages), options)
                    await asyncio.sleep(0.5)  # the functions run
                    answer = await talk.answer(calling.calls, contents)
                checks.expect(answer.text == messages[-1]["content"], f"{pacing}: {answer.end}")
                requests += 1
                beyond.append(answer.chunks[0]["evaluated"] - await count_tokens(session, server, contents))
        parsing = read_parsing(recording)
    checks.expect(len(parsing) == requests, f"{len(parsing)} requests for the calls of {requests} replies")
    checks.expect(max(parsing) <= MOST_BEYOND, f"calls: {parsing}")
    checks.expect(max(beyond) <= MOST_BEYOND, f"results: {beyond}")
    print(f"{name}: tokens evaluated for calls {parsing}, for results beyond their own {beyond}", flush=True)


async def measure_fillers(session, url, name, a):
    async def wait(number):
        async with talk_at(session, url) as talk:
            question = [{"role": "user", "content": f"Question {number}?"}]
            options = {"temperature": 0, "max_tokens": 30}
            return await talk.ask(question, options, filler={"after_ms": FILLER_MS, "texts": ["One moment."]})

    replies = await asyncio.gather(*(wait(n) for n in range(a.callers)))
    fillers = sum(bool(c.get("filler")) for r in replies for c in r.chunks)
    longest = max(r.first_ms for r in replies)
    silence = f"longest silence {longest:.0f} ms"
    print(f"{name}: {a.callers} callers, {fillers} fillers after {FILLER_MS} ms, {silence}", flush=True)


def start_mock(stack, a, *flags):
    command = [os.environ["TANDEM_MOCK_SERVER"], "--parallel", str(a.callers)]
    return voice_callers.start(stack, [*command, "--ctx-size", str(4096 * a.callers), *flags])


async def on_real_server(a, checks):
    path = dialogue_callers.find_server()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "hidden.jinja").write_text(hide_functions(), encoding="utf-8")
        flags = "--parallel 2"
        hiding = dialogue_callers.start_llama(stack, path, f"{flags} --chat-template-file {folder}/hidden.jinja")
        server = dialogue_callers.start_llama(stack, path, flags)
        async with aiohttp.ClientSession() as session:
            for s in (hiding, server):
                await dialogue_callers.wait_until_loaded(session, s)
            await check_declared(session, dialogue_callers.start_gateway(stack, hiding), "llama-server", a, checks)
            await check_calls(session, server, "llama-server", checks)


async def on_mock_server(a, checks):
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        texts = [(MODEL / name).read_text(encoding="utf-8") for name in ("dialogues.jsonl", "calls.jsonl")]
        (folder / "all.jsonl").write_text("".join(texts), encoding="utf-8")
        server = start_mock(stack, a, "--tool-template", "--dialogues", str(folder / "all.jsonl"))
        slow = start_mock(stack, a, "--prompt-tokens-per-second", "5")
        async with aiohttp.ClientSession() as session:
            url = dialogue_callers.start_gateway(stack, server)
            await check_declared(session, url, "mock server", a, checks)
            await check_calls(session, server, "mock server", checks)
            await measure_fillers(session, url, "fast mock server", a)
            slow_url = dialogue_callers.start_gateway(stack, slow)
            await measure_fillers(session, slow_url, "slow mock server", a)


async def run(a):
    checks = Checks()
    await on_mock_server(a, checks)
    await on_real_server(a, checks)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run(arguments())))
