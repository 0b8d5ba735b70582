"""A question or quote on one line, cut where it is too long to be shown whole. Pure."""


def one_line(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters, its white space folded."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def printable_line(text: str, longest: int) -> str:
    """Return the same for a terminal: what cannot be printed is white space."""
    return one_line("".join(one if one.isprintable() else " " for one in text), longest)
