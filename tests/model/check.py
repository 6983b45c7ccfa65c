#!/usr/bin/env python3
"""Checks the talk model on a real llama-server: tokens, replies, and replies cut at every token and continued.

Needs only Python and a llama-server, which tools/llama-server.sh finds or fetches.
"""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dialogues

HERE = Path(__file__).resolve().parent
TOOL = HERE.parents[1] / "tools" / "llama-server.sh"
START_LIMIT = 60


class Server:
    """A llama-server on a free port. It runs inside a `with` block."""

    def __init__(self, model):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        program = subprocess.run([TOOL, "fetch"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        # More threads do not help such a small model. On a busy machine, they would wait for each other.
        self.command = [program, "-m", model, "--parallel", "2", "-c", "4096", "-t", "1", "--port", str(port)]

    def __enter__(self):
        begin = time.monotonic()
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The server does not report when it is ready, so poll it.
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() - begin > START_LIMIT:
                self.__exit__()
                sys.exit("check.py: llama-server did not start")
            time.sleep(0.01)
        self.start_time = time.monotonic() - begin
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def is_ready(self):
        try:
            return urllib.request.urlopen(self.url + "/health", timeout=5).status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def post(self, path, **body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        return json.load(urllib.request.urlopen(request, timeout=60))

    def tokenize(self, text):
        return self.post("/tokenize", content=text, parse_special=True)["tokens"]

    def prompt(self, messages, tools):
        return self.post("/apply-template", messages=messages, **({"tools": tools} if tools else {}))["prompt"]

    def complete(self, prompt, penalty):
        return self.post(
            "/completion", prompt=prompt, temperature=0, repeat_penalty=penalty, cache_prompt=True,
            return_tokens=True, n_predict=1000,
        )


def replies(talk):
    """Yields the name, the messages and tools before it, and the text of each assistant turn."""
    for dialogue in talk:
        tools = dialogues.read_tools(dialogue["tools"]) if "tools" in dialogue else None
        for i, message in enumerate(dialogue["messages"]):
            if message["role"] == "assistant":
                yield f"{dialogue['id']}/{i}", (dialogue["messages"][:i], tools), message["content"]


def is_known(answer, text):
    return answer["content"] == text and answer["stop_type"] == "eos"


def run(check, jobs):
    """Runs two checks at a time, one for each slot. Returns all failures."""
    with ThreadPoolExecutor(2) as pool:
        return [failure for failures in pool.map(check, jobs) for failure in failures]


def reply_check(server, penalty):
    def check(job):
        name, asked, text = job
        answer = server.complete(server.prompt(*asked), penalty)
        return [] if is_known(answer, text) else [f"{name}: {answer['stop_type']} {answer['content']!r}"]

    return check


def shown_text(server, ids):
    """Returns the text of the ids up to the last whole character, as the server would have sent it."""
    return server.post("/detokenize", tokens=ids)["content"].rstrip("\ufffd")


def cut_check(server, penalty):
    """Cuts a reply after each token, and continues it once from ids and once from text. A continuation from
    ids must give the same ids, and a continuation from text the same text."""

    def check(job):
        name, asked, text = job
        prompt = server.prompt(*asked)
        base, ids = server.tokenize(prompt), server.tokenize(text)
        failures = []
        for cut in range(1, len(ids) + 1):
            rest = server.complete(base + ids[:cut], penalty)
            if rest["tokens"][:-1] != ids[cut:] or rest["stop_type"] != "eos":
                failures.append(f"{name}: cut at {cut}, from ids: {rest['content']!r}")
            before = shown_text(server, ids[:cut])
            rest = server.complete(prompt + before, penalty)
            if not is_known(rest, text[len(before):]):
                failures.append(f"{name}: cut at {cut}, from text {before[-12:]!r}: {rest['content']!r}")
        return failures

    return check


def report(title, count, failures):
    print(f"{title}: {count - len(failures)} of {count}", flush=True)
    for failure in failures[:20]:
        print("   ", failure)
    return len(failures)


def check_tokens(server, tokenizer, jobs):
    """Compares the server's tokens of each text, and of each beginning of it, with those of the training."""
    texts = [text[:end] for _, _, text in jobs for end in range(1, len(text) + 1)]
    texts += [server.prompt(*asked) + text for _, asked, text in jobs]
    failures = [repr(text) for text in texts if server.tokenize(text) != tokenizer.encode(text)]
    return report("texts and beginnings split as by bpe.py", len(texts), failures)


def training_tokenizer():
    import train

    return train.make_tokenizer(dialogues.load())


def speed(server, jobs):
    """Returns the tokens per second of the longest reply, which runs alone."""
    _, asked, text = max(jobs, key=lambda job: len(job[2]))
    return server.complete(server.prompt(*asked), 1.0)["timings"]["predicted_per_second"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=str(HERE / "talk.gguf"))
    parser.add_argument("--only", default="", help="regular expression: dialogues to check")
    parser.add_argument("--cuts", action="store_true", help="also cut each reply at every token")
    parser.add_argument("--tokens", action="store_true",
                        help="also compare tokens with bpe.py; needs what train.py needs")
    return parser.parse_args()


def main():
    options = parse_arguments()
    jobs = list(replies([one for one in dialogues.load() if re.search(options.only, one["id"])]))
    failed = 0
    with Server(os.path.abspath(options.model)) as server:
        print(f"started in {server.start_time:.2f} s; {speed(server, jobs):.0f} tokens/s")
        if options.tokens:
            failed += check_tokens(server, training_tokenizer(), jobs)
        for penalty in (1.0, 1.1):
            failures = run(reply_check(server, penalty), jobs)
            failed += report(f"replies word for word, repeat_penalty {penalty}", len(jobs), failures)
            if options.cuts:
                cuts = 2 * sum(len(server.tokenize(text)) for _, _, text in jobs)
                failures = run(cut_check(server, penalty), jobs)
                failed += report(f"continued after a cut, repeat_penalty {penalty}", cuts, failures)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
