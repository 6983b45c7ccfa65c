from collections.abc import Mapping, Sequence
from typing import Any

from ._link import Message
from ._session import Session
from ._tool import Tool, schema_of


def connect(
    url: str,
    *,
    key: str | None = None,
    model: str | None = None,
    system: str | None = None,
    messages: Sequence[Mapping[str, Any]] = (),
    options: Mapping[str, Any] | None = None,
    tools: Mapping[str, Tool] | None = None,
) -> Session:
    """A session, to be entered with `async with`. `url` is the gateway's, such as http://127.0.0.1:8090;
    `messages` are a history that follows `system`; `options` are those of `start`."""
    told = [{"role": "system", "content": system}] if system else []
    opening: Message = {"messages": [*told, *messages], "options": dict(options or {})}
    if model:
        opening["model"] = model
    if tools:
        opening["options"]["tools"] = [schema_of(name, tool) for name, tool in tools.items()]
    return Session(url, key, opening, tools or {})
