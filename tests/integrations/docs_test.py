"""Checks that the Python code of docs/integrations compiles, and that its bots and the package's bot work."""

import asyncio
import re
import unittest

from gateway_process import DIALOGUE, FIRST, PAGES, ROOT, SECOND, gateway

PACKAGE = ROOT / "tools" / "python"


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)


class Stt:
    async def run(self, answer):
        for message in DIALOGUE[1::2]:
            await answer(message["content"])


class Tts:
    """The user interrupts the first chunk after three words."""

    def __init__(self, stt):
        self.said, self._stt = [], stt

    async def speak(self, speech):
        self.said.append(speech)
        if len(self.said) == 1:
            self._stt.on_speech()

    def stop(self):
        return 3


class Docs(unittest.TestCase):
    def test_each_block_compiles(self):
        sources = [(page.name, block) for page in PAGES.glob("*.md") for block in blocks(page)]
        self.assertGreater(len(sources), 6)
        for name, source in sources:
            with self.subTest(name):
                compile(source, name, "exec")

    def test_each_link_to_a_file_leads_to_one(self):
        for page in PAGES.glob("*.md"):
            for target in re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", page.read_text()):
                with self.subTest(f"{page.name}: {target}"):
                    self.assertTrue((PAGES / target).exists())

    def test_the_lines_for_a_bot_speak_replies(self):
        program = next(b for b in blocks(PAGES / "README.md") if "tandem_voice" in b)
        said = []

        async def questions():
            for message in DIALOGUE[1::2]:
                yield message["content"]

        async def speak(speech):
            said.append(speech)

        with gateway() as url:
            names = {}
            exec(program.replace("http://127.0.0.1:8090", url), names)
            asyncio.run(names["talk"](questions(), speak))
        self.assertEqual([*FIRST, SECOND], said)

    def test_the_bot_of_the_package_tells_what_was_heard_at_an_interruption(self):
        (program,) = blocks(PACKAGE / "README.md")
        stt = Stt()
        tts = Tts(stt)
        with gateway(heard_words=3) as url:
            names = {}
            exec(program.replace("http://127.0.0.1:8090", url), names)
            asyncio.run(names["bot"](stt, tts, None))
        self.assertEqual([FIRST[0], SECOND], tts.said)


if __name__ == "__main__":
    unittest.main()
