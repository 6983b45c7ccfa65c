"""A client of tandem's voice WebSocket, on aiohttp: docs/voice-websocket.md tells the protocol.

    voice = TandemVoice("http://127.0.0.1:8090")
    async with aclosing(voice.reply(messages)) as chunks:
        async for chunk in chunks:
            await speak(chunk["speech"])
            await voice.spoken(chunk)

With reply(messages, tools=[...]), OpenAI's list of functions, the last event of a reply may have the type
"calls". Its list `calls` has the `id`, `name` and `arguments` of each call. Run the functions while the voice
speaks, and call reply() with their results in `messages` ("role": "tool").

With options={"lookahead": 1}, reply() yields each chunk while the one before is spoken: make its sound in
this loop, and call spoken() in the task that plays it. Without spoken(), a reply ends after 30 s
(continue_timeout).

While the user speaks, call hearing() with what the recogniser has so far, draft() when it believes that the
user has finished, and drop() when the user goes on. The reply() to the same words then begins with a chunk
that is ready: docs/eager.md.

Leaving the loop early, by a break, an error or a cancelled task, is barge-in. What the listener has heard
of voice.speaking by then goes into voice.speaking["heard"], in characters of its speech.
"""

import asyncio
import json
from contextlib import suppress

import aiohttp

PROTOCOL = "tandem.voice.v1"


class TandemError(Exception):
    """What the gateway said; `code` is for programs. `retry_after` is in seconds, or None: with the code
    "overloaded", the servers cannot speak for one more caller before that."""

    def __init__(self, code, message, retryable=False, retry_after=None):
        super().__init__(f"{code}: {message}")
        self.code, self.retryable, self.retry_after = code, retryable, retry_after


