"""Runs the Python examples of docs/examples against a gateway; bot.py with the user's lines on stdin."""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import websockets

from gateway_process import BOOKED, BOOKING, FIRST, SECOND, WAIT, gateway, new_key

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"


@contextlib.contextmanager
def scripted_gateway(*events):
    """Starts a gateway that sends `events` after each message with text. Errors have no turn."""

    async def talk(socket, *_):
        async for message in socket:
            said = json.loads(message)
            if said["type"] == "end":
                return
            for event in events if "text" in said else ():
                turn = said.get("turn") if event["type"] != "error" else None
                await socket.send(json.dumps({**event, "turn": turn}))

    async def serve(listening, stop):
        async with websockets.serve(talk, "127.0.0.1", 0, subprotocols=["tandem.voice.v1"]) as server:
            listening.append(server.sockets[0].getsockname()[1])
            listening[0].set()
            await asyncio.to_thread(stop.wait)

    listening, stop = [threading.Event()], threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(serve(listening, stop)))
    thread.start()
    try:
        listening[0].wait(20)
        yield f"http://127.0.0.1:{listening[1]}"
    finally:
        stop.set()
        thread.join()


class Bot(unittest.TestCase):
    def start(self, gateway_url, **environment):
        url = gateway_url.replace("http", "ws") + "/v1/voice"
        pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
        self.process = subprocess.Popen(
            [sys.executable, EXAMPLES / "bot.py", url],
            text=True,
            bufsize=1,
            env={**os.environ, "no_proxy": "*", **environment},
            **pipes,
        )
        self.addCleanup(self.process.communicate)
        self.addCleanup(self.process.kill)

    def user_says(self, line):
        self.process.stdin.write(line + "\n")

    def end(self):
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err

    def test_its_history_keeps_what_was_heard_of_a_reply_that_was_talked_over(self):
        with gateway() as url:
            self.start(url)
            self.user_says("Do you have a table?")
            spoken = [self.process.stdout.readline() for _ in range(2)]
            self.user_says("Four. By the window?")
            spoken.append(self.process.stdout.readline())
            self.user_says("")
            self.assertEqual((0, "", ""), self.end())
        self.assertEqual([f"bot: {text}\n" for text in [*FIRST[:2], SECOND]], spoken)

    def test_speaks_its_reply_whatever_else_the_gateway_finds_wrong(self):
        chunk = {"type": "chunk", "id": "2-0", "reply": "2", "speech": "Yes."}
        error = {"type": "error", "code": "odd", "message": "this is of another message"}
        with scripted_gateway(error, chunk, {"type": "end", "reply": "2"}) as url:
            self.start(url)
            self.user_says("Do you have a table?")
            self.user_says("")
            status, out, err = self.end()
        self.assertEqual((0, "bot: Yes.\n"), (status, out))
        self.assertRegex(err, "^odd ")

    def test_offers_its_key(self):
        key, line = new_key("bot")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as keys:
            keys.write(json.dumps({"keys": [json.loads(line)]}))
            keys.flush()
            with gateway("--keys", keys.name) as url:
                self.start(url, TANDEM_API_KEY=key)
                self.user_says("")
                self.assertEqual((0, "", ""), self.end())
                self.start(url)
                status, out, err = self.end()
        self.assertEqual((1, ""), (status, out))
        self.assertRegex(err, "^bot.py: .*401")

    def test_says_why_there_is_no_gateway(self):
        with gateway() as url:
            pass
        self.start(url)
        status, out, err = self.end()
        self.assertEqual((1, ""), (status, out))
        self.assertRegex(err, "^bot.py: .*Connect call failed")


class BotWithFunctions(unittest.TestCase):
    def run_bot(self, url, *words):
        url = url.replace("http", "ws") + "/v1/voice"
        bot = [sys.executable, EXAMPLES / "functions.py", url, *words]
        environment = {**os.environ, "no_proxy": "*"}
        done = subprocess.run(bot, capture_output=True, text=True, timeout=120, env=environment)
        return done.returncode, done.stdout, done.stderr

    def test_calls_a_function_while_it_speaks_and_says_what_came_of_it(self):
        with gateway() as url:
            status, out, err = self.run_bot(url, BOOKING[1]["content"])
        self.assertEqual((0, ""), (status, err))
        call = '     (calls book {"guests": 4})'
        self.assertCountEqual([f"bot: {WAIT}", call, f"bot: {BOOKED}"], out.splitlines())
        self.assertLess(out.index(WAIT), out.index(BOOKED))

    def test_says_what_the_gateway_finds_wrong(self):
        with gateway() as url:
            status, out, err = self.run_bot(url, " ")
        self.assertEqual((1, ""), (status, out))
        self.assertRegex(err, "^functions.py: invalid_value ")


if __name__ == "__main__":
    unittest.main()
