from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mark:
    """A mark for the voice, such as `[laughs]`, outside of the speech. It comes after `at` characters."""

    at: int
    tag: str
    label: str = ""


@dataclass(eq=False)
class Chunk:
    """A piece of a reply. `text` is exact; `speech` is for the voice, and may be empty."""

    id: str
    text: str
    speech: str
    boundary: str
    language: str = ""
    marks: list[Mark] = field(default_factory=list)
    filler: bool = False
    early: bool = False
    last: bool = False
    _on_spoken: Callable[["Chunk"], None] = field(default=lambda chunk: None, repr=False)

    def spoken(self) -> None:
        """Reports that the voice spoke this chunk and all earlier ones. No effect after an interruption."""
        self._on_spoken(self)


def chunk_of(event: Mapping[str, Any], on_spoken: Callable[[Chunk], None]) -> Chunk:
    return Chunk(
        id=event["id"],
        text=event["text"],
        speech=event["speech"],
        boundary=event["boundary"],
        language=event.get("language", ""),
        marks=[Mark(**mark) for mark in event.get("marks", [])],
        filler=event.get("filler", False),
        early=event.get("early", False),
        last=event.get("last", False),
        _on_spoken=on_spoken,
    )
