"""The link to a section, composed when an answer is made."""

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from core.models import Host, Section
from core.points import BuildInfo
from core.settings_lists import LINK_FIELDS, SourceSettings
from corpus.kinds import INDEX_NAMES, markdown_suffix, rendered_by

_FIELD = re.compile(rf"\{{({'|'.join(LINK_FIELDS)})\}}")
_PUBLIC = re.compile(
    r"(?:https://|ssh://|git://)?(?:[^@/?#]*@)?(?P<host>github\.com|gitlab\.com)(?::\d+)?[/:]"
    r"(?P<project>[\w.-]+(?:/[\w.-]+)+)/?",
    re.IGNORECASE,
)
_DATED = re.compile(r"\d+[-_.]\d")
_NUMBERED = re.compile(r"\d+\s*[-_.]+\s*(?P<rest>[^-_.\s].*)", re.DOTALL)
_BLOBS = {"github.com": (Host.GITHUB, "blob"), "gitlab.com": (Host.GITLAB, "-/blob")}
_HUGO_SIGNS = frozenset("./_#+~-@%")
_NO_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SITES = frozenset({Host.MKDOCS, Host.DOCUSAURUS, Host.HUGO})


class Unlinked(Enum):
    """Why a source's template gives a page no link."""

    NO_COMMIT = auto()
    OUTSIDE = auto()
    NO_PAGE = auto()
    LEFT_OUT = auto()


def link_to(section: Section, source: SourceSettings, commit: str, root: Path | None) -> str:
    """Return the link to a section, or an empty string where none would be right.

    The source's template is filled with percent-encoded fields, unless `unlinked` says why not. A
    folder without a template gives `file://`, from its `root`. Without an anchor, a fragment that
    asks for one is left off, or names the lines where the host shows the file as source.
    """
    template = template_of(source)
    if template:
        none = unlinked(section.path, source, commit)
        return "" if none else _filled(template, section, commit, source)
    if root is None:
        return ""
    anchor = f"#{quote(section.anchor, safe='')}" if section.anchor else ""
    return f"{(root.absolute() / section.path).as_uri()}{anchor}"


def unlinked(path: str, source: SourceSettings, commit: str) -> Unlinked | None:
    """Return why no link by the source's template is right for any section of a page, if none is.

    One that wants a commit needs one; one to a page of a site needs that the site has it.
    """
    template = template_of(source)
    if "{commit}" in template and not commit:
        return Unlinked.NO_COMMIT
    if "{page}" not in template:
        return None
    if source.site_root and not PurePosixPath(path).is_relative_to(source.site_root):
        return Unlinked.OUTSIDE
    if source.host in _SITES and not rendered_by(source.host, path):
        return Unlinked.NO_PAGE
    # Its docs plugin's default `exclude`.
    left_out = any(part.startswith("_") for part in _below(path, source))
    return Unlinked.LEFT_OUT if source.host is Host.DOCUSAURUS and left_out else None


def commit_of(section: Section, source: SourceSettings, info: BuildInfo | None) -> str:
    """Return the commit that has a section's page as it was read; empty where none is known to.

    A repository's files are read from its commit, which lacks those that are read by a link to
    their folder. A folder's may differ from its checkout's.
    """
    unknown = () if source.git is not None else (section.path,)
    if info is None or section.path in info.uncommitted.get(source.name, unknown):
        return ""
    return info.sources.get(source.name, "")


def template_of(source: SourceSettings) -> str:
    """Return the source's own template, else that of a repository on github.com or gitlab.com."""
    if source.link is not None:
        return source.link
    public = _PUBLIC.fullmatch(source.git or "")
    if public is None:
        return ""
    name, project = public["host"].lower(), public["project"].removesuffix(".git")
    host, blob = _BLOBS[name]
    # Anchors by the rules of a site would be wrong on the repository's own pages.
    anchor = "#{anchor}" if source.host is host else ""
    return f"https://{name}/{project}/{blob}/{{commit}}/{{path}}{anchor}"


