"""A number and its noun, for every sentence that counts. Pure."""


def counted(number: int, noun: str) -> str:
    """Return `1 file`, `2,000 files`: the plural is made with an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