class TandemVoice:
    """One dialogue, with one reply at a time."""

    def __init__(self, url, *, api_key=None, options=None):
        """`url` is the gateway's, http(s)://host:port; `options` are those of the first `start`."""
        self._url, self._options = url.rstrip("/") + "/v1/voice", options
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = self._socket = self._reader = self._events = None
        self._told = []  # the messages that the session knows, but for those of the assistant and tools
        self._turns = 0  # that were asked for
        self._calls = set()  # ids of calls that were not answered
        self._open_calls = set()  # those of them that were not dropped
        self._has_called = False  # the newest turn goes on with the results of its calls
        self._unspoken = []  # chunks of the running reply
        self._words = []  # final parts of what the user has said since the last turn
        self._has_draft = False  # which the next turn may commit
        self._turn_options = {}  # of the last turn; a draft has the same
        self._silence = asyncio.Event()  # all of them were spoken
        self.patience = 30.0  # seconds that the gateway waits for a chunk to be spoken

    async def reply(self, messages, *, tools=None, **turn):
        """Yields the chunks of the reply to `messages`, which are the whole history: only what is
        new of it is sent. Call spoken() for each chunk. If the reply calls functions of `tools`, the
        last event has their `calls`. While other calls have no result, nothing is yielded. `turn` has
        further fields of `start`. Raises TandemError, ValueError where there is nothing to reply to, and
        aiohttp.ClientError where there is no gateway."""
        if not await self._ask(messages, tools, turn):
            return
        self._unspoken, self._has_called, has_ended, calls = [], False, False, []
        try:
            while True:
                event = await self._next_event(str(self._turns))
                if event["type"] == "end":
                    self._has_called = bool(calls) and event["finish_reason"] == "tool_calls"
                    break
                if event["type"] == "call":
                    calls.append(event)
                    continue
                self._unspoken.append(event)
                yield event
            if self._has_called:
                yield {"type": "calls", "calls": calls}
                await self._wait_until_spoken()
            has_ended = True
        except TandemError:
            has_ended = True
            raise
        finally:
            if not has_ended and self._is_open():
                with suppress(TandemError):
                    await self._interrupt()

    @property
    def speaking(self):
        """The chunk that is being spoken: the first one that is not spoken(); None without one."""
        return self._unspoken[0] if self._unspoken else None

    async def spoken(self, chunk):
        """Says that this chunk, and all before it, were spoken. Has no effect after an interruption."""
        if chunk in self._unspoken:
            del self._unspoken[: self._unspoken.index(chunk) + 1]
            if not self._unspoken:
                self._silence.set()
            await self._say(type="continue", chunk=chunk["id"])

    async def hearing(self, text, *, is_final=False):
        """The user speaks: `text` is what the recogniser has after the final parts of this turn. It may
        change, or is a final part itself, after which a reply is drafted. Without a session, this has
        no effect. The first reply() begins one."""
        if is_final:
            await self.draft(text)
            self._words.append(text)
        else:
            await self._prepare(type="hearing", text=self._so_far(text))

    async def draft(self, text, *, options=None):
        """The user has probably finished: drafts the reply to the final parts of this turn and `text`.
        `options` are those of the reply(), with its `tools`; if missing, those of the last one."""
        options = self._turn_options if options is None else options
        text = self._so_far(text)
        self._has_draft = await self._prepare(
            type="draft", turn=str(self._turns + 1), text=text, options=options
        )

    async def drop(self):
        """The user goes on after all."""
        if self._has_draft:
            self._has_draft = False
            await self._prepare(type="drop")

    async def close(self):
        """Ends the session, if there is one."""
        if self._is_open():
            with suppress(TandemError):
                await self._say(type="end")
            await self._socket.close()
        if self._reader:
            self._reader.cancel()
        if self._http:
            await self._http.close()
        self._http = self._socket = self._reader = None

    def _is_open(self):
        return self._socket is not None and not self._socket.closed

    def _so_far(self, text):
        return " ".join([*self._words, text]).strip()

    async def _prepare(self, **message):
        """Whether it was sent. The next reply() tells of a lost connection."""
        if not self._is_open() or message.get("text") == "":
            return False
        with suppress(TandemError):
            await self._say(**message)
        return True

    async def _ask(self, messages, tools, turn):
        """Whether a reply comes: not before all calls of the last one have a result."""
        asked = [m for m in messages if m["role"] not in ("assistant", "tool")]
        goes_on = self._is_open() and asked[: len(self._told)] == self._told
        self._known = self._told if goes_on else None
        if goes_on:
            await self._answer_calls(messages)
            new = asked[len(self._told) :]
            if not new and self._has_called:
                return not self._open_calls
            if not new and messages and messages[-1]["role"] == "tool":
                return False  # a late result, which the next turn reads
        else:
            new = list(messages)
        if not new or new[-1]["role"] == "assistant":
            raise ValueError("nothing to reply to: the last message is not the user's")
        if new[-1]["role"] == "system":
            new[-1] = {**new[-1], "role": "user"}  # the system alone gets no reply
        options = dict(turn.pop("options", None) or {})
        if tools is not None:
            options["tools"] = tools
        self._turn_options = options
        if not goes_on:
            await self.close()
            await self._connect()
            self._calls.clear()
            options = {**(self._options or {}), **options}
        begins = self._beginning(new, goes_on and self._has_draft)
        self._told, self._turns = asked, self._turns + 1
        self._words, self._has_draft = [], False
        self._open_calls.clear()  # dropped by the start
        await self._say(**begins, turn=str(self._turns), options=options, **turn)
        return True

    @staticmethod
    def _beginning(new, has_draft):
        """What begins the turn. Only words of the user commit a draft."""
        words = new[0]["content"] if len(new) == 1 and set(new[0]) == {"role", "content"} else None
        if has_draft and isinstance(words, str) and new[0]["role"] == "user":
            return {"type": "commit", "text": words}
        return {"type": "start", "messages": new}

    async def _answer_calls(self, messages):
        for message in messages:
            call = message.get("tool_call_id")
            if call in self._calls:
                self._calls.remove(call)
                self._open_calls.discard(call)
                await self._say(type="result", call=call, content=message["content"], keep=True)

    async def _connect(self):
        self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10))
        self._socket = await self._http.ws_connect(
            self._url, protocols=[PROTOCOL], headers=self._headers, heartbeat=10, max_msg_size=0
        )
        self._events = asyncio.Queue()
        self._reader = asyncio.create_task(self._read(self._socket, self._events))

    async def _read(self, socket, events):
        """Reads while nobody waits, too: pings are answered by reading."""
        async for message in socket:
            if message.type != aiohttp.WSMsgType.TEXT:
                break
            event = json.loads(message.data)
            if event["type"] == "call":
                self._calls.add(event["id"])
                self._open_calls.add(event["id"])
            if event["type"] == "call_dropped":
                self._open_calls.discard(event["call"])
            events.put_nowait(event)
        events.put_nowait({"type": "closed", "code": socket.close_code})

    async def _next_event(self, turn):
        """The next chunk or call of this turn, or its end. What comes of those before it is passed over."""
        while True:
            event = await self._events.get()
            kind, named = event["type"], event.get("turn")
            if kind == "closed":
                raise TandemError("connection_lost", f"the connection was closed ({event['code']})", True)
            if kind == "ready":
                self.patience = event["limits"]["continue_timeout_ms"] / 1000
            elif kind in ("call_dropped", "draft_skipped"):
                continue
            elif kind == "error" and event["code"] == "unknown_call":
                continue
            elif kind == "error" and named in (turn, None):
                if "reply" not in event:
                    await self._take_back()
                raise self._error_of(event)
            elif named == turn:
                return event

    @staticmethod
    def _error_of(event):
        wait = event.get("retry_after_ms")
        wait = None if wait is None else wait / 1000
        return TandemError(event["code"], event["message"], event.get("retryable", False), wait)

    async def _take_back(self):
        """The start was refused: nothing of it is in the session, if there is one."""
        if self._known is None:
            await self.close()
        else:
            self._told = self._known

    async def _wait_until_spoken(self):
        self._silence.clear()
        if self._unspoken:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._silence.wait(), self.patience)

    async def _interrupt(self):
        chunk = self.speaking
        self._unspoken, self._has_called = [], False
        self._open_calls.clear()
        heard = chunk and chunk.get("heard")
        told = {} if heard is None else {"heard": {"chunk": chunk["id"], "chars": heard}}
        await self._say(type="interrupt", **told)

    async def _say(self, **message):
        try:
            await self._socket.send_str(json.dumps(message))
        except ConnectionError as error:
            raise TandemError("connection_lost", str(error), True) from error
