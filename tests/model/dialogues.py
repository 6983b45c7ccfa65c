"""Reads the dialogues and turns them into training rows."""

import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PATHS = [HERE / "dialogues.jsonl", HERE / "calls.jsonl"]
TEMPLATE = (HERE / "chat_template.jinja").read_text(encoding="utf-8").rstrip("\n")


@dataclass
class Row:
    """Token ids, and for each id whether the model must learn it by heart."""

    ids: list
    learn: list


def load():
    return [json.loads(line) for path in PATHS for line in path.read_text(encoding="utf-8").splitlines()]


def texts(dialogues):
    """Returns the texts from which the vocabulary is learnt."""
    said = [message["content"] for dialogue in dialogues for message in dialogue["messages"]]
    return said + [introduction(read_tools(name)) for name in tool_files(dialogues)]


def tool_files(dialogues):
    return sorted({dialogue["tools"] for dialogue in dialogues if "tools" in dialogue})


def read_tools(name):
    """Reads a file of `tandem chat --tools`, as the server passes it to the template."""
    return [{"type": "function", "function": tool["function"]} for tool in json.loads((HERE / name).read_text())]


def introduction(tools, sort_keys=False):
    """Returns the list of the tools as chat_template.jinja writes it."""
    lines = [json.dumps(tool, sort_keys=sort_keys) for tool in tools]
    example = '<tool_call>\n{"name": "function", "arguments": {}}\n</tool_call>'
    return "\n".join(["Functions that you may call:", *lines, "Write a call like this:", example])


def with_tools(dialogue, rng=None):
    """Returns the dialogue with its tools in the system's text.

    With `rng`, the order of the tools and of their fields varies. Thus the model calls tools by what the user
    says, even if a client writes the list differently.
    """
    if "tools" not in dialogue:
        return dialogue
    tools = read_tools(dialogue["tools"])
    if rng:
        rng.shuffle(tools)
    text = introduction(tools, sort_keys=bool(rng) and rng.random() < 0.5)
    messages = dialogue["messages"]
    if messages[0]["role"] == "system":
        text, messages = messages[0]["content"] + "\n\n" + text, messages[1:]
    return {**dialogue, "messages": [{"role": "system", "content": text}, *messages]}


def head(message):
    return f"<|im_start|>{message['role']}\n"


def common_prefix(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def reply_row(tokenizer, text):
    ids = tokenizer.encode(text + "<|im_end|>")
    return Row(ids, [True] * len(ids))


def cut_reply_row(tokenizer, text, cut):
    """Returns the row of a reply that was cut after `cut` tokens and continued from its text.

    The server tokenizes the text before the cut again, and may split the end of the text differently. The
    model reads this end but does not learn it: after the cut, it must continue as if there were no cut.
    """
    whole = reply_row(tokenizer, text)
    try:
        before = tokenizer.encode(tokenizer.decode(whole.ids[:cut]).decode())
    except UnicodeDecodeError:
        return whole  # the server never sends half a character, so no cut is possible here
    same = common_prefix(before, whole.ids)
    learn = [i < same for i in range(len(before))]
    return Row(before + whole.ids[cut:], learn + whole.learn[cut:])


def dialogue_row(tokenizer, dialogue, rng=None):
    """Returns the row of a dialogue. With `rng`, each reply is cut at a random token and continued."""
    row = Row([], [])
    for message in dialogue["messages"]:
        opening = tokenizer.encode(head(message))
        if message["role"] == "assistant":
            length = len(tokenizer.encode(message["content"]))
            cut = rng.randint(0, length) if rng else 0
            body = cut_reply_row(tokenizer, message["content"], cut)
        else:
            opening = tokenizer.encode(head(message) + message["content"] + "<|im_end|>")
            body = Row([], [])
        ending = tokenizer.encode("\n")
        row.ids += opening + body.ids + ending
        row.learn += [False] * len(opening) + body.learn + [False] * len(ending)
    return row
