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
