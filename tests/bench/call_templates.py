"""Checks that tandem reads function calls in the formats of chat templates. Runs `tandem serve` in front of
a real llama-server, once for each template in a folder such as llama.cpp's models/templates.

  call_templates.py FOLDER
  call_templates.py FOLDER --only GLM --only Qwen3 --verbose

A grammar makes a model of noise write each reply of call_formats.py. A template passes if the calls are
read and only the words are spoken, with and without functions. docs/conversations.md contains the results.
The environment variable TANDEM_COMMAND contains the path of the command. Exit status: 1 if a template
fails; 77 without aiohttp or a server.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request

import call_formats
import noise_model

try:
    import aiohttp
except ImportError:
    print("SKIPPED: python3-aiohttp is missing; tools/setup.sh tests installs it")
    sys.exit(77)

LLAMA_SERVER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "llama-server.sh"
NO_SERVER = 3
# What templates write as one token of the model. Tags without a bar, such as <tool_call>, are text in most models.
SPECIAL = re.compile(r"<[|｜][^<>\s]{1,40}>|<[^<>\s|｜]{1,40}[|｜]>|\[/?[A-Z_]{3,40}\]|\]<\]\w+\[>\[|</?\w+:\w*call\w*>")
QUESTION = {"role": "user", "content": "What time is it?"}


def function(name, properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": "A function.", "parameters": parameters}}


TEXT = {"type": "string", "description": "A text."}
TOOLS = [
    function("get_time", {"zone": TEXT}),
    function("book_table", {"name": TEXT, "persons": {"type": "integer", "description": "How many."}}),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", action="append", help="templates whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="shows the text of each answer")
    return parser.parse_args()


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def start(stack, command, **options):
    """Starts a program. Returns the URL that it prints."""
    process = stack.enter_context(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    )
    stack.callback(process.kill)
    lines = []
    for line in process.stdout:
        lines.append(line)
        if found := re.search(r"http://[\d.]+:\d+", line):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return found.group()
    raise RuntimeError("".join(lines))


def start_server(stack, llama_server, template):
    """Returns the URL of the server, and the ids of its model's special tokens."""
    special = sorted(set(SPECIAL.findall(template.read_text(encoding="utf-8"))))
    model = f"{stack.enter_context(tempfile.TemporaryDirectory())}/noise.gguf"
    noise_model.write_model(model, special)
    command = [llama_server, "-m", model, "--host", "127.0.0.1", "--port", "0", "--parallel", "2", "-t", "1"]
    command += ["-c", "65536", "--jinja", "--chat-template-file", str(template)]
    return start(stack, command), [noise_model.FIRST_SPECIAL + i for i in range(len(special))]


def prompt_opens_thought(server, format_, thinks):
    """Whether a reply begins within a thought."""
    body = {"messages": [QUESTION], "tools": TOOLS, "chat_template_kwargs": {"enable_thinking": thinks}}
    prompt = post(f"{server}/apply-template", body)["prompt"]
    answer = prompt[prompt.rindex(QUESTION["content"]) :].rstrip()
    return answer.endswith(format_.open_thought)


def options_of(text, special, thinks):
    """Makes the model write this text, including the special tokens in it."""
    literal = json.dumps(text, ensure_ascii=False)
    bias = [[token, 100] for token in special]
    options = {"grammar": f"root ::= {literal}", "logit_bias": bias, "temperature": 0}
    return {**options, "chat_template_kwargs": {"enable_thinking": thinks}}


async def read_reply(socket, start_message):
    """Returns the texts of the chunks, their speech, the calls, and the error if there is one."""
    await socket.send_json(start_message)
    texts, speech, calls = [], [], []
    while True:
        event = await socket.receive_json(timeout=60)
        if event["type"] == "chunk":
            texts.append(event["text"])
            speech.append(event["speech"])
            await socket.send_json({"type": "continue", "chunk": event["id"]})
        elif event["type"] == "call":
            calls.append((event["name"], event["arguments"]))
        elif event["type"] in ("end", "error"):
            why = f"{event['code']}: {event['message']}" if event["type"] == "error" else ""
            return "".join(texts), " ".join(filter(None, speech)), calls, why


