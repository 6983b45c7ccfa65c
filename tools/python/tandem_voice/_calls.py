"""The functions that the model calls, and their results."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping

from ._history import MOST_CHARS
from ._link import Message
from ._tool import TOO_LARGE, Tool, text_of

logger = logging.getLogger("tandem_voice")


class Calls:
    def __init__(
        self,
        tools: Mapping[str, Tool],
        send: Callable[[Message], None],
        can_send: Callable[[Message], bool],
    ) -> None:
        self._tools, self._send, self._can_send = tools, send, can_send
        self._sessions = 0
        self._results: list[tuple[str, Message]] = []  # of a reply's calls; the gateway may lack them
        self._late: list[Message] = []  # what the next question tells about calls of earlier sessions
        self._running: set[asyncio.Task[None]] = set()

    def begin_session(self) -> None:
        """The next gateway has only the history, so it knows no calls."""
        self._sessions += 1
        self._results.clear()

    @property
    def results(self) -> list[Message]:
        """The results that the gateway may lack."""
        return [result for _, result in self._results]

    def note_reply(self, number: str) -> None:
        """A reply of the gateway follows the results of earlier ones."""
        self._results = [(of, result) for of, result in self._results if of == number]

    def run(self, call: Message) -> None:
        task = asyncio.create_task(self._run(call, self._sessions))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def cancel(self) -> None:
        for task in self._running:
            task.cancel()

    def answer(self, call: Message, content: str) -> None:
        """Sends the result of a call, even of a dropped one, because the function has run."""
        self._give(call, {"content": content, "keep": True})

    def shorten(self, call: str) -> None:
        """The total size of a reply's results is limited, too."""
        for _, result in self._results:
            if result["call"] == call and result.get("content") not in (None, TOO_LARGE):
                result["content"] = TOO_LARGE
                self._send(result)

    def late(self) -> list[Message]:
        """The next question's messages about calls of earlier sessions: as many as are sure to fit."""
        chars = 0
        for count, message in enumerate(self._late):
            chars += len(message["content"])
            if chars > MOST_CHARS:
                return self._late[:count]
        return self._late[:]

    def forget_late(self, told: list[Message]) -> None:
        del self._late[: len(told)]

    def tell_again(self, refused: list[Message]) -> None:
        self._late[:0] = refused

    async def _run(self, call: Message, session: int) -> None:
        name, arguments = call["name"], call["arguments"]
        try:
            if name not in self._tools:
                raise LookupError(f"there is no function {name}")
            if not isinstance(arguments, dict):
                raise ValueError(f"the arguments are not an object: {arguments}")
            if self._tools[name].later:
                self._give(call, {"later": True})
            content = text_of(await self._tools[name].run(**arguments))
        except Exception as error:
            logger.exception("the function %s failed", name)
            content = f"Error: {error}"
        if session == self._sessions:
            self.answer(call, content)
        else:  # the gateway does not know the call
            self._late.append(late_message(call, content))

    def _give(self, call: Message, answer: Message) -> None:
        result = {"type": "result", "call": call["id"], **answer}
        if not self._can_send(result):
            result["content"] = TOO_LARGE
        call["result"] = result  # for the history
        self._results.append((call["reply"], result))
        self._send(result)


def late_message(call: Message, content: str) -> Message:
    """What the gateway itself writes about a late result."""
    about = f"Result of {call['name']} {json.dumps(call['arguments'], ensure_ascii=False)}: "
    text = content if len(about) + len(content) <= MOST_CHARS else TOO_LARGE
    return {"role": "user", "content": about + text}
