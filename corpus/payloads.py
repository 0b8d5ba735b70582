"""Data that a text carries in base64 or hexadecimal: nothing to read, so nothing to embed. Pure.

A run of lines counts only where it cannot be writing: full lines of one width with the mixture of
base64, or the numbered lines of a dump. Paths, names and lists of hashes are none of these.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from core.models import Span

_MARK = r"[ \t>]*"
_URI = re.compile(
    r"(?<=;base64,)(?:[A-Za-z0-9+/=%_-]{40,}"
    rf"|[A-Za-z0-9+/=%_-]{{0,39}}(?=\\?[ \t]*\n{_MARK}[A-Za-z0-9+/=%_-]{{40}}))"
)
_MORE_OF_URI = re.compile(
    rf"\\?[ \t]*\n{_MARK}(?P<data>[A-Za-z0-9+/=%_-]+)(?:(?P<closed>(?=[\"')]))|(?=\\?[ \t]*$))",
    re.MULTILINE,
)
_FULL = 40
_UNBROKEN = re.compile(r"[A-Za-z0-9+/]{240,}={0,2}")
_LINE = re.compile(rf"^{_MARK}(?P<data>[A-Za-z0-9+/]{{60,}}={{0,2}})[ \t]*$", re.MULTILINE)
_LAST = re.compile(rf"\n{_MARK}(?P<data>[A-Za-z0-9+/]{{0,256}}={{0,2}})[ \t]*$", re.MULTILINE)
# As openssl prints the bytes of a key or a signature.
_BYTES = re.compile(rf"^{_MARK}(?P<data>(?:[0-9A-Fa-f]{{2}}:){{14,32}})$", re.MULTILINE)
_LAST_BYTES = re.compile(
    rf"\n{_MARK}(?P<data>(?:[0-9A-Fa-f]{{2}}:){{0,32}}[0-9A-Fa-f]{{2}}:?)$", re.MULTILINE
)
# As xxd and hexdump do: where the line stands, sixteen bytes, and the letters that they are.
_DUMP = re.compile(
    rf"^{_MARK}(?P<data>(?P<at>[0-9A-Fa-f]{{7,8}}):?(?:[ \t]{{1,3}}[0-9A-Fa-f]{{2,8}}){{4,16}}"
    r"[^\n]{0,24})$",
    re.MULTILINE,
)
_DUMP_BYTES = 16
_LINES = 3
_HEX = re.compile(r"[0-9A-F]+|[0-9a-f]+")
_WORD = re.compile(r"[a-z]{5,}")
# A small letter before two capitals: no word has that, and most of base64 does.
_TURN = re.compile(r"[a-z][A-Z]{2}")
_WORDS_SHARE = 0.3
_SLASHES_SHARE = 0.08


class Payloads:
    """Where the payloads of a text stand: of `data:` URIs, in lines of base64, in dumps."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = list(_apart(_found(text)))
        self._ends = [span.end for span in self._spans]

    def size(self, start: int, end: int) -> int:
        """Return how many characters of a stretch are no payload."""
        return max(0, end - start) - sum(map(len, self._inside(start, end)))

    def without(self, span: Span) -> str:
        """Return a stretch of the text with its payloads left out."""
        pieces: list[str] = []
        done = span.start
        for payload in self._inside(span.start, span.end):
            pieces.append(self._text[done : payload.start])
            done = payload.end
        return "".join((*pieces, self._text[done : span.end]))

    def _inside(self, start: int, end: int) -> Iterator[Span]:
        for span in self._spans[bisect_left(self._ends, start + 1) :] if self._spans else ():
            if span.start >= end:
                return
            yield Span(max(span.start, start), min(span.end, end))


def _found(text: str) -> Iterator[Span]:
    for found in _URI.finditer(text):
        yield Span(found.start(), _wrapped(text, found.end()))
    for found in _UNBROKEN.finditer(text):
        if _is_base64(found[0]) or _is_hex(found[0]):
            yield Span(*found.span())
    for run in _runs(_LINE.finditer(text), _alike):
        if _is_base64("".join(line["data"] for line in run)):
            yield Span(run[0].start("data"), _last(text, _LAST, run[-1]))
    for run in _runs(_BYTES.finditer(text), _alike):
        yield Span(run[0].start("data"), _last(text, _LAST_BYTES, run[-1]))
    for run in _runs(_DUMP.finditer(text), _follows):
        yield Span(run[0].start("data"), run[-1].end())


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans in order, those that overlap as one."""
    held: Span | None = None
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if held is None or span.start >= held.end:
            if held is not None:
                yield held
            held = span
        else:
            held = Span(held.start, max(held.end, span.end))
    if held is not None:
        yield held


def _wrapped(text: str, end: int) -> int:
    """Return where the payload of a URI ends that may go on over lines, up to its closing mark."""
    begun = False
    while (more := _MORE_OF_URI.match(text, end)) is not None:
        data, closed = more["data"], more["closed"] is not None
        full = len(data) >= _FULL
        if not (closed or (begun and _is_scrap(data)) or (full and not _has_words(data))):
            return end
        end = more.end("data")
        if closed or not full:
            return end
        begun = True
    return end


def _runs(
    lines: Iterable[re.Match[str]], joins: Callable[[re.Match[str], re.Match[str]], bool]
) -> Iterator[list[re.Match[str]]]:
    """Yield each run of lines that stand one below the other, if it is long enough."""
    run: list[re.Match[str]] = []
    for line in lines:
        if run and not (line.start() == run[-1].end() + 1 and joins(run[-1], line)):
            if len(run) >= _LINES:
                yield run
            run = []
        run.append(line)
    if len(run) >= _LINES:
        yield run


def _alike(one: re.Match[str], two: re.Match[str]) -> bool:
    return len(one["data"]) == len(two["data"])


def _follows(one: re.Match[str], two: re.Match[str]) -> bool:
    return int(two["at"], 16) - int(one["at"], 16) == _DUMP_BYTES


def _last(text: str, pattern: re.Pattern[str], line: re.Match[str]) -> int:
    """Return where a run ends: with its last line, which may be shorter than the others."""
    last = pattern.match(text, line.end())
    if last is None or len(last["data"]) > len(line["data"]):
        return line.end("data")
    return (
        last.end("data") if pattern is _LAST_BYTES or _is_scrap(last["data"]) else line.end("data")
    )


def _is_base64(data: str) -> bool:
    """Return whether a long text has the mixture of base64: no words, path or list of hashes."""
    return (
        _is_mixed(data)
        and _HEX.fullmatch(data) is None
        and data.count("/") <= _SLASHES_SHARE * len(data)
        and not _has_words(data)
    )


def _is_hex(data: str) -> bool:
    return _HEX.fullmatch(data) is not None and not data.isdigit() and not data.isalpha()


def _is_scrap(data: str) -> bool:
    """Return whether a short line after full ones is their end, and no word."""
    return (
        data.endswith("=")
        or _is_mixed(data)
        or (_TURN.search(data) is not None and not _has_words(data))
    )


def _is_mixed(data: str) -> bool:
    return (
        any(map(str.isdigit, data)) and any(map(str.isupper, data)) and any(map(str.islower, data))
    )


def _has_words(data: str) -> bool:
    return sum(map(len, _WORD.findall(data))) > _WORDS_SHARE * len(data)
