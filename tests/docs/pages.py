"""The pages people read, cut into headings, blocks and links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from tests.paths import ROOT

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_NEXT = "```\n\n```text\n"  # what stands between a block of code and its output
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and where the text stands in the page."""

    language: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """A page of Markdown."""

    path: Path

    @property
    def name(self) -> str:
        """Its path from the root."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def prose(self) -> str:
        """It without its blocks."""
        return _FENCE.sub("", self.text)

    @cached_property
    def blocks(self) -> list[Block]:
        """Its fenced blocks, in order."""
        return [
            Block(found["language"], found["text"], found.start("text"), found.end("text"))
            for found in _FENCE.finditer(self.text)
        ]

    @property
    def links(self) -> list[str]:
        """Targets of its links that stay in the repository."""
        targets = (found["target"] for found in _LINK.finditer(self.prose))
        return [
            target for target in targets if "://" not in target and not target.startswith("mailto:")
        ]

    @property
    def headings(self) -> list[tuple[int, str]]:
        """Level and text of each heading."""
        return [(len(found[1]), found[2]) for found in _HEADING.finditer(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """What a link may point at inside the page."""
        return {slug(text) for _, text in self.headings}

    @property
    def tables(self) -> list[tuple[int, int]]:
        """Rows and columns of each table."""
        return [
            (len(rows), rows[0].replace(r"\|", "").count("|") - 1) for rows in _tables(self.prose)
        ]

    def outputs(self) -> Iterator[tuple[Block, Block | None]]:
        """Each Python block with the block of text that follows it at once, if one does."""
        for block, after in pairwise([*self.blocks, None]):
            if block and block.language == "python":
                between = self.text[block.end : after.start] if after else ""
                yield block, after if between == _NEXT else None


def slug(heading: str) -> str:
    """A heading as an anchor, as forges write it.

    >>> slug("How `recall` decides"), slug("得分是怎么来的？")
    ('how-recall-decides', '得分是怎么来的')
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _tables(prose: str) -> Iterator[list[str]]:
    rows: list[str] = []
    for line in [*prose.split("\n"), ""]:
        if line.startswith("|"):
            rows.append(line)
        elif rows:
            yield rows
            rows = []


FRONT = [Page(ROOT / "README.md"), Page(ROOT / "README.zh-CN.md")]
GUIDES = [Page(path) for path in sorted((ROOT / "docs").rglob("*.md"))]
ALL = [*FRONT, *GUIDES, Page(ROOT / "CONTRIBUTING.md"), Page(ROOT / "CHANGELOG.md")]


def beside(page: Page) -> Page:
    """The same page in the other language.

    >>> beside(Page(ROOT / "docs/en/files.md")).name
    'docs/zh/files.md'
    """
    if page in FRONT:
        return FRONT[1 - FRONT.index(page)]
    parts = page.path.relative_to(ROOT / "docs").parts
    return Page(ROOT.joinpath("docs", {"en": "zh", "zh": "en"}[parts[0]], *parts[1:]))
