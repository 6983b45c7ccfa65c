import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

from ._chunk import Chunk, chunk_of
from ._error import VoiceError
from ._repeated import Repeated

Message = dict[str, Any]

# More than the gateway sends ahead (lookahead is at most 8).
MOST_HAD = 16

INTERRUPTED: Message = {"type": "end", "finish_reason": "interrupted"}


class Reply(AsyncIterator[Chunk]):
    """The chunks of a turn, to its end, with those of the replies to the results of functions.

    Taking the next chunk says that the one before was spoken; with the option `lookahead`, only
    chunk.spoken() does. `end` is the last `end` message, when it is here: finish_reason, usage, metrics."""

    def __init__(self, message: Message, send: Callable[[Message], None], *, continues: bool) -> None:
        self.turn: str = message["turn"]
        self.end: Message | None = None
        self.message = message
        self.is_interrupted = False
        self.is_unseen = False  # since the connection was lost
        self.was_refused = False
        self.is_over = False
        self.heard_text = ""
        self.has_lost_calls = False  # with the connection
        self.open_calls: set[str] = set()  # whose results the gateway awaits
        self._send, self._continues = send, continues
        self._items: deque[Chunk | list[Message]] = deque()
        self._calls: list[Message] = []
        self._new = asyncio.Event()
        self._error: VoiceError | None = None
        self._had: list[Chunk] = []  # taken, and maybe not known to be heard
        self._number: str | None = None  # of the gateway's newest reply
        self._repeated: Repeated | None = None
        self._awaits_lost_end = False
        self._has_lost_items = False
        self._is_heard_in_part = False  # the first chunk of _had, or a later one
        self._heard_part = ""  # of the chunk that is being spoken

    async def __anext__(self) -> Chunk:
        if self._continues and self._had:
            self._spoken(self._had[-1])
        while True:
            item = await self.next_item()
            if item is None:
                raise StopAsyncIteration
            if isinstance(item, Chunk):
                return item

    async def next_item(self) -> Chunk | list[Message] | None:
        """The next chunk, or all calls of a reply after its chunks; None at the end."""
        while not self._items and not self.is_over:
            self._new.clear()
            await self._new.wait()
        if self._error:
            raise self._error
        if not self._items:
            return None
        item = self._items.popleft()
        if isinstance(item, Chunk):
            self._had.append(item)
        return item

    @property
    def has_begun(self) -> bool:
        return self._number is not None

    def take_chunk(self, event: Message) -> None:
        self.is_unseen = False
        if self.is_interrupted:
            return
        self._forget_heard(event)
        self._number = event["reply"]
        self._awaits_lost_end = False
        chunk = self._without_repeated(chunk_of(event, self._spoken))
        if chunk:
            self._add(chunk)

    def take_call(self, event: Message) -> None:
        self.is_unseen = False
        self._number = event["reply"]
        self._calls.append(event)
        self.open_calls.add(event["id"])

    def take_end(self, event: Message) -> bool:
        """Whether the turn is over."""
        self.is_unseen = False
        reason = event["finish_reason"]
        if self._awaits_lost_end:
            self._awaits_lost_end = False
            if reason in ("interrupted", "tool_calls") or self._has_unheard():
                return False
        if reason == "tool_calls":
            self._add(self._calls)
            self._calls = []
            return False
        self.finish(event)
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

    def interrupt(self) -> None:
        """Nothing comes but the end."""
        self.is_interrupted = True
        self.heard_text = f"{self.heard_text} {self._heard_part}".strip()
        self._heard_part = ""
        self.open_calls.clear()
        self._items.clear()
        self._had.clear()

    def lose(self) -> None:
        """The connection is lost. What was not taken comes again."""
        self.is_unseen = True
        self._awaits_lost_end = True
        self._has_lost_items = bool(self._items)
        self._items.clear()
        self._calls = []
        self.has_lost_calls = self.has_lost_calls or bool(self.open_calls)
        self.open_calls.clear()
        self._repeated = Repeated(self._had, is_heard_in_part=self._is_heard_in_part)

    def begin_again(self) -> None:
        """The gateway does not know the turn, and is asked again."""
        self.is_unseen = self._awaits_lost_end = False

    def hear_in_part(self, chunk: Chunk, part: str) -> None:
        if chunk in self._had and not chunk._is_spoken:
            self._is_heard_in_part, self._heard_part = True, part

    def _add(self, item: Chunk | list[Message]) -> None:
        if len(self._items) > MOST_HAD:
            raise VoiceError("too_many_chunks", "the gateway sent more chunks ahead than it may")
        self._items.append(item)
        self._new.set()

    def _has_unheard(self) -> bool:
        return self._has_lost_items or any(not chunk._is_spoken for chunk in self._had)

    def _spoken(self, chunk: Chunk) -> None:
        if chunk._is_spoken or chunk not in self._had:
            return
        for before in self._had[: self._had.index(chunk) + 1]:
            if not before._is_spoken and not before.filler:
                self.heard_text += before.text
            before._is_spoken = True
        self._heard_part = ""
        self._send({"type": "continue", "chunk": chunk.id})

    def _forget_heard(self, event: Message) -> None:
        """A chunk that is not early shows that the gateway has received each continue."""
        if event["reply"] == self._number and not event.get("early") and self._repeated is None:
            self._had = [chunk for chunk in self._had if not chunk._is_spoken]
            self._is_heard_in_part = False
        while len(self._had) > MOST_HAD and self._had[0]._is_spoken:
            del self._had[0]

    def _without_repeated(self, chunk: Chunk) -> Chunk | None:
        """The part of a chunk that the consumer does not have."""
        if self._repeated is None or chunk.filler:
            return chunk
        overlap = self._repeated.take(chunk.text)
        if overlap.had is None:
            self._repeated = None
            return chunk
        if not overlap.rest:
            self._repeat(overlap.had, chunk.id)
            return None
        self._repeated = None
        return Chunk(
            id=chunk.id,
            text=overlap.rest,
            speech=overlap.rest.strip(),
            boundary=chunk.boundary,
            early=chunk.early,
            last=chunk.last,
            _on_spoken=self._spoken,
        )

    def _repeat(self, had: Chunk, new_id: str) -> None:
        """The consumer may speak this chunk still; its next reports name the new one."""
        had.id = new_id
        if had._is_spoken:
            self._send({"type": "continue", "chunk": new_id})
