"""Colour for a terminal. Pure."""

from collections.abc import Callable

from rich.color import ColorSystem
from rich.style import Style

Ink = Callable[[str, str], str]
"""Returns a text in a style such as `bold yellow`, or as it is where there is no colour."""


def coloured(text: str, style: str) -> str:
    """Return the text between the codes of one of the terminal's own 16 colours."""
    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def colourless(text: str, style: str) -> str:
    """Return the text as it is."""
    return text
