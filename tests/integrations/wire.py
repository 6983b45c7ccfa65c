"""A port that forwards to the gateway, and loses or delays what the test selects."""

import asyncio
import contextlib


class Wire:
    """Tests can await `lost`, which is set when bytes arrive in a direction that loses them, and `asked`,
    which is set when a connection with delayed answers has sent its first message."""

    def __init__(self, port):
        self._port, self._writers, self._losing = port, set(), None
        self.lost = asyncio.Event()
        self.asked = asyncio.Event()
        self._answers = asyncio.Event()
        self._answers.set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._carry, "127.0.0.1")
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        self.cut()

    def lose(self, direction):
        """Loses all bytes "up" to the gateway or "down" from it, until the connections are cut."""
        self.lost.clear()
        self._losing = direction

    def cut(self):
        self._losing = None
        for writer in list(self._writers):
            writer.transport.abort()

    def delay_answers(self):
        """Holds back what the gateway sends after the handshake, until let_answers()."""
        self._answers.clear()
        self.asked.clear()

    def let_answers(self):
        self._answers.set()

    def lead_to(self, port):
        """Another gateway, which knows no sessions, takes over."""
        self._port = port
        self.cut()

    def refuse(self):
        """Cuts all connections and refuses new connections."""
        self._server.close()
        self.cut()

    async def _carry(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        both = {writer, far_writer}
        self._writers |= both
        tasks = [
            asyncio.create_task(self._forward(reader, far_writer, "up")),
            asyncio.create_task(self._forward(far_reader, writer, "down")),
        ]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for other in both:
            other.transport.abort()
        self._writers -= both
        await asyncio.wait(tasks)

    async def _forward(self, reader, writer, direction):
        is_handshake = True
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(1 << 16):
                if not is_handshake and direction == "down":
                    await self._answers.wait()
                if not is_handshake and direction == "up":
                    self.asked.set()
                is_handshake = False
                if self._losing == direction:
                    self.lost.set()
                else:
                    writer.write(piece)
