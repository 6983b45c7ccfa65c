import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

TOO_LARGE = "Error: the result is too large"  # what the model reads instead


@dataclass(frozen=True)
class Tool:
    """A function that the model may call. `parameters` is its JSON schema. `run` takes the arguments by name.
    The model reads its result: text as it is, anything else as JSON. With `later`, the model replies before
    `run` returns, and reads the result in the next turn."""

    run: Callable[..., Awaitable[Any]]
    description: str = ""
    parameters: Mapping[str, Any] | None = None
    later: bool = False


def schema_of(name: str, tool: Tool) -> dict[str, Any]:
    function = {"name": name, "description": tool.description, "parameters": tool.parameters or {}}
    return {"type": "function", "function": function}


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
