"""Code in Markdown text: spans apart from prose, fences cut into statements. Pure, linear."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

HOLE = "\x00"
"""Stands in prose where a code span was taken out."""

FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_TICK = re.compile("`")
_TICKS = re.compile(r"`+")
_CONFIG = frozenset({"yaml", "yml", "json", "ini", "toml", "conf", "text", "console", "output"})
_SHELL = frozenset({"", "bash", "sh", "shell", "zsh"})
_SQL = frozenset({"sql", "psql"})
_BLOCK_STARTS = re.compile(r"(?:^|[;&|]\s*)(?:for|while|until|if|case)\s")
_BLOCK_ENDS = re.compile(r"(?:^|[;&|]\s*|\s)(?:done|fi|esac)(?=[\s;|&)>]|$)")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_QUOTED = re.compile(r"'[^'\\\n]*'|\"[^\"\\\n]*\"")
_PLAIN = re.compile(r"[^'\"#\\]*\\?")
_GOES_ON = ("\\", "|", "&&", "||", "(", "{", ",")
_CONTINUED = re.compile(r"[ \t]*\\\n[ \t]*")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its language in lower case and its lines, the common indentation gone."""

    language: str
    text: str


@lru_cache(maxsize=1024)
def apart(text: str) -> tuple[str, tuple[str, ...], bool]:
    """Return the prose with a HOLE for each code span, the spans, and whether all are closed."""
    if "`" not in text:
        return text, (), True
    if "``" not in text:
        return _apart_at_ticks(text.split("`"))
    ranges, closed = spans_of(text)
    prose: list[str] = []
    spans: list[str] = []
    done = 0
    for start, end in ranges:
        whole = text[start:end].replace("\n", " ")
        ticks = (len(whole) - len(whole.lstrip("`"))) or 1
        spans.append(whole[ticks:-ticks].strip())
        prose += text[done:start], HOLE
        done = end
    prose.append(text[done:])
    return "".join(prose), tuple(spans), closed


def _apart_at_ticks(parts: list[str]) -> tuple[str, tuple[str, ...], bool]:
    """Return the same of a text that was cut at its backticks, no two of which touch."""
    closed = len(parts) % 2 == 1
    if not closed:
        parts[-2:] = ["`".join(parts[-2:])]
    spans = tuple([span.replace("\n", " ").strip() for span in parts[1::2]])
    return HOLE.join(parts[::2]), spans, closed


def spans_of(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return where code spans start and end, backticks included, and whether all are closed."""
    if "`" not in text:
        return [], True
    if "``" not in text:
        ticks = [found.start() for found in _TICK.finditer(text)]
        spans = [(one, end + 1) for one, end in zip(ticks[::2], ticks[1::2], strict=False)]
        return spans, len(ticks) % 2 == 0
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(text)]
    following = _next_of_length(runs)
    ranges: list[tuple[int, int]] = []
    closed, at = True, 0
    while at < len(runs):
        close = following[at]
        if close < 0:
            closed, at = False, at + 1
        else:
            ranges.append((runs[at][0], runs[close][1]))
            at = close + 1
    return ranges, closed


def _next_of_length(runs: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each run of backticks the next run of the same length, -1 without any."""
    last: dict[int, int] = {}
    following = [-1] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        length = runs[at][1] - runs[at][0]
        following[at] = last.get(length, -1)
        last[length] = at
    return following


def fence_of(lines: Sequence[str]) -> Fence:
    """Read a fenced block from its lines, the closing one included or missing."""
    opening = FENCE.match(lines[0])
    mark, language = (opening[1], opening[2].lower()) if opening else ("```", "")
    inner = [line.lstrip(" \t>") if line.lstrip().startswith(">") else line for line in lines[1:]]
    if inner and inner[-1].strip().startswith(mark):
        inner.pop()
    return Fence(language, textwrap.dedent("\n".join(line.rstrip() for line in inner)).strip("\n"))


def joined(command: str) -> str:
    """Return a command with its continued lines joined by one space."""
    return (_CONTINUED.sub(" ", command) if "\\\n" in command else command).strip()


def statements(fence: Fence) -> tuple[str, ...]:
    """Cut a fence into what stands alone: commands with all their lines, SQL up to its `;`.

    Comments between statements go; a block of any other language is one statement.
    """
    if fence.language in _SHELL:
        return _shell(fence.text)
    if fence.language in _SQL:
        return _sql(fence.text)
    return (fence.text,) if fence.text.strip() else ()


def lines_of_config(fence: Fence) -> tuple[str, ...]:
    """Return the single lines that may be quoted alone: of settings and of output."""
    if fence.language not in _CONFIG:
        return ()
    return tuple(line.strip() for line in fence.text.split("\n") if line.strip())


def _sql(text: str) -> tuple[str, ...]:
    found: list[str] = []
    lines: list[str] = []
    for line in text.split("\n"):
        if not lines and (not line.strip() or line.lstrip().startswith("--")):
            continue
        lines.append(line)
        if line.rstrip().endswith(";"):
            found.append("\n".join(lines))
            lines = []
    if lines:
        found.append("\n".join(lines))
    return tuple(found)


def _shell(text: str) -> tuple[str, ...]:
    found: list[str] = []
    state = _Shell()
    for line in text.split("\n"):
        bare = line.strip()
        if state.whole and (not bare or bare.startswith("#")):
            continue
        if state.whole and not line[:1].isspace() and not bare.startswith(("|", "&&", "||")):
            found.append("")
        state.read(line)
        if not found:
            found.append("")
        found[-1] = f"{found[-1]}\n{line}" if found[-1] else line
    return tuple(joined(one) for one in found)


class _Shell:
    """How far a shell statement is open: quotes, heredocs, blocks, continued lines."""

    def __init__(self) -> None:
        self._quote = ""
        self._heredoc = ""
        self._depth = 0
        self._goes_on = False

    @property
    def whole(self) -> bool:
        return not (self._quote or self._heredoc or self._depth > 0 or self._goes_on)

    def read(self, line: str) -> None:
        bare = line.strip()
        if self._heredoc:
            self._heredoc = "" if bare == self._heredoc else self._heredoc
            return
        code = self._unquoted(line)
        self._depth += len(_BLOCK_STARTS.findall(code.strip()))
        self._depth -= len(_BLOCK_ENDS.findall(code.strip()))
        if not self._quote and (heredoc := _HEREDOC.search(line)):
            self._heredoc = heredoc[1]
        self._goes_on = code.rstrip().endswith(_GOES_ON)

    def _unquoted(self, line: str) -> str:
        """Return the line without what stands in quotes; a comment ends it."""
        if not self._quote:
            bare = _QUOTED.sub("", line)
            if _PLAIN.fullmatch(bare):
                return bare
        kept: list[str] = []
        escaped = False
        for at, sign in enumerate(line):
            if self._quote:
                if sign == self._quote and not escaped:
                    self._quote = ""
            elif sign in "'\"" and not escaped:
                self._quote = sign
            elif sign == "#" and not self._quote and (at == 0 or line[at - 1].isspace()):
                break
            else:
                kept.append(sign)
            escaped = sign == "\\" and not escaped and self._quote != "'"
        return "".join(kept)
