"""The dialogue so far, for a gateway that no longer knows the session."""

from collections import deque
from collections.abc import Mapping

from ._reply import Message, Reply, join_texts

MOST_TURNS = 200
MOST_CHARS = 50_000  # small enough for one message to the gateway


class History:
    def __init__(self) -> None:
        self._replies: deque[Reply] = deque(maxlen=MOST_TURNS)

    def add(self, reply: Reply) -> None:
        self._replies.append(reply)

    def messages(self) -> list[Message]:
        """The newest messages, without questions that will be asked again."""
        said: list[Message] = []
        for reply in self._replies:
            if reply.was_refused or not (reply.has_begun or reply.is_over):
                continue
            if reply.message["type"] in ("start", "commit"):
                said.append({"role": "user", "content": reply.message["text"]})
            spoken = reply.spoken_text()
            if spoken and reply.message.get("history", True):
                self._add_answer(said, spoken)
        chars = 0
        for at in range(len(said) - 1, -1, -1):
            chars += len(said[at]["content"])
            if chars > MOST_CHARS:
                return said[at + 1 :]
        return said

    @staticmethod
    def _add_answer(said: list[Message], text: str) -> None:
        """A resumed reply continues the previous one."""
        if said and said[-1]["role"] == "assistant":
            said[-1]["content"] = join_texts(said[-1]["content"], text)
        else:
            said.append({"role": "assistant", "content": text})


PLACES = ("chars", "share", "words", "said")


def clamp_place(heard: Mapping[str, float | str]) -> dict[str, float | str]:
    """Clamps the report to its bounds, because a computed position may exceed them."""
    if len(heard) != 1 or not set(heard) <= set(PLACES):
        raise ValueError(f"give one of chars=, share=, words= or said=, not {', '.join(heard) or 'none'}")
    place: dict[str, float | str] = {}
    for name, value in heard.items():
        if isinstance(value, str):
            place[name] = value
        else:
            place[name] = min(max(value, 0.0), 1.0) if name == "share" else max(round(value), 0)
    return place


def heard_part(speech: str, heard: Mapping[str, float | str]) -> str:
    """The part of a speech that was heard according to a report, without a partial word."""
    if "said" in heard:
        return str(heard["said"])
    if "words" in heard:
        return " ".join(speech.split()[: int(heard["words"])])
    chars = int(heard["chars"]) if "chars" in heard else round(float(heard.get("share", 0)) * len(speech))
    part, rest = speech[:chars], speech[chars:]
    is_cut = any(c.isalnum() for c in rest.split(" ")[0]) and not part.endswith(" ")
    return part.rpartition(" ")[0] if is_cut and " " in speech else part
