"""What was said, for a gateway that does not know the session any more."""

from collections import deque
from collections.abc import Mapping

from ._reply import Message, Reply

MOST_TURNS = 200
MOST_CHARS = 50_000  # fit into one message to the gateway


class History:
    def __init__(self) -> None:
        self._replies: deque[Reply] = deque(maxlen=MOST_TURNS)

    def add(self, reply: Reply) -> None:
        self._replies.append(reply)

    def messages(self) -> list[Message]:
        """The newest ones, without questions that are asked again."""
        said: list[Message] = []
        for reply in self._replies:
            if reply.was_refused or not (reply.has_begun or reply.is_over):
                continue
            if reply.message["type"] in ("start", "commit"):
                said.append({"role": "user", "content": reply.message["text"]})
            if reply.heard_text and reply.message.get("history", True):
                said.append({"role": "assistant", "content": reply.heard_text})
        chars = 0
        for at in range(len(said) - 1, -1, -1):
            chars += len(said[at]["content"])
            if chars > MOST_CHARS:
                return said[at + 1 :]
        return said


def heard_part(speech: str, heard: Mapping[str, float | str]) -> str:
    """What a report says that was heard of a speech."""
    if "said" in heard:
        return str(heard["said"])
    if "words" in heard:
        return " ".join(speech.split()[: int(heard["words"])])
    if "chars" in heard:
        return speech[: int(heard["chars"])]
    return speech[: round(float(heard.get("share", 0)) * len(speech))]
