"""Runs every command line of README.md and docs, except those that command_table.py lists with a reason.

  TANDEM_BUILD=build/release /usr/bin/python3 tests/docs/commands_test.py [PAGE]...
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from command_runner import BUILD, Fault, Runner, furnished, servers_in
from command_table import NOT_RUN, OTHER, SMALLER
from doc_pages import ROOT, Command, Page, pages

AT_ONCE = 4  # the number of pages; most of their commands wait for a voice


def is_other(page, line):
    return any(page == p and line.startswith(start) for p, start in OTHER)


def commands():
    """Returns the commands of each page, each command only once."""
    seen, found = set(), {}
    for page in pages():
        for command in page.commands(is_other):
            if command.text not in seen:
                found.setdefault(command.page, []).append(command)
            seen.add(command.text)
    return found


def faults_of(page_commands):
    faults = []
    with tempfile.TemporaryDirectory() as name, servers_in(pathlib.Path(name)) as servers:
        folder = pathlib.Path(name)
        furnished(folder)
        runner = Runner(folder, servers)
        for command in page_commands:
            begin = time.monotonic()
            try:
                if command.text not in NOT_RUN:
                    runner.run(command)
            except (Fault, OSError, ValueError) as fault:
                faults.append(f"{command}\n    {fault}")
            took = time.monotonic() - begin
            if took > 3:
                print(f"{took:5.1f} s {command}", flush=True)
    return faults


class Commands(unittest.TestCase):
    def test_each_command_line_runs(self):
        wanted = sys.argv[1:] if len(sys.argv) > 1 else None
        chosen = [c for page, c in commands().items() if wanted is None or page in wanted]
        self.assertTrue(chosen)
        chosen.sort(key=len, reverse=True)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            faults = [fault for found in pool.map(faults_of, chosen) for fault in found]
        self.assertEqual([], faults, "\n" + "\n".join(faults))


class Table(unittest.TestCase):
    def test_each_entry_is_of_a_line_that_a_page_has(self):
        texts = {c.text for found in commands().values() for c in found}
        stale = [text for text in [*NOT_RUN, *SMALLER] if text not in texts]
        self.assertEqual([], stale)

    def test_each_exception_is_of_a_page(self):
        lines = [(p.name, line) for p in pages() for b in p.blocks for line in b.lines]
        lines += [(p.name, code) for p in pages() for _, code in p.spans()]
        stale = [other for other in OTHER if not any(p == other[0] and t.startswith(other[1]) for p, t in lines)]
        self.assertEqual([], stale)

    def test_each_file_of_a_line_that_is_not_run_is_there(self):
        for text in NOT_RUN:
            for word in re.findall(r"(?<!\S)(?:\./)?((?:tests|tools)/\S+|build/(?:dev|release)/(?:tests|tools)/\S+)", text):
                with self.subTest(word):
                    self.assertTrue((ROOT / word).exists() or (BUILD / word.split("/", 2)[-1]).exists())

    def test_each_test_that_is_named_in_place_of_a_run_is_there(self):
        listed = subprocess.run(["ctest", "-N"], cwd=BUILD, capture_output=True, text=True, check=True).stdout
        names = set(re.findall(r"^ *Test +#\d+: (\S+)", listed, re.M))
        instead = {test for _, test in NOT_RUN.values() if test}
        self.assertEqual([], [t for t in instead if t not in names and not (ROOT / t).is_file()])


class Unknown(unittest.TestCase):
    """The test does not skip lines that it cannot run."""

    def commands_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(text)
            return [(c.line, c.text) for c in Page(path, path.parent).commands(is_other)]

    def test_is_found_in_blocks_fences_tables_and_sentences(self):
        page = "\n".join([
            "Text:", "", "    frobnicate --now   # at once", "", "```sh", "frobnicate \\", "  twice", "```", "",
            "```json", "{}", "```", "", "| a | `tandem frob --now` |", "", "and `build/release/tools/x --y \\| z`"])
        self.assertEqual(
            [(3, "frobnicate --now"), (6, "frobnicate   twice"), (14, "tandem frob --now"),
             (16, "build/release/tools/x --y | z")], self.commands_of(page))

    def test_behind_a_prompt_what_it_says_is_no_command(self):
        self.assertEqual([(1, "frob")], self.commands_of("    $ frob\n    said\n\n    more\n"))

    def test_is_a_fault(self):
        for text in ("frobnicate --now", "tandem frob --now", "tandem replay --frob", "ctest -R no_such_test_at_all"):
            with self.subTest(text):
                self.assertEqual(1, len(faults_of([Command("page.md", 1, text)])))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