def fault_of(result, words, calls):
    """What is wrong with a reply; empty if it is right."""
    text, speech, read, why = result
    wanted = " ".join((words or "").split())
    is_right = " ".join(text.split()) == wanted and " ".join(speech.split()) == wanted
    faults = [] if is_right else [f"spoken: {speech!r} of {text!r}"]
    if read != calls:
        faults.append(f"calls: {json.dumps(read)} {why}".rstrip())
    return "; ".join(faults)


async def ask(url, a, replies):
    """Returns the fault of each reply, by the reply's name."""
    faults = {}
    async with aiohttp.ClientSession() as session:
        for name, (text, options, words, calls) in replies.items():
            async with session.ws_connect(f"{url}/v1/voice") as socket:
                message = {"type": "start", "messages": [QUESTION], "options": options}
                result = await read_reply(socket, message)
            if a.verbose:
                print(f"  {name}: {text!r}\n    {result}")
            faults[name] = fault_of(result, words, calls)
    return faults


def make_replies(server, format_, special, caps):
    words = call_formats.WORDS if format_.words is not None else None
    cases = {"alone": (False, None, call_formats.ONE_CALL), "after a thought": (True, words, call_formats.ONE_CALL)}
    cases["without functions"] = (False, call_formats.WORDS, [])
    if words:
        cases["after words"] = (False, words, call_formats.ONE_CALL)
    if caps["supports_parallel_tool_calls"]:
        cases["two"] = (False, None, call_formats.TWO_CALLS)
    replies = {}
    for name, (thinks, words, calls) in cases.items():
        is_open = prompt_opens_thought(server, format_, thinks)
        text = format_.write(calls, bool(words), thinks, is_open)
        if is_open and format_.is_thought_spoken:
            words = text[: text.index(format_.opening) if calls else None].strip()
        options = options_of(text, special, thinks)
        replies[name] = (text, {**options, "tools": TOOLS} if calls else options, words, calls)
    return replies


def check(llama_server, template, a):
    """Returns the fault of each reply; None if the template does not know functions."""
    with contextlib.ExitStack() as stack:
        server, special = start_server(stack, llama_server, template)
        caps = get(f"{server}/props")["chat_template_caps"]
        if not (caps["supports_tools"] or caps["supports_tool_calls"]):
            return None
        format_ = call_formats.format_of(template.stem)
        if format_ is None:
            return {"alone": "call_formats.py does not know what its models write"}
        replies = make_replies(server, format_, special, caps)
        command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", server]
        command += ["--listen", "127.0.0.1:0", "--log-level", "off", "--reuse-guard", "0"]
        return asyncio.run(ask(start(stack, command), a, replies))


def main():
    a = arguments()
    found = subprocess.run([LLAMA_SERVER, "fetch"], stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode == NO_SERVER:
        sys.exit(77)
    results = {}
    for template in sorted(a.folder.glob("*.jinja")):
        if a.only and not any(part in template.name for part in a.only):
            continue
        results[template.stem] = faults = check(found.stdout.strip(), template, a)
        if faults is None:
            print(f"{template.stem}: knows no functions")
            continue
        bad = [f"  {name}: {why}" for name, why in faults.items() if why]
        print("\n".join([f"{template.stem}: {len(faults) - len(bad)} of {len(faults)}", *bad]), flush=True)
    known = [faults for faults in results.values() if faults is not None]
    right = sum(not any(faults.values()) for faults in known)
    replies = [fault for faults in known for fault in faults.values()]
    print(f"{right} of {len(known)} templates, {replies.count('')} of {len(replies)} replies")
    sys.exit(right < len(known))


if __name__ == "__main__":
    main()
