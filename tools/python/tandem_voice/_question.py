"""Requests for a reply to words of the user."""

from collections.abc import Sequence

from ._link import Message


def is_question(message: Message) -> bool:
    return message["type"] in ("start", "commit")


def tell_before(told: Sequence[Message], question: Message) -> Message:
    """The question after these messages. Only a `start` can contain them."""
    if not told:
        return question
    return {**question, "type": "start", "messages": [*told, *question.get("messages", ())]}


def join_questions(questions: Sequence[Message]) -> list[Message]:
    """One message with the words of all, because the gateway limits how many turns wait; none if there
    are no words."""
    said = [message for question in questions for message in words_of(question)]
    return [{"type": "start", "turn": questions[-1]["turn"], "messages": said}] if said else []


def words_of(question: Message) -> list[Message]:
    text = question.get("text", "")
    return [*question.get("messages", ()), *([{"role": "user", "content": text}] if text.strip() else [])]
