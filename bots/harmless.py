"""Text that cannot command a terminal. Pure."""

import re

_COMMANDING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def harmless(text: str) -> str:
    """Return the text with what a terminal would obey, or be misled by, made visible.

    Control characters become their pictures (ESC is ␛), one for one; the further controls, odd line
    ends, lone surrogates and what overrides the direction of text (by which a command can be made
    to look like another) become �. All else, line ends and tabs too, is left as it is.
    """
    return _COMMANDING.sub(_picture, text)


def on_one_line(text: str) -> str:
    """Return the text harmless, with line ends and tabs as pictures too: the name of a file, say.

    A name may hold any character, and stands in lists and before what is said of it.
    """
    return harmless(text).translate({0x09: "␉", 0x0A: "␊"})


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"
