"""What the listener heard of a turn, and the functions that the model called."""

from collections.abc import Iterable
from typing import NamedTuple

from ._chunk import Chunk
from ._link import Message

# what the gateway writes for a missing result
NO_RESULT = "No result: interrupted."
COMES_LATER = "The result comes later."


def join_texts(before: str, after: str) -> str:
    """Joins two texts that are not parts of the same reply of the gateway."""
    return f"{before.rstrip()} {after.lstrip()}".strip()


class Heard(NamedTuple):
    text: str
    number: str  # of the gateway's reply that contains the end of the text


class Answer:
    def __init__(self) -> None:
        self._heard: dict[int, Heard] = {}  # by the number of replies with calls before the text
        self._rounds: list[list[Message]] = []  # the calls of each reply with calls
        self._places: dict[str, int] = {}  # by chunk: where its text is in _heard
        self._repeated: set[str] = set()  # fillers that repeat unheard words of an earlier reply

    def note_chunk(self, event: Message, *, is_repeated: bool) -> None:
        count = len(self._rounds)
        if is_repeated:
            self._repeated.add(event["id"])
        # repeated words precede the last calls
        is_before = count > 0 and (is_repeated or self._rounds[-1][0]["reply"] == event["reply"])
        self._places[event["id"]] = count - 1 if is_before else count

    def note_call(self, event: Message) -> None:
        """The call's last message with a result will be its `result`."""
        if not self._rounds or self._rounds[-1][0]["reply"] != event["reply"]:
            self._rounds.append([])
        self._rounds[-1].append(event)

    def is_left_out(self, chunk: Chunk) -> bool:
        """Whether history has no text of the chunk."""
        return chunk.filler and chunk.id not in self._repeated

    def hear(self, chunk: Chunk) -> None:
        self._heard = self._with(self._heard, chunk)

    def hear_part(self, chunk_id: str, part: str) -> None:
        place = self._places[chunk_id]
        before = self._heard.get(place, Heard("", ""))
        self._heard[place] = Heard(join_texts(before.text, part), "")

    def messages(self, taken: Iterable[Chunk] = ()) -> list[Message]:
        """The messages of the assistant and its tools. `taken`: chunks that will be spoken."""
        heard = self._heard
        for chunk in taken:
            heard = self._with(heard, chunk)
        messages: list[Message] = []
        rounds: list[list[Message]] = [*self._rounds, []]
        for at, calls in enumerate(rounds):
            said: Message = {"role": "assistant", "content": heard[at].text if at in heard else ""}
            if calls:
                said["tool_calls"] = [{name: call[name] for name in ("id", "name", "arguments")} for call in calls]
            if calls or said["content"].strip():
                messages += [said, *(tool_message(call) for call in calls)]
        return messages

    def _with(self, heard: dict[int, Heard], chunk: Chunk) -> dict[int, Heard]:
        if self.is_left_out(chunk):
            return heard
        place = self._places[chunk.id]
        before = heard.get(place, Heard("", ""))
        number = "" if chunk.filler else chunk.id.partition("-")[0]
        is_same = not before.text or number == before.number
        text = before.text + chunk.text if is_same else join_texts(before.text, chunk.text)
        return {**heard, place: Heard(text, number)}


def tool_message(call: Message) -> Message:
    result = call.get("result", {"content": NO_RESULT})
    content = result.get("content", COMES_LATER)  # none in an interim result
    return {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": content}
