"""A connection to /v1/voice. It is reopened when it is lost."""

import asyncio
import json
import math
import random
import re
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import websockets
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from ._error import VoiceError, error_of

connect: Any = getattr(websockets, "connect")  # of a lazy module, so without a type

Message = dict[str, Any]

PROTOCOL = "tandem.voice.v1"
OPEN_WITHIN = 10.0
CLOSE_WITHIN = 2.0
PING_EVERY = 10.0
FIRST_WAIT, LONGEST_WAIT = 0.3, 5.0
RESTART_WAIT = 2.0
TRIES = 8
MOST_WAITING = 256
MOST_BYTES = 4 << 20

# no status, or client errors after which a later try may succeed: timeout, too early, too many requests
RETRIED_STATUSES = (0, 408, 425, 429)

RESTARTING, BROKEN, TAKEN_OVER, MOVED = 1012, 1011, 4001, 4012


class Owner(Protocol):
    """Receives the events of a link."""

    def _opening(self, session: str | None) -> Message:
        """The first message of a connection; `session` is None if the gateway knows none to resume."""

    def _on_ready(self, ready: Message) -> None:
        """The connection was reopened. Messages that were added before wait until this returns."""

    def _on_message(self, event: Message) -> None: ...

    def _on_lost(self, why: VoiceError | None) -> None:
        """Nothing is sent until _on_ready(). `why`: the error with which the gateway ended the session."""

    def _on_failed(self, error: VoiceError) -> None:
        """The link has ended: no further event follows."""


