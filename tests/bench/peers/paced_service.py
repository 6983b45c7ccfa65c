"""What a voice bot in Python does to one stream of llama-server: reads its lines with httpx, and
divides the text into chunks at ends of sentences, with one token of peek. A chunk a line on stdout.

  paced_service.py URL BODY    asks URL/completion with the JSON of the file BODY
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
    async with client.stream("POST", url + "/completion", json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if not line.startswith("data: "):
                continue
            event = json.loads(line[len("data: ") :])
            if event.get("stop"):
                return
            yield event.get("content", "")


async def chunks_of(tokens):
    collected = ""
    async for token in tokens:
        if ends_sentence(collected) and not ends_sentence(collected + token):
            yield collected
            collected = ""
        collected += token
    if collected:
        yield collected


async def main(url, body_file):
    with open(body_file, encoding="utf-8") as file:
        body = json.load(file)
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(timeout=300.0, limits=limits, trust_env=False) as client:
        async for chunk in chunks_of(tokens_of(client, url, body)):
            print(json.dumps({"text": chunk}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
