"""Tests which failed attempts to connect tandem_voice makes again."""

import asyncio
import pathlib
import ssl
import subprocess
import tempfile
import unittest
from unittest import mock

from tandem_voice import VoiceError, connect


def self_signed():
    """The TLS settings of a server that nobody trusts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = (pathlib.Path(folder) / name for name in ("key.pem", "certificate.pem"))
        openssl = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"
        files = ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
        subprocess.run([*openssl.split(), *files], check=True, capture_output=True)
        context.load_cert_chain(certificate, key)
    return context


class Refusals(unittest.IsolatedAsyncioTestCase):
    async def port_answering(self, status, **settings):
        """The port of a server that answers each request with this status."""

        async def answer(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", **settings)
        await self.enterAsyncContext(server)
        return server.sockets[0].getsockname()[1]

    async def refusal_of(self, session):
        with self.assertRaises(VoiceError) as refused:
            await session.__aenter__()
        self.assertEqual("connect_failed", refused.exception.code)
        return refused.exception

    async def test_are_final_unless_a_later_attempt_may_succeed(self):
        for status in (400, 404, 408, 425, 429, 500, 503):
            with self.subTest(status):
                port = await self.port_answering(status)
                refused = await self.refusal_of(connect(f"http://127.0.0.1:{port}"))
                self.assertEqual(status not in (400, 404), refused.retryable)

    async def test_are_final_if_the_certificate_was_never_trusted(self):
        port = await self.port_answering(503, ssl=self_signed())
        for was_ready in (False, True):
            with self.subTest(was_ready=was_ready):
                session = connect(f"https://127.0.0.1:{port}")
                with mock.patch.object(session._link, "_running", was_ready or None):
                    refused = await self.refusal_of(session)
                self.assertIn("CERTIFICATE_VERIFY_FAILED", refused.message)
                self.assertEqual(was_ready, refused.retryable)


if __name__ == "__main__":
    unittest.main()
