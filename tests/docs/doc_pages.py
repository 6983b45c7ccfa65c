"""Reads README.md and docs: their commands, links and anchors."""

import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The languages of blocks that are not for the shell.
OTHER_FENCES = {"c", "cmake", "cpp", "css", "html", "ini", "js", "json", "jsonl", "python", "yaml"}
PROGRAMS = (
    r"tandem|tandem-mock-server|llama-server|cmake|ctest|cpack|ninja|make|curl|g\+\+|pkg-config|openssl|contract"
    r"|apt|apt-get|dpkg|dpkg-buildpackage|systemctl|journalctl|python3|pip|git|npm|node|docker|wrk|doxygen|man|xargs"
    r"|/usr/bin/\S+|(?:tools|build|docs/examples)/\S*[^/\s]|tests/\S+\.(?:sh|py)"
)
VARIABLE = r"[A-Z][A-Z_]*=\S*"
COMMAND = re.compile(rf"(?:.*\| )?(?:sudo |{VARIABLE} )*(?:\./)?(?P<program>{PROGRAMS})(?P<arguments> .*)?")


@dataclass(frozen=True)
class Command:
    page: str
    line: int
    text: str
    inline: bool = False  # within a sentence

    def __str__(self):
        return f"{self.page}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Block:
    line: int
    lines: tuple

    def paragraphs(self):
        """Yields the parts between blank lines."""
        part, begin = [], self.line
        for number, line in enumerate([*self.lines, ""], self.line):
            if line.strip():
                begin = begin if part else number
                part.append(line)
            elif part:
                yield Block(begin, tuple(part))
                part = []


class Page:
    """A parsed page in Markdown: the shell's `blocks`, and `prose`, the lines outside all blocks."""

    def __init__(self, path, root=ROOT):
        self.path, self.name = path, str(path.relative_to(root))
        self.blocks, self.prose = [], []
        self._take_apart(path.read_text().splitlines())

    def _take_apart(self, lines):
        fence, block, was_blank = None, [], True
        for number, line in enumerate([*lines, "", "."], 1):
            marker = re.match(r"\s*```\s*(\w*)", line)
            is_indented = fence is None and line.startswith("    ") and (was_blank or bool(block))
            is_fenced = fence is not None and not marker and fence not in OTHER_FENCES
            if is_indented or is_fenced or block and fence is None and not line.strip():
                block.append((number, line if is_fenced else line[4:]))
            elif block:
                if any(text.strip() for _, text in block):
                    self.blocks.append(Block(block[0][0], tuple(text for _, text in block)))
                block = []
            if marker:
                fence = marker.group(1) if fence is None else None
            was_blank = not line.strip()
            self.prose.append("" if is_indented or marker or fence is not None else line)

    def spans(self):
        """Yields (line, code) of all `code` within sentences. Joins code that is broken over two lines."""
        text = "\n".join(self.prose)
        for found in re.finditer(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", text, re.S):
            code = re.sub(r"\s*\n\s*", " ", found.group(2)).replace("\\|", "|").strip()
            yield text.count("\n", 0, found.start()) + 1, code

    def links(self):
        """Yields (line, target) of all links, except links to other sites."""
        text = "\n".join(re.sub(r"`[^`]*`", "", line) for line in self.prose)
        for found in re.finditer(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", found.group(1)):
                yield text.count("\n", 0, found.start()) + 1, found.group(1)

    def anchors(self):
        """Returns the anchors that GitHub generates for the headings."""
        found = []
        for line in self.prose:
            if heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
                text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
                anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
                seen = sum(a == anchor or re.fullmatch(rf"{re.escape(anchor)}-\d+", a) is not None for a in found)
                found.append(f"{anchor}-{seen}" if seen else anchor)
        return found

    def commands(self, is_other):
        """Yields all command lines. `is_other(page, line)` is true if the first line of a paragraph in a
        block, or code within a sentence, is not a command. Then the rest of the block has no commands."""
        for block in self.blocks:
            is_output = False
            for paragraph in block.paragraphs():
                prompts = [n for n, line in enumerate(paragraph.lines) if line.startswith("$ ")]
                if is_other(self.name, paragraph.lines[0]):
                    is_output = True
                for n in prompts:
                    is_output = True
                    yield Command(self.name, paragraph.line + n, without_comment(paragraph.lines[n][2:]))
                if not is_output:
                    yield from self._lines_of(paragraph)
        for number, code in self.spans():
            if is_command(code) and not is_other(self.name, code):
                yield Command(self.name, number, code, inline=True)

    def _lines_of(self, block):
        text, begin = "", block.line
        for number, line in enumerate(block.lines, block.line):
            begin = begin if text else number
            text += line
            if text.endswith("\\"):
                text = text[:-1]
            elif is_quote_open(text):
                text += "\n"
            else:
                yield Command(self.name, begin, without_comment(text))
                text = ""
        if text:
            yield Command(self.name, begin, text)


def pages():
    return [Page(path) for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]]


def is_command(code):
    """Whether code within a sentence is a script, or a known program with arguments."""
    found = COMMAND.fullmatch(code)
    if not found or re.search(r"\.(html|txt|json|jsonl)$", found["program"]):
        return False
    return bool(found["arguments"] or found["program"].startswith(("tools/", "tests/", "build/")) and "<" not in code
                and "*" not in code)


def is_quote_open(text):
    quote, escaped = "", False
    for letter in text:
        if escaped:
            escaped = False
        elif letter == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
    return bool(quote)


def without_comment(text):
    for found in re.finditer(r"\s+#\s", text):
        if not is_quote_open(text[: found.start()]):
            return text[: found.start()]
    return text.strip()
