"""Code that the tests of sessions share."""

import asyncio
import unittest

from gateway_process import BOOK, DIALOGUE, SYSTEM, gateway
from tandem_voice import Tool, connect

ASKED, THEN = DIALOGUE[1]["content"], DIALOGUE[3]["content"]


async def spoken(reply):
    """Returns the speech of all chunks of a reply."""
    async with asyncio.timeout(10):
        return [chunk.speech async for chunk in reply]


class SessionTest(unittest.IsolatedAsyncioTestCase):
    async def connected(self, **settings):
        url = self.enterContext(gateway())
        return await self.enterAsyncContext(connect(url, system=SYSTEM, **settings))


def booking(run, *, later=False):
    """The functions for connect()."""
    function = BOOK["function"]
    return {"book": Tool(run, function["description"], function["parameters"], later)}


def port_of(url):
    return int(url.rpartition(":")[2])
