"""Code that the tests of sessions share."""

import asyncio
import unittest
from unittest import mock

from gateway_process import BOOK, DIALOGUE, SYSTEM, gateway
from tandem_voice import Tool, connect
from wire import Wire

ASKED, THEN = DIALOGUE[1]["content"], DIALOGUE[3]["content"]


async def spoken(reply):
    """Returns the speech of all chunks of a reply."""
    async with asyncio.timeout(10):
        return [chunk.speech async for chunk in reply]


class SessionTest(unittest.IsolatedAsyncioTestCase):
    async def connected(self, **settings):
        url = self.enterContext(gateway())
        return await self.enterAsyncContext(connect(url, system=SYSTEM, **settings))


class LostConnectionTest(SessionTest):
    async def asyncSetUp(self):
        self.enterContext(mock.patch("tandem_voice._link.FIRST_WAIT", 0.01))
        self.wire = await self.enterAsyncContext(Wire(port_of(self.enterContext(gateway()))))

    async def connected(self, **settings):
        return await self.enterAsyncContext(connect(self.wire.url, system=SYSTEM, **settings))

    async def cut_and_notice(self, session):
        self.wire.cut()
        while not session._is_lost:
            await asyncio.sleep(0)

    async def answer_to(self, *messages, **settings):
        """The answer to THEN after these messages; the model answers differently to each history."""
        async with connect(self.wire.url, system=SYSTEM, messages=messages, **settings) as session:
            return await spoken(session.ask(THEN))


def booking(run, *, later=False):
    """The functions for connect()."""
    function = BOOK["function"]
    return {"book": Tool(run, function["description"], function["parameters"], later)}


def port_of(url):
    return int(url.rpartition(":")[2])