def encode(message: Message) -> str:
    """Encodes the message as JSON. Replaces lone surrogates, because they are not text."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace").decode()


class Link:
    def __init__(self, url: str, key: str | None, owner: Owner) -> None:
        self._url = re.sub("^http", "ws", url.rstrip("/"))
        # not a header, because the parameter for headers differs between versions of websockets
        self._protocols = [PROTOCOL, f"tandem-api-key.{key}"] if key else [PROTOCOL]
        self._owner = owner
        self.limits: Message = {}
        self.last: Message | None = None  # what the listener heard last, for the next connection
        self.sent_last: Message | None = None  # `last` in the first message of the connection
        self._session: str | None = None
        self._socket: Any = None
        self._waiting: deque[tuple[Message, str]] = deque()
        self._added = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._is_closing = False

    async def open(self) -> None:
        """Raises VoiceError if the gateway does not answer, or rejects the connection."""
        await self._open()
        self._running = asyncio.create_task(self._run())

    def can_send(self, message: Message) -> bool:
        """Whether the gateway accepts a message of this size."""
        most = float(self.limits.get("message_bytes", math.inf))
        return len(encode(message).encode()) <= most

    def send(self, message: Message) -> None:
        if len(self._waiting) >= MOST_WAITING:
            raise VoiceError("too_many_messages", f"{MOST_WAITING} messages wait to be sent")
        self._add(message)

    def _add(self, message: Message) -> None:
        self._waiting.append((message, encode(message)))
        self._added.set()

    def send_first(self, message: Message) -> None:
        self._waiting.appendleft((message, encode(message)))
        self._added.set()

    @property
    def waiting(self) -> list[Message]:
        """The messages that were not sent."""
        return [message for message, _ in self._waiting]

    def keep_waiting(self, is_kept: Callable[[Message], bool]) -> list[Message]:
        """Keeps only the unsent messages for which `is_kept` is true, and returns them."""
        self._waiting = deque(waiting for waiting in self._waiting if is_kept(waiting[0]))
        return self.waiting

    async def close(self, last: Message | None) -> None:
        """Sends the message, waits until the gateway closes the connection, and closes it, too."""
        self._is_closing = True
        if self._running:
            if last:
                self._add(last)
                await asyncio.wait([self._running], timeout=CLOSE_WITHIN)
            self._running.cancel()
        if self._socket:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._socket.close(), CLOSE_WITHIN)

    async def _run(self) -> None:
        try:
            while True:
                self._owner._on_lost(await self._serve())
                self._owner._on_ready(await self._open_again())
        except VoiceError as error:
            self._owner._on_failed(error)
        except Exception as error:
            self._owner._on_failed(VoiceError("invalid_message", f"cannot read the gateway: {error!r}"))
            raise

    async def _serve(self) -> VoiceError | None:
        """Returns when the connection is lost: the error that ended the session, or None. Raises VoiceError
        if the connection must not be reopened."""
        writing = asyncio.create_task(self._write())
        try:
            while True:
                self._owner._on_message(json.loads(await self._socket.recv()))
        except ConnectionClosed:
            pass
        finally:
            writing.cancel()
        code = self._socket.close_code
        if self._is_closing:
            raise VoiceError("closed", "the session was closed")
        if code == TAKEN_OVER:
            raise VoiceError("taken_over", "another connection took the session")
        if code == BROKEN:
            self._session = None
            return VoiceError("internal_error", "the gateway ended the session by an internal error")
        return None

    async def _write(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                while self._waiting:
                    _, text = self._waiting.popleft()
                    await self._socket.send(text)
                self._added.clear()
                await self._added.wait()

    async def _open_again(self) -> Message:
        """Returns `ready`."""
        wait, error = FIRST_WAIT, VoiceError("connection_lost", "the connection was lost")
        least = RESTART_WAIT if self._socket.close_code == RESTARTING else 0.0
        is_moved = self._socket.close_code == MOVED
        for _ in range(TRIES):
            if not is_moved:
                await asyncio.sleep(max(least, wait * random.uniform(0.75, 1.25)))
            is_moved = False
            try:
                return await self._open()
            except VoiceError as failed:
                if not failed.retryable:
                    raise
                error, least, wait = failed, failed.retry_after or 0.0, min(2 * wait, LONGEST_WAIT)
        raise VoiceError("connection_lost", f"{TRIES} tries to connect again failed: {error.message}")

    async def _open(self) -> Message:
        """Returns `ready`."""
        address = f"{self._url}/v1/voice"
        try:
            self._socket = await connect(
                address,
                subprotocols=self._protocols,
                open_timeout=OPEN_WITHIN,
                max_size=MOST_BYTES,
                ping_interval=PING_EVERY,
                ping_timeout=PING_EVERY,
                close_timeout=CLOSE_WITHIN,
            )
            event = await asyncio.wait_for(self._greet(), OPEN_WITHIN)
        except InvalidURI as error:
            why = f"{self._url} is no URL of a gateway; pass one such as http://127.0.0.1:8090"
            raise VoiceError("connect_failed", why) from error
        except InvalidHandshake as error:
            raise refusal(address, error, len(self._protocols) > 1) from error
        except (OSError, ConnectionClosed, asyncio.TimeoutError) as error:
            why = str(error) or f"no answer within {OPEN_WITHIN:g} s"
            # A gateway that was trusted before may be replacing its certificate.
            is_final = self._running is None and isinstance(error, ssl.SSLCertVerificationError)
            raise VoiceError("connect_failed", f"{address}: {why}", retryable=not is_final) from error
        if event["type"] != "ready":
            await self._socket.close()
            raise error_of(event)
        self._session, self.limits = event["session"], event["limits"]
        if not event["resumed"]:
            self.last = None
        return event

    async def _greet(self) -> Message:
        """Returns the gateway's first message."""
        try:
            while True:
                opening = self._owner._opening(self._session)
                self.sent_last = self.last if self._session else None
                if self.sent_last:
                    opening["last"] = self.sent_last
                await self._socket.send(encode(opening))
                event: Message = json.loads(await self._socket.recv())
                if event.get("code") == "session_not_found":
                    self._session = None
                elif not str(event.get("param")).startswith("last"):
                    return event
                self.last = None
        except BaseException:
            await self._socket.close()
            raise


def refusal(address: str, error: InvalidHandshake, has_key: bool) -> VoiceError:
    """The error for the HTTP status of a rejected handshake."""
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", getattr(response, "status_code", 0))
    if status in (401, 403):
        why = "refuses the key" if has_key else "requires an API key: pass it as key"
        return VoiceError("invalid_api_key", f"{address}: the gateway {why} ({status})")
    is_retryable = status in RETRIED_STATUSES or status >= 500
    return VoiceError("connect_failed", f"{address}: {error}", retryable=is_retryable)
