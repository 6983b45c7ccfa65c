"""A dialogue with the gateway: docs/voice-websocket.md."""

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ._calls import Calls
from ._chunk import Chunk
from ._error import VoiceError, error_of
from ._history import History, clamp_place, heard_part
from ._link import Link, Message
from ._question import is_question, join_questions, tell_before
from ._reply import INTERRUPTED, Reply
from ._tool import Tool

logger = logging.getLogger("tandem_voice")

REQUESTS = ("start", "commit", "say", "resume")
OPENING = "0"  # the turn of the first message


class Session:
    """One dialogue, with one reply at a time. Reopens a lost connection, and continues the running reply
    where it was. If that fails, all waits end with a VoiceError."""

    def __init__(
        self, url: str, key: str | None, opening: Message, tools: Mapping[str, Tool] | None
    ) -> None:
        """Without `tools`, the owner runs the calls that `reply.next_item()` returns, and answers them."""
        self._first, self._tools = opening, tools
        self._link = Link(url, key, self)
        self._calls = Calls(tools or {}, self._send, self._link.can_send)
        self._history = History()
        self._is_opened = False
        self._is_lost = False
        self._is_asking = False  # the session's first message requests a reply that nobody takes
        self._owes_interrupt = False  # the gateway has, or will begin, a reply that must not go on
        self._error: VoiceError | None = None
        self._turns = 0
        self._lookahead = 0  # of the last question
        self._replies: dict[str, Reply] = {}  # those that have not ended, in order
        self._stopped: list[Reply] = []  # sent ones, interrupted without a connection

    async def __aenter__(self) -> "Session":
        """Raises VoiceError if the gateway does not answer, or rejects the connection."""
        await self._link.open()
        self._is_opened = True
        if self._is_asking:
            self._send({"type": "interrupt"})
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def is_over(self) -> bool:
        return self._error is not None

    @property
    def continue_timeout(self) -> float:
        """How long the gateway waits for a chunk to be spoken, in seconds."""
        return float(self._link.limits["continue_timeout_ms"]) / 1000

    async def close(self) -> None:
        """Ends the session."""
        can_end = self._error is None and not self._is_lost
        await self._link.close({"type": "end"} if can_end else None)
        self._on_failed(VoiceError("closed", "the session was closed"))

    def ask(self, text: str, **fields: Any) -> Reply:
        """Requests a reply to the user's words, and interrupts a running one. `fields` are those of `start`.
        To leave a reply early, call interrupt()."""
        return self.start({"type": "start", "text": text, **fields})

    def commit(self, text: str, **fields: Any) -> Reply:
        """Like ask(), with the fields of `commit`. A draft for these words begins the
        reply."""
        return self.start({"type": "commit", "text": text, **fields})

    def say(self, text: str, *, history: bool = True) -> Reply:
        """Speaks a given text after the requested replies."""
        return self._begin({"type": "say", "text": text, "history": history})

    def resume(self) -> Reply:
        """Continues the interrupted reply: the interruption was a false alarm."""
        return self._begin({"type": "resume"})

    def interrupt(self, chunk: Chunk | None = None, **heard: float | str) -> None:
        """The user talks over the bot, and has heard this much of the current chunk: chars=, share=, words=
        or said=."""
        message: Message = {"type": "interrupt"}
        if chunk and heard:
            place = clamp_place(heard)
            message["heard"] = {"chunk": chunk.id, **place}
            self._note_heard(chunk, place)
        self._stop_replies()
        self._send(message)

    def heard(self, chunk: Chunk, **heard: float | str) -> None:
        """The user has heard this much of the chunk: chars=, share=, words= or said=."""
        place = clamp_place(heard)
        self._note_heard(chunk, place)
        self._send({"type": "heard", "chunk": chunk.id, **place})

    def speaking(self, chunk: Chunk, ends_in_ms: float) -> None:
        """Reports that the voice speaks the chunk, and when it will end."""
        self._send({"type": "speaking", "chunk": chunk.id, "ends_in_ms": ends_in_ms})

    def hearing(self, text: str, *, stable: int | None = None) -> None:
        """Reports what the user has said so far."""
        self._send({"type": "hearing", "text": text, **({} if stable is None else {"stable": stable})})

    def draft(self, text: str, **fields: Any) -> None:
        """Drafts the reply to a probable turn. `fields` are those of the next ask() or
        commit()."""
        self._send({"type": "draft", "text": text, "turn": str(self._turns + 1), **fields})

    def drop(self) -> None:
        """Drops the draft: the user continues to speak."""
        self._send({"type": "drop"})

    def start(self, message: Message) -> Reply:
        """Begins a turn of the user with this `start` or `commit`."""
        late = self._calls.late()
        message = tell_before(late, message)
        self._check({**message, "turn": str(self._turns + 1)})
        self._stop_replies()
        reply = self._begin(message)
        reply.late = late
        self._calls.forget_late(late)
        return reply

    def _check(self, message: Message) -> None:
        if self._error:
            raise self._error
        if not self._link.can_send(message):
            raise VoiceError("message_too_large", "the gateway takes no message of this size; send less")

    def _begin(self, message: Message) -> Reply:
        message["turn"] = str(self._turns + 1)
        self._check(message)
        self._turns += 1
        continues = not self._choose_lookahead(message)
        reply = Reply(message, self._send, self._note_last, continues=continues)
        self._link.send(message)
        self._replies[reply.turn] = reply
        if self._tools is not None:
            self._history.add(reply)
        return reply

    def _choose_lookahead(self, message: Message) -> int:
        """A resumed reply has the options of its question."""
        asked = message.get("options", {}).get("lookahead")
        lookahead: int = (self._first["options"].get("lookahead") if asked is None else asked) or 0
        if is_question(message):
            self._lookahead = lookahead
        return self._lookahead if message["type"] == "resume" else lookahead

    def _note_last(self, last: Message) -> None:
        self._link.last = last

    def _note_heard(self, chunk: Chunk, heard: Mapping[str, float | str]) -> None:
        for reply in self._open():
            reply.hear_in_part(chunk, dict(heard), heard_part(chunk.speech, heard))

    def _open(self) -> list[Reply]:
        """The replies that have not ended, in order."""
        return list(self._replies.values())

    def _send(self, message: Message) -> None:
        """No effect without a connection."""
        if not self._is_lost and self._error is None:
            self._link.send(message)

    def _stop_replies(self) -> None:
        replies = self._open()
        for reply in replies:
            reply.interrupt()
            if reply.awaits_results:  # the gateway drops the calls, and sends no other end
                self._finish(reply, INTERRUPTED)
        if self._is_lost:
            self._stopped += self._sent()
            for reply in replies:
                self._finish(reply, INTERRUPTED)
            self._owes_interrupt = True
            self._link.keep_waiting(is_question)

    # --- the connection

    def _opening(self, session: str | None) -> Message:
        if session:
            return {"type": "start", "session": session}
        if self._tools is None and self._is_opened:
            raise VoiceError("session_not_found", "the gateway does not know the session any more")
        self._begin_anew()
        messages = [*self._first.get("messages", ()), *self._history.messages()]
        self._is_asking = bool(messages) and messages[-1]["role"] in ("user", "tool")
        return {"type": "start", "turn": OPENING, **self._first, "messages": messages}

    def _on_lost(self, why: VoiceError | None) -> None:
        """Sent messages may or may not have arrived."""
        self._is_lost = True
        waiting = self._link.keep_waiting(lambda message: message["type"] in REQUESTS)
        for reply in self._open():
            if reply.message not in waiting:
                reply.lose()
                if why:
                    self._lose_session(reply, why)
            elif reply.is_interrupted:
                self._finish(reply, INTERRUPTED)

    def _on_ready(self, ready: Message) -> None:
        sent = self._sent()
        self._leave_questions()
        if ready["resumed"]:
            self._go_on(sent, ready.get("turns", []))
        else:
            self._owes_interrupt = self._is_asking
        self._stopped.clear()
        for result in reversed(self._calls.results):
            self._link.send_first(result)
        heard = self._heard_meanwhile()
        if self._owes_interrupt:
            self._link.send_first({"type": "interrupt", **({"heard": heard} if heard else {})})
        elif heard and heard.get("share") == 1:
            self._link.send_first({"type": "continue", "chunk": heard["chunk"]})
        elif heard:
            self._link.send_first({"type": "heard", **heard})
        self._is_lost = self._owes_interrupt = False

    def _heard_meanwhile(self) -> Message | None:
        """What was heard since the connection's first message reported that the voice
        speaks."""
        sent, last = self._link.sent_last, self._link.last
        if not sent or not last or not sent.get("speaking"):
            return None
        place = {name: part for name, part in last.items() if name not in ("text", "speaking")}
        return place if len(place) > 1 else None

    def _go_on(self, replies: list[Reply], turns: list[str]) -> None:
        """`turns` contains a turn once for each end that the gateway will send."""
        stopped = [reply for reply in replies if reply.is_interrupted]
        going_on = [reply for reply in replies if not reply.is_interrupted]
        # a gateway that knows a later request has also received the interrupt before it
        if turns and not any(reply.turn in turns for reply in going_on):
            self._owes_interrupt = True
        for reply in stopped:
            self._finish(reply, INTERRUPTED)
        for reply in reversed(going_on):
            if reply.turn in turns:
                reply.expect_ends(turns.count(reply.turn))
            elif reply.has_begun:  # only its end was lost
                self._finish(reply, INTERRUPTED)
            else:
                self._link.send_first(reply.message)
        self._leave(lost_questions([*self._stopped, *replies], turns))

    def _on_failed(self, error: VoiceError) -> None:
        if self._error:
            return
        self._error = error
        for reply in self._open():
            reply.fail(error)
        self._replies.clear()
        self._calls.cancel()

    def _begin_anew(self) -> None:
        """The next gateway has only the history. Sends the unanswered requests again."""
        self._calls.begin_session()
        self._link.keep_waiting(self._is_taken)  # the history contains the other messages
        lost = VoiceError("session_not_found", "the gateway does not know the session any more; ask again")
        for reply in reversed(self._sent()):
            if reply.is_interrupted:
                self._finish(reply, INTERRUPTED)
            elif reply.has_begun:
                self._lose_session(reply, lost)
            else:
                reply.expect_ends(1)
                self._link.send_first(reply.message)

    def _sent(self) -> list[Reply]:
        """The open replies whose requests were sent, in order."""
        waiting = self._link.waiting
        return [reply for reply in self._open() if reply.message not in waiting]

    def _is_taken(self, request: Message) -> bool:
        """Whether the application awaits the reply."""
        return request["turn"] in self._replies

    def _leave_questions(self) -> None:
        """Some questions were interrupted before they were sent."""
        left = [m for m in self._link.waiting if is_question(m) and not self._is_taken(m)]
        self._link.keep_waiting(self._is_taken)
        self._leave(left)

    def _leave(self, questions: list[Message]) -> None:
        """History keeps the questions; nobody takes their replies."""
        for question in join_questions(questions):
            self._link.send_first({"type": "interrupt"})
            self._link.send_first(question)

    # --- messages of the gateway

    def _on_message(self, event: Message) -> None:
        reply = self._replies.get(event.get("turn", ""))
        kind = event["type"]
        if kind in ("chunk", "end"):
            self._calls.note_reply(event["reply"])
        if kind == "error":
            self._take_error(event, reply)
        elif kind == "draft_skipped":
            logger.info("no draft of turn %s: %s", event.get("turn"), event["reason"])
        elif reply is None:
            return
        elif kind == "chunk":
            reply.take_chunk(event)
        elif kind == "call":
            reply.take_call(event)
            if self._tools is not None:
                self._calls.run(event)
        elif kind == "call_dropped":
            reply.open_calls.discard(event["call"])
        elif kind == "end" and reply.take_end(event):
            self._finish(reply, event)

    def _take_error(self, event: Message, reply: Reply | None) -> None:
        if event.get("param") == "content":
            self._calls.shorten(event.get("call", ""))
        # history keeps the first message of a reply that had begun
        is_opening_refused = event.get("turn") == OPENING and "text" not in event
        if reply:
            self._end_by(event, reply)
        elif (event.get("fatal") and not event["retryable"]) or is_opening_refused:
            raise error_of(event)
        elif event["code"] != "unknown_call":
            logger.warning("%s: %s", event["code"], event["message"])

    def _end_by(self, error: Message, reply: Reply) -> None:
        if "reply" in error and reply.take_early_end():
            return
        reply.was_refused = "text" not in error and not reply.has_begun
        if reply.was_refused and error["code"] != "content_policy":  # denied words would be denied again
            self._calls.tell_again(reply.late)
        if reply.is_interrupted:
            self._finish(reply, INTERRUPTED)
        else:
            self._fail(reply, error_of(error))
        # A rejected question interrupts nothing: interrupts here unless a later question is open.
        others = self._open()
        if reply.was_refused and others and all(other.is_interrupted for other in others):
            self._send({"type": "interrupt"})

    def _finish(self, reply: Reply, end: Message) -> None:
        reply.finish(end)
        self._forget(reply)

    def _fail(self, reply: Reply, error: VoiceError) -> None:
        reply.fail(error)
        self._forget(reply)

    def _lose_session(self, reply: Reply, error: VoiceError) -> None:
        reply.lose_session(error)
        self._forget(reply)

    def _forget(self, reply: Reply) -> None:
        self._replies.pop(reply.turn, None)

    def answer(self, call: Message, content: str) -> None:
        """Sends the result of a call, even of a dropped one, because the function has run."""
        for reply in self._replies.values():
            reply.open_calls.discard(call["id"])
        self._calls.answer(call, content)


def lost_questions(replies: list[Reply], turns: list[str]) -> list[Message]:
    """The interrupted questions that did not arrive, according to the `turns` of `ready`. If a later
    request arrived, they did, too."""
    lost: list[Message] = []
    for reply in replies:
        if reply.turn in turns or reply.has_begun:
            lost.clear()
        elif reply.is_interrupted and is_question(reply.message):
            lost.append(reply.message)
    return lost
