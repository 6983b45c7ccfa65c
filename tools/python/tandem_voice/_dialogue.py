"""A dialogue whose history belongs to a framework. Leaving the loop over a reply is a barge-in."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ._chunk import Chunk
from ._error import VoiceError
from ._link import Message
from ._reply import Reply
from ._session import Session

MOST_CALLS = 256  # maximum number without a result


class Dialogue:
    """Runs one reply at a time. Begins a new session if the history was rewritten or the session is over."""

    def __init__(self, url: str, *, key: str | None = None, options: Mapping[str, Any] | None = None) -> None:
        self._url, self._key = url, key
        self._opening: Message = {"options": dict(options or {})}
        self._session: Session | None = None
        self._reply: Reply | None = None
        self._told: list[Message] = []  # what the session knows, except messages of assistant and tools
        self._known: list[Message] = []  # the part of _told before the newest turn
        self._calls: dict[str, Message] = {}  # the calls without a result
        self._has_called = False  # the newest turn continues with the results of its calls
        self._unspoken: list[Chunk] = []
        self._silence = asyncio.Event()  # set when all chunks were spoken
        self._words: list[str] = []  # final parts of what the user has said since the last turn
        self._has_draft = False
        self._turn_options: Message = {}  # of the last turn; drafts use them, too
        self.heard: int | None = None  # how much of `speaking` was heard, in characters of its speech

    async def reply(
        self, messages: Sequence[Message], *, tools: Sequence[Message] = (), **fields: Any
    ) -> AsyncGenerator[Chunk | list[Message], None]:
        """Yields the chunks of the reply to `messages`, the whole history. Sends only the new messages. If
        the reply calls functions, the calls come last. Later calls of reply() yield nothing until each
        function call has a result in `messages`. `fields` are those of `start`."""
        reply = await self._ask(messages, tools, fields)
        if reply is None:
            return
        self._unspoken, self._has_called, is_left = [], False, True
        try:
            while (item := await reply.next_item()) is not None:
                if isinstance(item, Chunk):
                    self._unspoken.append(item)
                    yield item
                else:
                    self._has_called = True
                    self._note_calls(item)
                    yield item
                    await self._wait_until_spoken()
                    break
            is_left = False
        except VoiceError as error:
            is_left = False
            # Denied words would be denied again in every later start.
            if reply.was_refused and error.code != "content_policy":
                self._told = self._known
            raise
        finally:
            if is_left:
                self._interrupt()

    @property
    def speaking(self) -> Chunk | None:
        """The chunk that the voice speaks: the first one without spoken()."""
        return self._unspoken[0] if self._unspoken else None

    def spoken(self, chunk: Chunk) -> None:
        """Reports that the voice spoke this chunk and all earlier ones."""
        if chunk not in self._unspoken:
            return
        del self._unspoken[: self._unspoken.index(chunk) + 1]
        self.heard = None
        if not self._unspoken:
            self._silence.set()
        chunk.spoken()

    def hearing(self, text: str) -> None:
        """Reports what the recogniser has heard since the final parts of this turn. No effect before the
        first reply, because that begins the session."""
        if session := self._open_session():
            session.hearing(self._so_far(text))

    def hear_final(self, text: str) -> None:
        """Takes a final part of what the user says, and drafts a reply to the words so far."""
        self.draft(text)
        self._words.append(text)

    def draft(self, text: str) -> None:
        """Drafts a reply: the user has probably finished."""
        session, words = self._open_session(), self._so_far(text)
        if session and words:
            session.draft(words, options=self._turn_options)
            self._has_draft = True

    def drop(self) -> None:
        """Drops the draft: the user continues to speak."""
        session = self._open_session()
        if session and self._has_draft:
            session.drop()
        self._has_draft = False

    async def close(self) -> None:
        session, self._session = self._session, None
        if session:
            await session.close()

    def _open_session(self) -> Session | None:
        return self._session if self._session and not self._session.is_over else None

    def _so_far(self, text: str) -> str:
        return " ".join([*self._words, text]).strip()

    async def _ask(
        self, messages: Sequence[Message], tools: Sequence[Message], fields: Message
    ) -> Reply | None:
        """Returns None if no reply follows yet: a call of the last reply has no result."""
        asked = [m for m in messages if m["role"] not in ("assistant", "tool")]
        goes_on = self._is_continued(asked)
        self._known = self._told if goes_on else []
        new = asked[len(self._told) :] if goes_on else list(messages)
        if goes_on:
            self._answer_calls(messages)
            if not new and self._reply and self._has_called:
                return None if self._reply.open_calls else self._reply
            if not new and messages and messages[-1]["role"] == "tool":
                return None  # a late result: the next turn reads it
        if not new or new[-1]["role"] == "assistant":
            raise ValueError("nothing to reply to: the last message is not the user's")
        if new[-1]["role"] == "system":
            new[-1] = {**new[-1], "role": "user"}  # a system message alone gets no reply
        session = self._session if goes_on else None
        if session is None:
            session = await self._begin()
        self._turn_options = {**fields.pop("options", {}), "tools": list(tools)}
        message = {**beginning(new, self._has_draft), "options": self._turn_options, **fields}
        self._told, self._words, self._has_draft = asked, [], False
        self._reply = session.start(message)
        return self._reply

    def _is_continued(self, asked: list[Message]) -> bool:
        """Whether the session can continue. It cannot match the results of calls that it has lost."""
        has_lost_calls = self._reply is not None and self._reply.has_lost_calls
        is_open = self._open_session() is not None and not has_lost_calls
        return is_open and asked[: len(self._told)] == self._told

    async def _begin(self) -> Session:
        await self.close()
        session = Session(self._url, self._key, self._opening, None)
        await session.__aenter__()
        self._session, self._told, self._has_draft = session, [], False
        self._calls.clear()
        return session

    def _note_calls(self, calls: list[Message]) -> None:
        self._calls.update({call["id"]: call for call in calls})
        while len(self._calls) > MOST_CALLS:
            del self._calls[next(iter(self._calls))]

    def _answer_calls(self, messages: Sequence[Message]) -> None:
        session = self._open_session()
        for message in messages:
            call = self._calls.pop(message.get("tool_call_id", ""), None)
            if call and session:
                session.answer(call, message["content"])

    async def _wait_until_spoken(self) -> None:
        self._silence.clear()
        if self._unspoken and self._session:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._silence.wait(), self._session.continue_timeout)

    def _interrupt(self) -> None:
        chunk, heard = self.speaking, {} if self.heard is None else {"chars": self.heard}
        self._unspoken, self._has_called, self.heard = [], False, None
        if session := self._open_session():
            session.interrupt(chunk, **heard)


def beginning(new: list[Message], has_draft: bool) -> Message:
    """The message that begins the turn. Only words of the user commit a draft."""
    words = new[0]["content"] if len(new) == 1 and set(new[0]) == {"role", "content"} else None
    if has_draft and isinstance(words, str) and new[0]["role"] == "user":
        return {"type": "commit", "text": words}
    return {"type": "start", "messages": new}