def _filled(template: str, section: Section, commit: str, source: SourceSettings) -> str:
    page, mark, fragment = template.partition("#")
    if mark and "{anchor}" in fragment and not section.anchor:
        fragment = _lines(page, section.path, source.host)
    place = _page(section.path, source)
    if not place:
        page = page.replace("{page}/", "{page}")
    fields = {
        "commit": quote(commit, safe=""),
        "path": quote(section.path, safe="/"),
        "page": quote(place, safe="/"),
        "anchor": quote(section.anchor, safe=""),
        "line_start": str(section.line_start),
        "line_end": str(section.line_end),
    }
    whole = f"{page}#{fragment}" if fragment else page
    return _FIELD.sub(lambda found: fields[found[1]], whole)


def _lines(page: str, path: str, host: Host) -> str:
    """Return the fragment of lines for a file that the host shows as source, line by line.

    A rendered page has no lines; a site that is made from the files has neither.
    """
    if "/blob/" not in page or rendered_by(host, path):
        return ""
    match host:
        case Host.GITHUB:
            return "L{line_start}-L{line_end}"
        case Host.GITLAB:
            return "L{line_start}-{line_end}"
        case _:
            return ""


def _page(path: str, source: SourceSettings) -> str:
    """Return the path at which a site shows a file: without its suffix, an index as its folder.

    Docusaurus drops numbers that only sort (`numberPrefix.ts`).
    """
    below = _below(path.removesuffix(markdown_suffix(path)), source)
    *folders, name = below or ("",)
    parts = folders if _is_index(source.host, folders[-1:], name) else below
    if source.host is Host.DOCUSAURUS:
        parts = [_unnumbered(part) for part in parts]
    shown = "/".join(parts)
    return _by_hugo(shown) if source.host is Host.HUGO else shown


def _below(path: str, source: SourceSettings) -> Sequence[str]:
    """Return the parts of a path below the folder that the source's site is made from."""
    whole = PurePosixPath(path)
    return (whole.relative_to(source.site_root) if source.site_root else whole).parts


def _is_index(host: Host, folder: Sequence[str], name: str) -> bool:
    """Return whether a site shows a file of this name, without its suffix, as its folder.

    MkDocs: `File._get_stem`; Docusaurus: `isCategoryIndex`, by the names as the files have them;
    Hugo: `PathParser` in common/paths.
    """
    match host:
        case Host.MKDOCS:
            return name in {"index", "README"}
        case Host.DOCUSAURUS:
            return name.lower() in {"index", "readme", *(one.lower() for one in folder)}
        case Host.HUGO:
            return name.lower() in {"index", "_index"}
        case _:
            return name.lower() in INDEX_NAMES


def _by_hugo(path: str) -> str:
    """Return a path as Hugo writes it: `NormalizePathStringBasic`, then `Sanitize` in common/paths.

    In lower case, a hyphen for each space; of the rest only letters, marks, digits and a few signs.
    Other white space is one hyphen, where it stands beside none.
    """
    kept: list[str] = []
    blank = False
    for rune in _NO_ESCAPE.sub("", path.replace(" ", "-")):
        if rune.isspace():
            blank = bool(kept) and kept[-1] != "-"
        elif rune in _HUGO_SIGNS or _is_word(rune):
            if blank and rune != "-":
                kept.append("-")
            blank = False
            # By itself, as Go does it: without the final sigma, and with one letter for one.
            kept.append(rune.lower()[0])
    return "".join(kept)


def _is_word(rune: str) -> bool:
    category = unicodedata.category(rune)
    return category[0] in "LM" or category == "Nd"


def _unnumbered(name: str) -> str:
    """Return a name without the number before it, unless it begins with a date or a version."""
    numbered = None if _DATED.match(name) else _NUMBERED.fullmatch(name)
    return numbered["rest"] if numbered else name
