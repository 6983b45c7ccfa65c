from collections.abc import Mapping
from typing import Any


class VoiceError(Exception):
    """`code` is for programs: the gateway's code, or "connection_lost", "taken_over" or "closed".
    `retry_after` is in seconds; None if unknown."""

    def __init__(
        self, code: str, message: str, *, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message
        self.retryable, self.retry_after = retryable, retry_after


def error_of(event: Mapping[str, Any]) -> VoiceError:
    """The error that a message of the gateway reports."""
    wait = event.get("retry_after_ms")
    return VoiceError(
        event["code"],
        event["message"],
        retryable=event.get("retryable", False),
        retry_after=None if wait is None else wait / 1000,
    )
