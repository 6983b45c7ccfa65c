"""Runs `tandem serve` in front of tandem-mock-server, as separate processes, for one test.

The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "integrations"

SYSTEM = "You are the voice of the Blue Heron."
FIRST = [
    "Yes, we do have a table for you tonight.",
    "How many of you are going to come?",
    "We have got some places outside as well.",
]
SECOND = "We can seat four of you at the window from eight."
DIALOGUE = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": "Do you have a table?"},
    {"role": "assistant", "content": " ".join(FIRST)},
    {"role": "user", "content": "Four. By the window?"},
    {"role": "assistant", "content": SECOND},
]
FIRST_TURN = DIALOGUE[:2]
BOOK = {
    "type": "function",
    "function": {
        "name": "book",
        "description": "Books a table",
        "parameters": {"type": "object", "properties": {"guests": {"type": "integer"}}},
    },
}
TWICE = "Book it twice."
WAIT = "One moment."
RESULT = {"booked": True}
BOOKED = "Your table is booked."
CALL = '<tool_call>\n{"name": "book", "arguments": {"guests": 4}}\n</tool_call>'  # as in --tool-template
BOOKING = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": "Book it for four."},
    {"role": "assistant", "content": f"{WAIT}\n{CALL}"},
    {"role": "tool", "content": json.dumps(RESULT)},
    {"role": "assistant", "content": BOOKED},
]
NO_RESULT = "No result: interrupted."  # what the gateway writes


def _bookings():
    """Yields a dialogue in which the model writes the call, then BOOKING, and then dialogues that continue
    differently after the call or after its reply."""
    yield [*BOOKING[:2], {"role": "assistant", "content": WAIT + CALL}]
    yield BOOKING
    yield [BOOKING[0], {"role": "user", "content": TWICE}, {"role": "assistant", "content": f"{WAIT}\n{CALL}\n{CALL}"}]
    for result in (BOOKING[3]["content"], NO_RESULT):
        yield [*BOOKING[:3], {"role": "tool", "content": result}, *DIALOGUE[3:]]
    for heard in (BOOKED, "Your table"):
        yield [*BOOKING[:4], {"role": "assistant", "content": heard}, *DIALOGUE[3:]]


def _dialogues(heard_words):
    """Yields DIALOGUE, and variants in which the user interrupts the first two sentences after this
    number of words, or, without a number, after each word."""
    yield DIALOGUE
    words = " ".join(FIRST[:2]).split()
    for n in [heard_words] if heard_words else range(1, len(words)):
        heard = {"role": "assistant", "content": " ".join(words[:n])}
        yield [*DIALOGUE[:2], heard, *DIALOGUE[3:]]


def _started(stack, arguments, **environment):
    process = stack.enter_context(
        subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    )
    stack.callback(process.terminate)
    line = process.stdout.readline()
    found = re.search(r"https?://[^\s,]+", line)
    if not found:
        raise RuntimeError(f"{arguments[0]} said {line!r} and not where it listens")
    return found.group()


@contextlib.contextmanager
def gateway(*flags, heard_words=None):
    """Yields the URL of a gateway. Its model answers as in _dialogues(). `flags` are additional flags
    of `serve`."""
    with contextlib.ExitStack() as stack:
        script = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".jsonl"))
        for i, messages in enumerate([*_dialogues(heard_words), *_bookings()]):
            script.write(json.dumps({"id": f"table-{i}", "messages": messages}) + "\n")
        script.flush()
        server = [os.environ["TANDEM_MOCK_SERVER"], "--tool-template", "--dialogues", script.name]
        url = _started(stack, server)
        command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", url]
        command += ["--listen", "127.0.0.1:0", "--log-level", "error", "--reuse-guard", "auto", *flags]
        yield _started(stack, command)


@contextlib.contextmanager
def noted_messages():
    """Yields the list to which each message to a gateway is added."""
    from tandem_voice._link import Link

    said, send = [], Link.send
    with mock.patch.object(Link, "send", lambda link, message: said.append(message) or send(link, message)):
        yield said


def new_key(name):
    """Returns a new key, and its entry for a key file as a line of JSON."""
    made = subprocess.run(
        [os.environ["TANDEM_COMMAND"], "key", "--name", name], capture_output=True, text=True, check=True
    )
    return made.stdout.splitlines()[:2]


@contextlib.contextmanager
def key_file(**limits):
    """Yields a new key, and the path of a key file for it with these limits."""
    key, line = new_key("bot")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps({"keys": [{**json.loads(line), **limits}]}))
        file.flush()
        yield key, file.name
