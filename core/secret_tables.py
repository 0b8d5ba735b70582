"""Passwords in the column of a table that is headed so. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.secret_commands import WORDS
from core.secret_values import is_bare_password, is_quoted_password

_PIPE = re.compile(r"(?<!\\)\|")
_HEAD = re.compile(rf"[\s*_`]*(?:[\w.-]{{1,30}} ){{0,3}}(?:{WORDS})[\s*_`]*", re.IGNORECASE)
_RULED = re.compile(r"[\s|:-]*-[\s|:-]*")
_CELL = re.compile(r"\s*(?P<mark>[*`\"']{0,3})(?P<secret>[^\s*`\"']+)(?P=mark)\s*")


@dataclass(frozen=True, slots=True)
class PasswordColumn:
    """A rule, as others are, for what stands under `| user | password |`.

    The first column counts only below a ruled head: elsewhere it names what the others hold.
    """

    kind: str = "password"
    starts: tuple[str, ...] = ("passw", "passp", "passc", "pwd")

    def spans(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield where such passwords stand; `lowered` is the text in lower case."""
        if "|" not in text or not any(start in lowered for start in self.starts):
            return
        columns: list[int] = []
        nth = at = 0
        for line in text.split("\n"):
            row = line.lstrip(" \t>").startswith("|")
            nth = nth + 1 if row else 0
            if nth == 1:
                columns = [
                    n for n, (a, b) in enumerate(_cells(line)) if _HEAD.fullmatch(line, a, b)
                ]
            elif row and columns:
                if nth == 2 and not _RULED.fullmatch(line):
                    columns = [column for column in columns if column > 0]
                yield from ((at + a, at + b) for a, b in _passwords(line, columns))
            at += len(line) + 1


def _cells(row: str) -> list[tuple[int, int]]:
    """Return where the cells of a row stand, without the pipes."""
    pipes = [found.start() for found in _PIPE.finditer(row)]
    return [(a + 1, b) for a, b in zip(pipes, [*pipes[1:], len(row)], strict=True)]


def _passwords(row: str, columns: list[int]) -> Iterator[tuple[int, int]]:
    cells = _cells(row)
    for column in columns:
        found = _CELL.fullmatch(row, *cells[column]) if column < len(cells) else None
        if found:
            counts = is_quoted_password if found["mark"] in ("`", '"', "'") else is_bare_password
            if counts(found["secret"]):
                yield found.span("secret")
