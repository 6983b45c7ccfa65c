import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

from ._answer import Answer
from ._chunk import Chunk, chunk_of
from ._error import VoiceError

Message = dict[str, Any]

# More than the gateway sends ahead (lookahead is at most 8).
MOST_AHEAD = 16

INTERRUPTED: Message = {"type": "end", "finish_reason": "interrupted"}


class Reply(AsyncIterator[Chunk]):
    """The chunks of a turn until its end, including those of replies to function results.

    Taking the next chunk reports that the previous one was spoken. With `lookahead`, only
    chunk.spoken() reports this. `end` is the last `end` message once it has arrived: finish_reason, usage,
    metrics."""

    def __init__(
        self,
        message: Message,
        send: Callable[[Message], None],
        note_last: Callable[[Message], None],
        *,
        continues: bool,
    ) -> None:
        """`note_last` receives what the listener heard last, in the form of `last` in `start`."""
        self.turn: str = message["turn"]
        self.end: Message | None = None
        self.message = message
        self.is_interrupted = False
        self.was_refused = False
        self.is_over = False
        self.has_begun = False
        self.late: list[Message] = []  # about calls of earlier sessions, before the question
        self.answer = Answer()
        self.has_lost_calls = False  # lost with the connection
        self.open_calls: set[str] = set()  # calls whose results the gateway awaits
        self._send, self._note_last, self._continues = send, note_last, continues
        self._items: deque[Chunk | list[Message]] = deque()
        self._calls: list[Message] = []
        self.awaits_results = False  # awaits the results of its calls, or the reply to them
        self._new = asyncio.Event()
        self._error: VoiceError | None = None
        self._taken: list[Chunk] = []  # taken, but not spoken yet
        self._ends = 1  # after a lost connection, several ends may arrive; the last one ends the turn
        self._heard: Message | None = None  # the last reported place in a chunk of _taken
        self._heard_part = ""  # the text up to that place
        self._number = ""  # the gateway's newest reply of the turn
        self._text = ""  # the text that this reply has sent
        self._text_ends: dict[str, int] = {}  # by chunk
        # whether fillers are unheard words of an earlier reply: no other ones follow
        self._repeats_words = message["type"] == "resume"

    async def __anext__(self) -> Chunk:
        if self._continues and self._taken:
            self._spoken(self._taken[-1])
        while True:
            item = await self.next_item()
            if item is None:
                raise StopAsyncIteration
            if isinstance(item, Chunk):
                return item

    async def next_item(self) -> Chunk | list[Message] | None:
        """Returns the next chunk or, after a reply's chunks, all its calls; None at the end."""
        while not self._items and not self.is_over:
            self._new.clear()
            await self._new.wait()
        if self._error:
            raise self._error
        if not self._items:
            return None
        item = self._items.popleft()
        if isinstance(item, Chunk):
            self._taken.append(item)
            self._note({"chunk": item.id, "speaking": True})
        return item

    def take_chunk(self, event: Message) -> None:
        self.has_begun = True
        self.awaits_results = False
        self._note_text(event)
        self.answer.note_chunk(event, is_repeated=self._repeats_words and bool(event.get("filler")))
        if not self.is_interrupted:
            self._add(chunk_of(event, self._spoken))

    def take_call(self, event: Message) -> None:
        self.has_begun = True
        self._calls.append(event)
        self.answer.note_call(event)
        self.open_calls.add(event["id"])

    def take_end(self, event: Message) -> bool:
        """Returns whether the turn is over."""
        if self.take_early_end():
            return False
        # after an interrupt, no reply to the results follows
        if event["finish_reason"] == "tool_calls" and not self.is_interrupted:
            self.awaits_results = True
            if self._calls:  # none after the rest of the words before calls
                self._add(self._calls)
            self._calls = []
            return False
        self.finish(event)
        return True

    def take_early_end(self) -> bool:
        """Returns whether another end follows this one."""
        if self._ends == 1:
            return False
        self._ends -= 1
        return True

    def finish(self, end: Message) -> None:
        self.end = end
        self.is_over = True
        self._new.set()

    def fail(self, error: VoiceError) -> None:
        self._items.clear()
        self._error = error
        self.is_over = True
        self._new.set()

    def messages(self) -> list[Message]:
        """The messages of the assistant and its tools, with the text that was or will be spoken."""
        return self.answer.messages(self._taken)

    def lose_session(self, error: VoiceError) -> None:
        """No gateway knows the chunks any more, so nothing is reported about them."""
        for chunk in self._taken:
            self.answer.hear(chunk)
        self._taken.clear()
        self.fail(error)

    def interrupt(self) -> None:
        """After this, only the end arrives."""
        self.is_interrupted = True
        if self._taken:
            self._note(self._heard or {"chunk": self._taken[0].id, "share": 0})
        if self._heard:
            ids = [chunk.id for chunk in self._taken]
            for before in self._taken[: ids.index(self._heard["chunk"])]:
                self.answer.hear(before)
            self.answer.hear_part(self._heard["chunk"], self._heard_part)
        self._heard, self._heard_part = None, ""
        self.open_calls.clear()
        self._items.clear()
        self._taken.clear()

    def lose(self) -> None:
        """The connection is lost. Chunks that were not taken will arrive again."""
        self._items.clear()
        self._calls = []
        self.has_lost_calls = self.has_lost_calls or bool(self.open_calls)
        self.open_calls.clear()

    def expect_ends(self, count: int) -> None:
        """The connection is back. This number of ends of the turn will arrive on it."""
        self._ends = count
        self._repeats_words = self._repeats_words or self.has_begun

    def hear_in_part(self, chunk: Chunk, heard: Message, part: str) -> None:
        if chunk not in self._taken:
            return
        self._heard = {"chunk": chunk.id, **heard}
        self._heard_part = "" if self.answer.is_left_out(chunk) else part
        if chunk is self._taken[-1]:
            self._note({**self._heard, "speaking": True})

    def _note_text(self, event: Message) -> None:
        if event["reply"] != self._number:
            self._number, self._text, self._text_ends = event["reply"], "", {}
        self._text += "" if event.get("filler") else event["text"]
        self._text_ends[event["id"]] = len(self._text)

    def _note(self, last: Message) -> None:
        end = self._text_ends.get(last["chunk"])
        self._note_last(last if end is None else {**last, "text": self._text[:end]})

    def _add(self, item: Chunk | list[Message]) -> None:
        if len(self._items) > MOST_AHEAD:
            raise VoiceError("too_many_chunks", "the gateway sent more chunks ahead than it may")
        self._items.append(item)
        self._new.set()

    def _spoken(self, chunk: Chunk) -> None:
        if chunk not in self._taken:
            return
        count = self._taken.index(chunk) + 1
        for before in self._taken[:count]:
            self.answer.hear(before)
        del self._taken[:count]
        self._heard, self._heard_part = None, ""
        if not self._taken:
            self._note({"chunk": chunk.id, "share": 1})
        self._send({"type": "continue", "chunk": chunk.id})
