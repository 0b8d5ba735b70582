"""Where private keys stand in a text, in the armour that tools print them in. Pure."""

import re

_BEGIN = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|Private-Lines: [0-9]{1,3}(?=\n)"
)
_END = re.compile(
    r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----"
)
_BODY_LINE = re.compile(r"\n[ \t>]*[A-Za-z0-9+/=]{16,}[ \t]*(?=\n|\Z)")
_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{40}")


def private_keys(text: str) -> list[tuple[int, int]]:
    """Return the spans of PEM, PGP, SSH2 and PuTTY private keys, from BEGIN to END.

    A key that is cut off ends with its last line of base64; armour around dots or a placeholder is
    none.
    """
    begins = [begin.span() for begin in _BEGIN.finditer(text)]
    limits = [start for start, _ in [*begins[1:], (len(text), 0)]]
    spans = [
        (start, _end(text, end, limit)) for (start, end), limit in zip(begins, limits, strict=False)
    ]
    return [span for span in spans if _MATERIAL.search(text, *span)]


def _end(text: str, start: int, limit: int) -> int:
    if (end := _END.search(text, start, limit)) is not None:
        return end.end()
    while (line := _BODY_LINE.match(text, start, limit)) is not None:
        start = line.end()
    return start
