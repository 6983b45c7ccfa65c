"""Each flag in the docs must be a flag of the command, of the mock server or of another program."""

import re
import subprocess
import unittest

from command_runner import BUILD
from doc_pages import pages

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]*[a-z0-9]")
LINE = re.compile(r"\btandem ([a-z]+)((?: [^`|\n#]*)?)")
# Pages about one command. Flags on these pages are flags of the command.
PAGE_OF = {
    "docs/bench.md": "bench",
    "docs/chat.md": "chat",
    "docs/doctor.md": "doctor",
    "docs/gateway-api.md": "serve",
    "docs/gateway-operation.md": "serve",
    "docs/gateway.md": "serve",
    "docs/replay.md": "replay",
    "docs/report.md": "replay",
    "docs/sentences.md": "segment",
    "docs/traces.md": "serve",
}
# The flags of other programs in the docs.
OTHER_PROGRAMS = {
    "cmake": {"--build", "--config", "--install", "--prefix", "--component", "--preset", "--strip", "--target"},
    "ctest": {"--test-dir"},
    "docker": {"--rm"},
    "pkg-config": {"--cflags", "--libs", "--static"},
    "systemctl": {"--now"},
    "GoogleTest": {"--gtest_filter"},
    "piper": {"--model", "--output_file"},
    "llama-server": {
        "--api-key", "--cache-ram", "--ctx-size", "--flash-attn", "--host", "--kv-unified", "--lora", "--n-gpu-layers",
        "--parallel", "--port", "--sleep-idle-seconds", "--slot-save-path", "--slots", "--spec-draft-n-max", "--spec-type",
        "--temp", "--threads"},
    "tests/integrations/check_interfaces.py": {"--livekit", "--pipecat"},
}


def help_of(*command, flag="--help=all"):
    return subprocess.run([*command, flag], capture_output=True, text=True, check=True).stdout


def flags_in(text):
    return set(FLAG.findall(text))


def text_of(page):
    """Returns the text of a page without the changelog's entries for removed flags."""
    return re.sub(r"\n### Removed\n.*?(?=\n##|\Z)", "", page.path.read_text(), flags=re.S)


def lines_of(page):
    """Returns (command, arguments) of each tandem command line. Quoted arguments are left out."""
    text = re.sub(r"'[^'\n]*'", "''", page.path.read_text().replace("\\\n", " "))
    return LINE.findall(text)


class Flags(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tandem = BUILD / "tools/tandem"
        names = re.findall(r"^  ([a-z]+) +\S", help_of(tandem).split("Commands:")[1], re.M)
        cls.of_command = {name: flags_in(help_of(tandem, name)) | {"--help"} for name in names}
        cls.mock = flags_in(help_of(BUILD / "mock_server/tandem-mock-server", flag="--help"))
        cls.others = set().union(*OTHER_PROGRAMS.values())
        cls.named = [(page, flag) for page in pages() for flag in sorted(flags_in(text_of(page)))]

    def test_commands_are_read_from_the_help(self):
        self.assertIn("--user", self.of_command["replay"])
        self.assertIn("--keys", self.of_command["serve"])

    def test_each_flag_of_a_command_line_is_one_of_that_command(self):
        for page in pages():
            for command, rest in lines_of(page):
                for flag in flags_in(rest):
                    with self.subTest(f"{page.name}: tandem {command} {flag}"):
                        self.assertIn(flag, self.of_command.get(command, {flag} & self.others))

    def test_each_flag_of_a_page_is_one_of_its_command_or_of_another_program(self):
        ours = set().union(*self.of_command.values(), self.mock, {"--version"})
        for page, flag in self.named:
            with self.subTest(f"{page.name}: {flag}"):
                command = PAGE_OF.get(page.name)
                in_lines = {f for name, rest in lines_of(page) if name in self.of_command for f in flags_in(rest)}
                self.assertIn(flag, (self.of_command[command] | in_lines if command else ours) | self.others)

    def test_each_flag_of_another_program_is_in_the_docs(self):
        self.assertEqual(set(), self.others - {flag for _, flag in self.named})


if __name__ == "__main__":
    unittest.main()
