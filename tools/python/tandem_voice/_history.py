"""The dialogue so far, for a gateway that no longer knows the session."""

import json
import math
from collections import deque
from collections.abc import Mapping

from ._answer import join_texts
from ._question import is_question
from ._reply import Message, Reply

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
            if is_question(reply.message):
                said += reply.late
                said.append({"role": "user", "content": reply.message["text"]})
            if reply.message.get("history", True):
                for message in reply.messages():
                    self._add(said, message)
        return newest(said)

    @staticmethod
    def _add(said: list[Message], message: Message) -> None:
        """A resumed reply continues the previous one."""
        if said and message["role"] == said[-1]["role"] == "assistant":
            message["content"] = join_texts(said.pop()["content"], message["content"])
        said.append(message)


def newest(messages: list[Message]) -> list[Message]:
    """As many of the newest messages as are sure to fit into one message to the gateway."""
    chars, begin = 0, len(messages)
    for at in range(len(messages) - 1, -1, -1):
        calls = messages[at].get("tool_calls")
        chars += len(messages[at]["content"]) + (len(json.dumps(calls)) if calls else 0)
        if chars > MOST_CHARS:
            break
        if messages[at]["role"] != "tool":  # no result comes without its call
            begin = at
    return messages[begin:]


PLACES = ("chars", "share", "words", "said")


def clamp_place(heard: Mapping[str, float | str]) -> dict[str, float | str]:
    """Clamps the report to its bounds, because a computed position may exceed them."""
    if len(heard) != 1 or not set(heard) <= set(PLACES):
        raise ValueError(f"give one of chars=, share=, words= or said=, not {', '.join(heard) or 'none'}")
    place: dict[str, float | str] = {}
    for name, value in heard.items():
        if isinstance(value, str):
            place[name] = value
        elif not math.isfinite(value):
            raise ValueError(f"{name}={value} is no place")
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
