"""Measures bounds of a cluster of three `tandem serve --cluster` in front of a mock server.
docs/cluster.md contains the results.

  cluster_bounds.py slots 20    kills, 20 times, a gateway that has all slots, and measures how long it
                                takes until another gateway uses them all
  cluster_bounds.py start 1000  compares the time to the first token of 1000 requests to a gateway
                                without a cluster and to gateways of clusters
  cluster_bounds.py key 600     sends requests with a key of 120 requests a minute to all gateways for
                                600 s, and counts the admitted ones in each minute after the first

The environment variables TANDEM_COMMAND and TANDEM_MOCK_SERVER contain the paths of the two programs.
Exit status: 1 if a slot became free after more than 3.5 s, or if the number of requests in a minute was
not 119 to 121; 77 without aiohttp.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from voice_callers import aiohttp, start, start_store

SLOTS = 8
GATEWAYS = 3
LATEST = 3.5  # seconds
PER_MINUTE = 120
KEY = "tdm_bench"


class Fleet:
    def __init__(self, stack, gateways, slots, speed, *flags):
        self._stack, self._flags = stack, flags
        mock = ["--port", "0", "--parallel", str(slots), "--ctx-size", str(4096 * slots), "--tokens-per-second", speed]
        self.server = start(stack, [os.environ["TANDEM_MOCK_SERVER"], *mock])
        self._cluster = ["--cluster", start_store(stack)] if gateways > 1 else []
        self._processes = {}
        self.urls = [self.start_gateway(number) for number in range(gateways)]

    def start_gateway(self, number):
        command = [os.environ["TANDEM_COMMAND"], "serve", "--proxy", "none", "--url", self.server, *self._flags]
        command += ["--listen", "127.0.0.1:0", "--log-level", "off", "--reuse-guard", "0", *self._cluster]
        process = self._stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        self._stack.callback(process.kill)
        self._processes[number] = process
        return re.search(r"http://[^\s,]+", process.stdout.readline()).group()

    def kill(self, number):
        self._processes[number].kill()
        self._processes[number].wait()


async def reply(session, url, tokens=1000):
    """Returns the seconds to the first token."""
    chat = {"model": "any", "stream": True, "max_tokens": tokens, "messages": [{"role": "user", "content": "Hello!"}]}
    began = time.monotonic()
    with contextlib.suppress(aiohttp.ClientError):
        async with session.post(f"{url}/v1/chat/completions", json=chat) as answer:
            await answer.content.readuntil(b'"content":"')
            seconds = time.monotonic() - began
            await answer.read()
            return seconds


async def tasks_of_busy_slots(session, server):
    async with session.get(f"{server}/slots") as answer:
        return {slot["id"]: slot["id_task"] for slot in await answer.json() if slot["is_processing"]}


async def wait_until_used(session, server, before):
    """Waits until each slot runs a different task than before. Returns the tasks."""
    while True:
        tasks = await tasks_of_busy_slots(session, server)
        if len(tasks) == SLOTS and not set(tasks.values()) & set(before.values()):
            return tasks
        await asyncio.sleep(0.005)


async def measure_kill(session, fleet):
    """Returns the seconds from the kill of gateway 0 until gateway 1 uses its slots."""
    async with asyncio.TaskGroup() as group:
        here = [group.create_task(reply(session, fleet.urls[0])) for _ in range(SLOTS)]
        tasks = await wait_until_used(session, fleet.server, {})
        there = [group.create_task(reply(session, fleet.urls[1])) for _ in range(SLOTS)]
        await asyncio.sleep(1)  # so that they wait for slots
        killed = time.monotonic()
        fleet.kill(0)
        await wait_until_used(session, fleet.server, tasks)
        seconds = time.monotonic() - killed
        for task in here + there:
            task.cancel()
    while await tasks_of_busy_slots(session, fleet.server):
        await asyncio.sleep(0.01)
    fleet.urls[0] = fleet.start_gateway(0)
    return seconds


async def slots(session, stack, kills):
    fleet = Fleet(stack, GATEWAYS, SLOTS, "4")
    times = sorted([await measure_kill(session, fleet) for _ in range(kills)])
    print(f"{kills} kills: {SLOTS} slots in use again after p50 {times[kills // 2]:.2f}, longest {times[-1]:.2f} s")
    return times[-1] <= LATEST


async def start_of_turns(session, stack, rounds):
    """With one slot, each gateway borrows it from the previous gateway."""
    kinds = {"without a cluster": (1, 1), "on an own slot": (GATEWAYS, SLOTS), "on a slot of another": (GATEWAYS, 1)}
    urls = {where: Fleet(stack, gateways, slots, "0").urls for where, (gateways, slots) in kinds.items()}
    times = {where: [] for where in urls}
    for number in range(-100, rounds):
        for where, candidates in urls.items():
            seconds = await reply(session, candidates[number % len(candidates)], 1)
            if number >= 0:
                times[where].append(1000 * seconds)
    for where, of in times.items():
        of.sort()
        print(f"{rounds} first tokens {where}: p50 {of[rounds // 2]:.2f}, p99 {of[rounds * 99 // 100]:.2f} ms")
    return True


async def hammer(session, url, began, end, admitted):
    chat = {"model": "any", "max_tokens": 1, "messages": [{"role": "user", "content": "Hello!"}]}
    headers = {"Authorization": f"Bearer {KEY}"}
    while time.monotonic() < end:
        async with session.post(f"{url}/v1/chat/completions", json=chat, headers=headers) as answer:
            if answer.status == 200:
                admitted[int((time.monotonic() - began) / 60)] += 1
        await asyncio.sleep(0.005)


async def key(session, stack, seconds):
    keys = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".json"))
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    json.dump({"keys": [{"name": "bot", "sha256": digest, "requests_per_minute": PER_MINUTE}]}, keys)
    keys.flush()
    fleet = Fleet(stack, GATEWAYS, SLOTS, "0", "--keys", keys.name)
    if seconds < 120:
        sys.exit("the first minute has a burst: give 120 seconds or more")
    admitted = [0] * (seconds // 60 + 1)
    began = time.monotonic()
    end = began + seconds
    await asyncio.gather(*(hammer(session, url, began, end, admitted) for url in fleet.urls))
    print(f"{seconds} s, admitted in each minute: {admitted[: seconds // 60]}")
    return all(abs(count - PER_MINUTE) <= 1 for count in admitted[1 : seconds // 60])


async def run(measure, count):
    with contextlib.ExitStack() as stack:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            return 0 if await measure(session, stack, count) else 1


if __name__ == "__main__":
    MEASURES = {"slots": slots, "start": start_of_turns, "key": key}
    if len(sys.argv) != 3 or sys.argv[1] not in MEASURES:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(asyncio.run(run(MEASURES[sys.argv[1]], int(sys.argv[2]))))
