#!/usr/bin/env python3
"""A call whose gateway is killed while the bot speaks; see quickstart.sh.

    quickstart_call.py URL TANDEM STORE NAME=PID...

URL: the balancer; TANDEM: the command; STORE: of --cluster; NAME=PID: the gateways.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "python"))
from tandem_voice import connect  # noqa: E402

LETTER = 0.04  # seconds that the voice takes per letter
QUESTION = "Tell me a bedtime story."
KILLED_AT = 2  # the number of the chunk


def find_gateway(tandem: str, store: str) -> str:
    """Returns the gateway that has the only session."""
    out = subprocess.run([tandem, "cluster", "--json", "--cluster", store], check=True, stdout=subprocess.PIPE)
    up = [g for g in json.loads(out.stdout)["gateways"] if g["missing_ms"] <= 0]
    return next(g["id"] for g in up if g["sessions"] > 0)


async def call(url: str, tandem: str, store: str, gateways: dict[str, int]) -> None:
    number, spoken_at, killed = 0, None, None
    async with connect(url) as session:
        async for chunk in session.ask(QUESTION):
            number += 1
            pause = f", {time.monotonic() - spoken_at:.2f} s after the one before" if spoken_at else ""
            print(f"{find_gateway(tandem, store)}{pause}\n    {chunk.speech}", flush=True)
            if number == KILLED_AT:
                killed = find_gateway(tandem, store)
                os.kill(gateways[killed], signal.SIGKILL)
                print(f"    ({killed} is killed while this is spoken)", flush=True)
            await asyncio.sleep(LETTER * len(chunk.speech))
            spoken_at = time.monotonic()
    if killed is None:
        sys.exit("the reply ended before its gateway was killed")


def main() -> None:
    url, tandem, store, *gateways = sys.argv[1:]
    pids = {name: int(pid) for name, _, pid in (g.partition("=") for g in gateways)}
    try:
        asyncio.run(call(url, tandem, store, pids))
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)  # tandem has printed the reason


main()
