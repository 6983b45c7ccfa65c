"""Checks the contents of the installed wheel."""

import importlib.metadata
import importlib.resources
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import tandem_voice

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "tools" / "python"

CONSUMER = """
import asyncio
from tandem_voice import Chunk, Reply, Tool, VoiceError, connect

async def book(guests: int) -> dict[str, bool]:
    return {"booked": guests > 0}

async def main() -> None:
    try:
        async with connect("http://127.0.0.1:8090", key="k", tools={"book": Tool(book)}) as session:
            reply: Reply = session.ask("A table for four?")
            async for chunk in reply:
                session.interrupt(chunk, chars=len(chunk.speech))
    except VoiceError as error:
        print(error.code, error.message)

asyncio.run(main())
"""


class Wheel(unittest.TestCase):
    def test_is_what_is_tested(self):
        self.assertNotIn(SOURCES, pathlib.Path(tandem_voice.__file__).resolve().parents)

    def test_needs_websockets_alone(self):
        (needed,) = importlib.metadata.requires("tandem-voice")
        self.assertRegex(needed, "^websockets")

    def test_has_types(self):
        self.assertTrue(importlib.resources.files(tandem_voice).joinpath("py.typed").is_file())

    def test_passes_mypy_strict_with_a_program_that_uses_it(self):
        if not shutil.which("mypy") and os.environ.get("TANDEM_REQUIRE_CLIENTS") != "1":
            self.skipTest("mypy is missing; tools/setup.sh tests installs it")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "bot.py")
            program.write_text(CONSUMER)
            command = ["mypy", "--strict", "--config-file", SOURCES / "pyproject.toml", "--cache-dir", folder]
            package = pathlib.Path(tandem_voice.__file__).parent
            done = subprocess.run([*command, program, package], capture_output=True, text=True, timeout=200)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_has_a_short_description(self):
        self.assertLessEqual(len((SOURCES / "README.md").read_text().split()), 250)


if __name__ == "__main__":
    unittest.main()
