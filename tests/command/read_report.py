"""Reads a report as a browser would, and prints its contents as JSON.

    read_report.py FILE.html | FILE.svg
"""

import html.parser
import json
import sys
import xml.etree.ElementTree

# HTML elements without an end tag.
VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.policy = ""
        self.tags = []
        self.loads = []
        self.texts = []
        self.bars = []
        self.faults = []
        self._open = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        kinds = (given.get("class") or "").split()
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        self.loads += [f"{name}={value}" for name, value in attributes
                       if name in ("src", "href") and not value.startswith("#")]
        if kinds[:1] in (["bar"], ["mark"]):
            self.bars.append(kinds[1])
        if tag not in VOID:
            self._open.append((tag, "text" in kinds))
        if "text" in kinds and tag in ("td", "dd"):
            self.texts.append("")

    def handle_endtag(self, tag):
        if not self._open or self._open[-1][0] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")
            return
        self._open.pop()

    def handle_data(self, data):
        if self._open and self._open[-1][1] and self._open[-1][0] in ("td", "dd"):
            self.texts[-1] += data

    def told(self):
        return {"policy": self.policy, "tags": sorted(set(self.tags)), "loads": self.loads,
                "texts": self.texts, "bars": self.bars,
                "faults": self.faults + [tag for tag, _ in self._open]}


def read_page(text):
    page = Page()
    page.feed(text)
    page.close()
    return page.told()


def read_drawing(text):
    name = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.fromstring(text)
    kinds = [element.get("class", "").split() for element in root.iter()]
    return {"root": root.tag.removeprefix(name),
            "tags": sorted({element.tag.removeprefix(name) for element in root.iter()}),
            "bars": [kind[1] for kind in kinds if kind[:1] in (["bar"], ["mark"])],
            "texts": [element.text for element in root.iter(name + "text")],
            "titles": [element.text for element in root.iter(name + "title")]}


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    print(json.dumps((read_drawing if path.endswith(".svg") else read_page)(text)))


main(sys.argv[1])
