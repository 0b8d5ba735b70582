"""Heading anchors by the rules of the host that renders a page. Pure.

Where a host gives a heading no anchor, or one that another heading has already, it is an empty
string: no link is better than a wrong one. Read in the hosts' sources:

- GitHub: `corpus/anchors.py`.
- GitLab since 17.0: `lib/banzai/filter/markdown_engines/glfm_markdown.rb` hands ids to the crate
  comrak (`src/html/anchorizer.rs`, `collect_text_append`); its documentation still says that
  hyphens are collapsed, and shows in its example that they are not.
- MkDocs: Python-Markdown's `markdown/extensions/toc.py` (`slugify`, `unique`) and `attr_list.py`;
  what it takes for a tag (`inlinepatterns.py`, `HTML_RE`) and for a heading (`blockprocessors.py`).
- Docusaurus: `packages/docusaurus-mdx-loader/src/remark/headings`, `docusaurus-utils`
  (`parseMarkdownHeadingId`, github-slugger) and `theme-classic/src/theme/Heading`.
- Hugo: `markup/goldmark/autoid.go` (type `github`) and goldmark's `parser/atx_heading.go`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from core.models import Host
from corpus.anchors import anchors
from corpus.kinds import rendered_by
from corpus.markdown import Heading

_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
_MARKS = frozenset({"Mn", "Mc", "Me"})
_NUMBERS = frozenset({"Nd", "Nl", "No"})
_GITLAB = _LETTERS | _MARKS | _NUMBERS | {"Pc"}
_HUGO = _LETTERS | {"Nd"}
_ATTRIBUTES = re.compile(r"(?P<space>[ \t]*)(?<!\\)\{:?[ \t]*(?P<inside>[^{}\n]+)\}[ \t]*$")
_ATTRIBUTE = re.compile(r"[#.]|[\w-]+=")
_ID = re.compile(r"#(?P<id>[^\s#.={}]+[^\s#={}]*)")
_DOCUSAURUS_ID = re.compile(r"\s*\{(?:#(?P<id>[^{}\n]+)|/\*\s*#(?P<comment>\S+)\s*\*/)\}\s*$")
_TAG = re.compile(r"</?[A-Za-z][^<>@\s]*(?:\s[^<>]*)?>")
_COUNTED = re.compile(r"(?P<stem>.*)_(?P<count>[0-9]+)", re.DOTALL)
_TEMPLATE = re.compile(r"\{\{|\{%|<%")


def host_anchors(headings: Sequence[Heading], host: Host, path: str) -> list[str]:
    """Return the anchor of every heading of a page, in order, empty where it has none.

    `path` decides whether the host renders the file at all.
    """
    if not rendered_by(host, path):
        return [""] * len(headings)
    match host:
        case Host.GITHUB:
            return anchors(heading.text for heading in headings)
        case Host.GITLAB:
            return list(_gitlab(headings))
        case Host.MKDOCS:
            return list(_mkdocs(headings))
        case Host.DOCUSAURUS:
            return list(_docusaurus(headings))
        case Host.HUGO:
            return list(_hugo(headings))
        case _:
            assert_never(host)


def _gitlab(headings: Sequence[Heading]) -> Iterator[str]:
    """Number like comrak: the first free of `x`, `x-1`, `x-2`; HTML headings have no anchor."""
    taken: set[str] = set()
    for heading in headings:
        if heading.written is None:
            yield ""
            continue
        text = heading.described.replace("\n", " ").lower()
        kept = (c for c in text if c in " -" or unicodedata.category(c) in _GITLAB)
        yield _numbered("".join(kept).replace(" ", "-"), taken)


def _mkdocs(headings: Sequence[Heading]) -> Iterator[str]:
    """Take what is right whether the extension `attr_list` is on or not, which nothing here tells.

    MkDocs has it off (`mkdocs/config/defaults.py`, `builtins`), Material for MkDocs advises it, and
    an id is hardly written where it stands on the page. So an id counts, unless without the
    extension it would lead to another heading; leading nowhere opens the page, as no anchor does.
    """
    plain = _python_markdown(headings, [_Marked(heading.masked) for heading in headings])
    marked = [_marked(heading.masked, spaced=True) for heading in headings]
    for at, anchor in enumerate(_python_markdown(headings, marked)):
        elsewhere = anchor in plain and plain.index(anchor) != at
        yield "" if elsewhere else anchor


def _python_markdown(headings: Sequence[Heading], marked: Sequence["_Marked"]) -> list[str]:
    """Number like Python-Markdown: `x`, `x_1`, `x_2`, never one that is written somewhere.

    `marked` are the headings' masked texts. Of several lines above `---` it makes no heading.
    """
    taken = {one.id for one in marked if one.id}
    given: set[str] = set()
    anchors_: list[str] = []
    for heading, one in zip(headings, marked, strict=True):
        if heading.written is None or "\n" in heading.written:
            anchors_.append("")
        elif one.id:
            anchors_.append("" if one.id in given else one.id)
            given.add(one.id)
        else:
            found = _unique(_mkdocs_slug(_untagged(heading.text, one.text)), taken)
            anchors_.append("" if _TEMPLATE.search(heading.text) else found)
    return anchors_


def _untagged(text: str, masked: str) -> str:
    """Return as much of a text as its mask covers, without the tags that stand in the mask."""
    kept, at = "", 0
    for tag in _TAG.finditer(masked):
        kept, at = kept + text[at : tag.start()], tag.end()
    return kept + text[at : len(masked)]


def _mkdocs_slug(text: str) -> str:
    text = " ".join(text.split())
    ascii_ = unicodedata.normalize("NFKD", text).encode("ascii", "ignore")
    kept = re.sub(r"[^\w\s-]", "", ascii_.decode("ascii")).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


def _unique(anchor: str, taken: set[str]) -> str:
    while anchor in taken or not anchor:
        counted = _COUNTED.fullmatch(anchor)
        anchor = f"{counted['stem']}_{int(counted['count']) + 1}" if counted else f"{anchor}_1"
    taken.add(anchor)
    return anchor


def _docusaurus(headings: Sequence[Heading]) -> Iterator[str]:
    """Number like github-slugger; an id that is written takes no number, and a title has none."""
    written = [_DOCUSAURUS_ID.search(heading.described) for heading in headings]
    counting = [
        heading.described
        for heading, id_ in zip(headings, written, strict=True)
        if heading.written is not None and not id_
    ]
    counted = iter(anchors(counting))
    given: set[str] = set()
    for heading, id_ in zip(headings, written, strict=True):
        if heading.written is None:
            yield ""
            continue
        anchor = (id_["id"] or id_["comment"]).strip() if id_ else next(counted)
        yield "" if heading.level == 1 or anchor in given else anchor
        given.add(anchor)


def _hugo(headings: Sequence[Heading]) -> Iterator[str]:
    """Number like Hugo, from what is written on a heading's last line, marks and all."""
    taken: set[str] = set()
    for heading in headings:
        if heading.written is None:
            yield ""
            continue
        marked = _marked(heading.written.rpartition("\n")[2])
        if marked.id:
            yield "" if marked.id in taken else marked.id
            taken.add(marked.id)
            continue
        kept = (
            "-" if c in " -" else c.lower()
            for c in marked.text.strip()
            if c in " -_" or unicodedata.category(c) in _HUGO
        )
        found = _numbered("".join(kept) or "heading", taken)
        yield "" if _TEMPLATE.search(heading.written) else found


def _numbered(anchor: str, taken: set[str]) -> str:
    """Return the first free of `x`, `x-1`, `x-2`; nothing for a heading of which nothing is left.

    An empty anchor counts all the same, so that the next one is `-1`.
    """
    found, count = anchor, 0
    while found in taken:
        count += 1
        found = f"{anchor}-{count}"
    taken.add(found)
    return found if anchor else ""


@dataclass(frozen=True, slots=True)
class _Marked:
    """A heading without the attributes in braces at its end, and the id among them."""

    text: str
    id: str = ""


def _marked(text: str, *, spaced: bool = False) -> _Marked:
    attributes = _ATTRIBUTES.search(text)
    if attributes is None or not _ATTRIBUTE.match(attributes["inside"].strip()):
        return _Marked(text)
    if spaced and not attributes["space"]:
        return _Marked(text)
    id_ = _ID.search(attributes["inside"])
    return _Marked(text[: attributes.start()], id_["id"] if id_ else "")
