"""A bot in Python. Its voice paces the model over the gateway's WebSocket, and can be interrupted.

    tandem serve --url http://127.0.0.1:8080
    python3 docs/examples/bot.py ws://127.0.0.1:8090/v1/voice

Type the user's words and press Enter, even while the bot speaks. An empty line ends the call.
The bot needs only Debian's python3-websockets. If the gateway requires a key, set TANDEM_API_KEY.
"""
import asyncio
import json
import os
import sys
import time

import websockets

LETTER = 0.05  # seconds that the voice takes for a letter
SYSTEM = "You are the voice of the Blue Heron."


class Call:
    def __init__(self, socket):
        self.socket, self.voice, self.silence = socket, None, asyncio.Event()
        self.turn = 0  # the newest turn; events of other turns are ignored
        self.ended = asyncio.Event()  # set while the newest turn has no running reply
        self.ended.set()

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def speak(self, chunk):
        """Stands for your synthesizer. It reports to the gateway how much the listener heard."""
        print("bot:", chunk["speech"], flush=True)
        begin = time.monotonic()
        try:
            await asyncio.wait_for(self.silence.wait(), LETTER * len(chunk["speech"]))
            chars = (time.monotonic() - begin) / LETTER
            await self.say(type="heard", chunk=chunk["id"], chars=int(chars))
        except asyncio.TimeoutError:  # the user did not interrupt
            await self.say(type="continue", chunk=chunk["id"])

    async def listen(self, lines):
        """Stands for your speech recognition. A "start" during a reply interrupts it."""
        while line := (await lines.readline()).decode().strip():
            self.silence.set()
            if self.voice:
                await self.voice
            self.silence.clear()
            self.turn += 1
            self.ended.clear()
            await self.say(type="start", turn=str(self.turn), text=line)
        await self.ended.wait()
        await self.say(type="end")  # the gateway closes the connection

    async def on_event(self, event):
        is_newest = event.get("turn") == str(self.turn)
        if event["type"] == "chunk" and is_newest:  # ignores chunks of an interrupted reply
            self.voice = asyncio.create_task(self.speak(event))
        if event["type"] == "error":
            print(event["code"], event["message"], file=sys.stderr, flush=True)
        if event["type"] in ("end", "error") and is_newest:  # the reply has ended, or failed to start
            self.ended.set()


async def main(url="ws://127.0.0.1:8090/v1/voice"):
    lines = asyncio.StreamReader()
    loop, protocol = asyncio.get_running_loop(), asyncio.StreamReaderProtocol(lines)
    await loop.connect_read_pipe(lambda: protocol, sys.stdin)
    key = os.environ.get("TANDEM_API_KEY")
    offered = ["tandem.voice.v1"] + ([f"tandem-api-key.{key}"] if key else [])
    async with websockets.connect(url, subprotocols=offered) as socket:
        call = Call(socket)
        await call.say(type="start", messages=[{"role": "system", "content": SYSTEM}])
        call.user = asyncio.create_task(call.listen(lines))
        async for message in socket:
            await call.on_event(json.loads(message))


try:
    asyncio.run(main(*sys.argv[1:]))
except (OSError, websockets.exceptions.WebSocketException) as error:
    sys.exit(f"bot.py: {error}")
