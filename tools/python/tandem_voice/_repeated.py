"""After a lost connection, the gateway repeats what it does not know to be heard."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ._chunk import Chunk


@dataclass
class Overlap:
    """What a chunk repeats: the end of `had`, and then comes the new text `rest`."""

    had: Chunk | None
    rest: str


class Repeated:
    """Finds the parts of the new chunks that the consumer `had`. The first new chunk begins where one
    of these begins, after the words of one that were reported as heard, or after all of them."""

    def __init__(self, had: Sequence[Chunk], *, is_heard_in_part: bool = False) -> None:
        self._had = [chunk for chunk in had if not chunk.filler]
        self._text = "".join(chunk.text for chunk in self._had)
        self._ends = list(accumulate(len(chunk.text) for chunk in self._had))
        self._is_heard_in_part = is_heard_in_part
        self._at: int | None = None

    def take(self, text: str) -> Overlap:
        """Of the next chunk."""
        if self._at is None:
            self._at = self._start_of(text)
        left = self._text[self._at :].strip()
        words = text.strip()
        if not left or not words or not agree(left, words):
            self._at = len(self._text)
            return Overlap(None, text)
        if len(words) <= len(left):
            self._at = self._text.index(words, self._at) + len(words)
            return Overlap(self._chunk_before(self._at), "")
        self._at = len(self._text)
        return Overlap(self._had[-1], words[len(left) :])

    def _start_of(self, text: str) -> int:
        starts = [0, *self._ends[:-1]]
        if self._is_heard_in_part:
            starts += [i + 1 for i, c in enumerate(self._text) if c.isspace()]
        for at in starts:
            left = self._text[at:].strip()
            if left and agree(left, text.strip()):
                return at
        return len(self._text)

    def _chunk_before(self, at: int) -> Chunk:
        return next(chunk for chunk, end in zip(self._had, self._ends) if at <= end)


def agree(left: str, right: str) -> bool:
    """One begins with the other."""
    return left.startswith(right) or right.startswith(left)
