"""A bot in Python that calls a function while it speaks, and then says what came of it.

    tandem serve --url http://127.0.0.1:8080
    python3 docs/examples/functions.py ws://127.0.0.1:8090/v1/voice "Book it for four."

The bot needs only Debian's python3-websockets, and a server whose chat template knows tools.
"""
import asyncio
import json
import sys

import websockets

SYSTEM = {"role": "system", "content": "You are the voice of the Blue Heron."}
BOOK = {
    "name": "book",
    "description": "Books a table for tonight",
    "parameters": {"type": "object", "properties": {"guests": {"type": "integer"}}},
}


async def run(name, arguments):
    """Stands for your functions. The result is text for the model to read."""
    print(f"     (calls {name} {json.dumps(arguments)})", flush=True)
    return json.dumps({"booked": name == "book"})


async def speak(speech):
    """Stands for your synthesizer. It returns when the speech was heard."""
    print("bot:", speech, flush=True)
    await asyncio.sleep(0.05 * len(speech))


class Bot:
    def __init__(self, socket):
        self.socket, self.chunks = socket, asyncio.Queue()
        self.tasks = [asyncio.create_task(self.speak_all())]

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def speak_all(self):
        while chunk := await self.chunks.get():
            await speak(chunk["speech"])
            await self.say(type="continue", chunk=chunk["id"])

    async def answer(self, call):
        await self.say(type="result", call=call["id"], content=await run(call["name"], call["arguments"]))

    async def on_event(self, event):
        if event["type"] == "chunk":
            self.chunks.put_nowait(event)
        if event["type"] == "call":  # the voice goes on
            self.tasks.append(asyncio.create_task(self.answer(event)))
        if event["type"] == "error":
            sys.exit(f"functions.py: {event['code']} {event['message']}")
        if event["type"] == "end" and event["finish_reason"] != "tool_calls":  # the turn is over
            await self.say(type="end")  # the gateway closes the connection


async def main(url="ws://127.0.0.1:8090/v1/voice", question="Book it for four."):
    async with websockets.connect(url, subprotocols=["tandem.voice.v1"]) as socket:
        bot = Bot(socket)
        tools = [{"type": "function", "function": BOOK}]
        await bot.say(type="start", messages=[SYSTEM], text=question, options={"tools": tools})
        async for message in socket:
            await bot.on_event(json.loads(message))


try:
    asyncio.run(main(*sys.argv[1:]))
except (OSError, websockets.exceptions.WebSocketException) as error:
    sys.exit(f"functions.py: {error}")
