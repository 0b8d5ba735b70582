"""Which of some patterns match a path, in one pass over its characters. Pure.

The patterns are a machine that is at many places of them at once, and what it does at a character
is remembered. A search that goes back does not come to an end for `*a*a*a*a*a*a*a*a*a*a*a*a*b`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_PIECE = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^\]/]+\]|.", re.DOTALL)
_ANY, _FOLDERS, _IN_FOLDER, _END = "any", "**/", "in a folder", ""

Places = int
"""Where in the patterns the machine is: a bit for each piece."""


class Matcher:
    """The machine for some patterns."""

    MOST_STEPS = 10_000
    """So many steps are remembered at once: usual patterns take some hundreds."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._pieces: list[str] = []
        self._jumps: dict[int, list[int]] = {}
        self._steps: dict[tuple[Places, str], Places] = {}
        starts: list[int] = []
        self._ends: list[int] = []
        for pattern in patterns:
            start, pieces = len(self._pieces), pieces_of(pattern)
            starts.append(start)
            for at, targets in _jumps(pieces).items():
                self._jumps[start + at] = [start + target for target in targets]
            self._ends.append(start + len(pieces))
            self._pieces += (*pieces, _END)
        self._end = sum(1 << end for end in self._ends)
        self._start = self._reached(starts)

    @property
    def remembered(self) -> int:
        """Return how many steps are remembered."""
        return len(self._steps)

    def matches(self, path: str) -> bool:
        """Return whether any pattern matches the whole path."""
        return bool(self._run(path)[0] & self._end)

    def covers(self, path: str) -> bool:
        """Return whether any pattern matches the path or a folder above it."""
        at, above = self._run(path)
        return bool((at | above) & self._end)

    def covering(self, path: str) -> set[int]:
        """Return which patterns match the path or a folder above it, by their order."""
        at, above = self._run(path)
        return {number for number, end in enumerate(self._ends) if (at | above) >> end & 1}

    def _run(self, path: str) -> tuple[Places, Places]:
        """Return where the machine is after a path, and where it was after the folders above."""
        places, above, steps = self._start, 0, self._steps
        for char in path:
            if char == "/":
                above |= places
            step = steps.get((places, char))
            places = self._step(places, char) if step is None else step
        return places, above

    def _step(self, places: Places, char: str) -> Places:
        """Return where the machine is after one more character, and remember it."""
        reached = self._reached(
            target
            for at in range(places.bit_length())
            if places >> at & 1
            for target in self._after(at, char)
        )
        if len(self._steps) >= self.MOST_STEPS:
            self._steps.clear()
        self._steps[places, char] = reached
        return reached

    def _after(self, at: int, char: str) -> tuple[int, ...]:
        """Return where a piece leads with a character."""
        piece, in_name = self._pieces[at], char != "/"
        match piece:
            case "*":
                return (at,) if in_name else ()
            case "**":
                return (at,)
            case "?":
                return (at + 1,) if in_name else ()
            case "any":
                return (at + 1,)
            case "**/":
                return (at + 1,) if in_name else ()
            case "in a folder":
                return (at,) if in_name else (at - 1,)
        if at in self._jumps:
            return ()
        signs = _class(piece) if len(piece) > 1 else None
        fits = signs.fullmatch(char) is not None if signs else piece == char
        return (at + 1,) if fits else ()

    def _reached(self, found: Iterable[int]) -> Places:
        """Return the places found, and those that are reached from there without a character."""
        places, left = 0, list(found)
        while left:
            at = left.pop()
            if not places >> at & 1:
                places |= 1 << at
                left += self._jumps.get(at, ())
        return places


def pieces_of(pattern: str) -> list[str]:
    """Return what a pattern is made of, each piece a sign or a character."""
    pieces: list[str] = []
    for piece in _PIECE.findall(bare(pattern)):
        match piece:
            case "/**":
                pieces += ("/", _ANY, "**")
            case "**/":
                pieces += (_FOLDERS, _IN_FOLDER)
            case _ if len(piece) > 2 and _class(piece) is None:
                pieces += (f"[{char}]" if char in "{,}*?" else char for char in piece)
            case _:
                pieces.append(piece)
    return pieces


def bare(pattern: str) -> str:
    """Return a pattern without what adds nothing to it."""
    return pattern.removeprefix("./").rstrip("/")


def _jumps(pieces: Sequence[str]) -> dict[int, list[int]]:
    """Return where pieces lead without a character, by where they stand.

    Braces without a comma are characters of a name, as they are in a shell.
    """
    jumps: dict[int, list[int]] = {}
    opened: list[list[int]] = []
    for at, piece in enumerate(pieces):
        if piece in {"*", "**"}:
            jumps[at] = [at + 1]
        elif piece == _FOLDERS:
            jumps[at] = [at + 2]
        elif piece == "{":
            opened.append([at])
        elif piece == "," and opened:
            opened[-1].append(at)
        elif piece == "}" and opened:
            start, *commas = opened.pop()
            if commas:
                jumps[start] = [start + 1, *(comma + 1 for comma in commas)]
                jumps |= {over: [at + 1] for over in (*commas, at)}
    return jumps


@lru_cache(maxsize=512)
def _class(piece: str) -> re.Pattern[str] | None:
    """Return what `[…]` stands for; None for `[z-a]`, which is characters of a name."""
    inside = re.sub(r"([\\\[&|~^])", r"\\\1", piece[1:-1].removeprefix("!"))
    try:
        return re.compile(f"[^/{inside}]" if piece[1] == "!" else f"[{inside}]")
    except re.error:
        return None
