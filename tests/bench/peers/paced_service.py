"""Works like a voice bot in Python: reads the lines of llama-server's stream with httpx, and divides the
text into chunks at the ends of sentences, with one token of peek. Prints each chunk on a line.

  paced_service.py URL BODY [uncut|cut [TIMES]]

Each of TIMES requests sends the JSON of the file BODY to URL/completion. `uncut` reads the whole stream.
`cut` closes the connection at the end of each sentence, and sends the next request, with the text so
far, to the other of two slots.
"""

import asyncio
import json
import re
import sys

import httpx

END_OF_SENTENCE = re.compile(r"[.!?][\"')]*$")


def ends_sentence(text):
    return bool(END_OF_SENTENCE.search(text.rstrip()))


async def tokens_of(client, url, body):
    """Yields the texts of the tokens, and None after the last one."""
    async with client.stream("POST", url + "/completion", json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if not line.startswith("data: "):
                continue
            event = json.loads(line[len("data: ") :])
            if event.get("stop"):
                yield None
                return
            yield event.get("content", "")


async def chunks_of(tokens, collected=""):
    """Yields each chunk with the token that was peeked at after it, or with None for the last chunk."""
    async for token in tokens:
        if token is None:
            break
        if ends_sentence(collected) and not ends_sentence(collected + token):
            yield collected, token
            collected = ""
        collected += token
    yield collected, None


async def uncut(client, url, body):
    async for chunk, _ in chunks_of(tokens_of(client, url, body)):
        yield chunk


async def cut(client, url, body):
    said, pending, slot = "", "", 0
    while pending is not None:
        asked = {**body, "prompt": body["prompt"] + said + pending, "id_slot": slot}
        chunks = chunks_of(tokens_of(client, url, asked), pending)
        chunk, pending = await anext(chunks)
        await chunks.aclose()
        said += chunk
        slot = 1 - slot
        yield chunk


async def main(url, body_file, mode="uncut", times=1):
    with open(body_file, encoding="utf-8") as file:
        body = json.load(file)
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(timeout=300.0, limits=limits, trust_env=False) as client:
        for _ in range(int(times)):
            async for chunk in {"uncut": uncut, "cut": cut}[mode](client, url, body):
                if chunk:
                    print(json.dumps({"text": chunk}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
