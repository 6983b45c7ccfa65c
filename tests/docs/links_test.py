"""Each relative link of the docs must lead to an existing file, and the link's anchor to a heading."""

import glob
import re
import unittest

from doc_pages import ROOT, Page, pages


class Links(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {page.path: page for page in pages()}

    def test_each_leads_to_a_file(self):
        count = 0
        for page in self.pages.values():
            for line, target in page.links():
                file = target.partition("#")[0]
                count += 1
                with self.subTest(f"{page.name}:{line}: {target}"):
                    self.assertTrue((page.path.parent / file).exists())
        self.assertGreater(count, 100)

    def test_each_anchor_is_a_heading(self):
        for page in self.pages.values():
            for line, target in page.links():
                file, _, anchor = target.partition("#")
                if not anchor:
                    continue
                with self.subTest(f"{page.name}:{line}: {target}"):
                    path = (page.path.parent / file).resolve() if file else page.path
                    self.assertIn(anchor, self.pages[path].anchors())

    def test_each_page_can_be_reached_from_the_readme(self):
        reached, waiting = set(), [ROOT / "README.md"]
        while waiting:
            path = waiting.pop()
            reached.add(path)
            targets = {(path.parent / t.partition("#")[0]).resolve() for _, t in self.pages[path].links()}
            waiting += [t for t in targets if t in self.pages and t not in reached]
        self.assertEqual([], [page.name for path, page in self.pages.items() if path not in reached])

    def test_the_first_program_of_the_readme_is_an_example(self):
        snippet = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
        self.assertEqual((ROOT / "docs/examples/talk.cpp").read_text(), snippet)

    def test_each_source_that_is_named_is_there(self):
        for page in self.pages.values():
            for line, code in page.spans():
                if not re.fullmatch(r"(include|src|mock_server|tests|tools|docs)/[\w./*-]+", code):
                    continue
                with self.subTest(f"{page.name}:{line}: {code}"):
                    self.assertTrue(glob.glob(str(ROOT / code)))


if __name__ == "__main__":
    unittest.main()
