"""What kind of file a path names: Markdown or not, rendered by a host or not. Pure."""

import re
from pathlib import PurePosixPath

from core.models import Host

_MARKDOWN = re.compile(r"(?:\.html?)?\.(?:md\.erb|md|markdown|mdx)$", re.IGNORECASE)
_SUFFIX = re.compile(r"[^./]\.([A-Za-z0-9]{1,10})$")
# Which files a host shows as pages, by suffix: github/markup, lib/github/markups.rb; GitLab,
# lib/gitlab/markup_helper.rb; mkdocs/utils; Docusaurus' docs plugin, `include`; Hugo's markdown
# media type.
_RENDERED = {
    Host.GITHUB: re.compile(r"\.(?:md|mkdn?|mdwn|mdown|markdown|mdx|litcoffee)$", re.IGNORECASE),
    Host.GITLAB: re.compile(r"\.(?:md|mkdn?|mdown|markdown|rmd)$", re.IGNORECASE),
    Host.MKDOCS: re.compile(r"\.(?:md|mkdn?|mdown|markdown)$"),
    Host.DOCUSAURUS: re.compile(r"\.mdx?$"),
    Host.HUGO: re.compile(r"\.(?:md|mdown|markdown)$"),
}
INDEX_NAMES = frozenset({"_index", "index", "readme"})
_SIGNS = (
    re.compile(r"(?:\A|\n[ \t]*\n)#{1,6} [^\n]+\n[ \t]*(?:\n|\Z)"),
    re.compile(r"(?:\A|\n)[^\s#=-][^\n]*\n(?:={3,}|-{3,})[ \t]*\n"),
    re.compile(r"\n[ \t]*(?:[-*+]|\d{1,3}[.)]) +[^\s@]"),
    re.compile(r"\n[ \t]*(?:```|~~~)"),
    re.compile(r"\n\|(?: *:?-+:? *\|)+"),
    re.compile(r"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)"),
    re.compile(r"\*\*[^*\n]{1,200}\*\*"),
)


def markdown_suffix(path: str) -> str:
    """Return the suffix that makes a file Markdown (`.md`, `.html.md.erb`), or an empty string."""
    found = _MARKDOWN.search(path)
    return found.group() if found else ""


def suffix(path: str) -> str:
    """Return a path's suffix in lower case (`.png`); a dot inside a sentence makes none."""
    found = _SUFFIX.search(PurePosixPath(path).name)
    return f".{found.group(1).lower()}" if found else ""


def stem(path: str) -> str:
    """Return a file's name without the suffix that makes it Markdown."""
    name = PurePosixPath(path).name
    return name.removesuffix(markdown_suffix(name)) or name


def rendered_by(host: Host, path: str) -> bool:
    """Return whether a host shows the file as a page, so that its headings have anchors."""
    return _RENDERED[host].search(path) is not None


def looks_like_markdown(head: bytes) -> bool:
    """Return whether a file without a suffix begins like a Markdown page.

    A heading set off by blank lines and one more sign: a comment in a Makefile has neither.
    """
    if b"\0" in head or head.startswith(b"#!"):
        return False
    text = head.decode("utf-8-sig", "ignore").replace("\r\n", "\n")
    heading, *others = (sign.search(text) is not None for sign in _SIGNS)
    return any(others) if heading else others[0] and any(others[1:])
