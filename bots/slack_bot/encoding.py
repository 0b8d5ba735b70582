"""Slack's encoding of text: undone once on the way in, done once on the way out. Pure."""

import re

_ANGLED = re.compile(r"<([^<>\n]*)>")
_LEAST = {"lt": "<", "gt": ">", "amp": "&"}
_ENTITY = re.compile(r"&(lt|gt|amp);")


def escaped(text: str) -> str:
    """Return a text with the three characters that mean something to Slack escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped_within(text: str, limit: int) -> str:
    """Return a text escaped and on one line, cut where it would be longer than the limit."""
    line = " ".join(text.split())
    if len(shown := escaped(line)) <= limit:
        return shown
    size, kept = 1, 0
    while size + len(escaped(line[kept])) <= limit:
        size += len(escaped(line[kept]))
        kept += 1
    return f"{escaped(line[:kept].rstrip())}…"


def unescaped(text: str) -> str:
    """Undo `escaped`, once."""
    return _ENTITY.sub(lambda found: _LEAST[found[1]], text)


def typed(text: str, *, without: str = "") -> str:
    """Return what somebody typed: links, mentions and escapes unwrapped, once.

    A link becomes its label (an address that Slack linked by itself is its own label), a mention
    its name or id; that of the user `without`, the bot, is left out.
    """

    def unwrapped(found: re.Match[str]) -> str:
        inside, _, label = found[1].partition("|")
        if without and inside == f"@{without}":
            return ""
        return _unwrapped(inside, label)

    return unescaped(_ANGLED.sub(unwrapped, text)).strip()


def _unwrapped(inside: str, label: str) -> str:
    mark, rest = inside[:1], inside[1:]
    if mark in {"@", "#"}:
        return mark + (label or rest)
    if mark == "!":
        name = label or rest.partition("^")[0]
        return name if rest.startswith("date^") else f"@{name.removeprefix('@')}"
    return label or inside
