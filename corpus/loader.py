"""Bytes to a document: encoding, frontmatter, title, secrets replaced. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from core.errors import DocumentError
from core.models import Document, Metadata
from core.redaction import redact
from core.settings_lists import SourceSettings
from corpus.asked import without_asked
from corpus.frontmatter import Value, read_frontmatter
from corpus.frontmatter_access import is_invisible
from corpus.identity import document_id, hash_of
from corpus.kinds import INDEX_NAMES, stem
from corpus.markdown import Heading, parse

_FIRST_TOP = re.compile(r"^ {0,3}#[ \t]+\S.*", re.MULTILINE)
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TEMPLATE = re.compile(r"<%|\{\{|\{%|\$\{")
_SEPARATORS = re.compile(r"(?<!\d)[-_]+|[-_]+(?!\d)")
_OWNER = ("owner", "owner_slack")
_REVIEWED = ("last_reviewed", "last_reviewed_on")
_READ = frozenset({"alerts", "service", "title", "type", *_OWNER, *_REVIEWED})
_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
_TYPES = {"postmortems": "postmortem", "runbooks": "runbook"}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document, and sentences about what of its file was ignored."""

    document: Document
    warnings: tuple[str, ...] = ()


def load(data: bytes, path: str, source: SourceSettings) -> Loaded:
    """Return the document that a file's bytes hold; `path` is relative to its source.

    Raises:
        DocumentError: the bytes are not UTF-8 text, or who may see it cannot be told.
    """
    if data.startswith(_LFS_POINTER):
        raise DocumentError("it is a Git LFS pointer: the text itself is not in the repository")
    text = _decoded(data)
    front = read_frontmatter(text)
    body, found = redact(text[front.length :])
    first_line = text.count("\n", 0, front.length) + 1
    body, asked, ignored = without_asked(body, first_line)
    _, above = redact(text[: front.length])
    below = tuple(replace(one, line=one.line + first_line - 1) for one in found)
    values, warnings = _texts(front.values, front.visibility_line)
    metadata = _metadata(values, body, path, source, front.visibility_line)
    document = Document(
        id=document_id(source.tenant, source.name, path),
        tenant=source.tenant,
        source=source.name,
        path=path,
        metadata=metadata,
        text=body,
        first_line=first_line,
        hash="",
        redactions=above + below,
        host=source.host,
        asked=asked,
    )
    document = replace(document, hash=hash_of(document, source.tenant, source.name))
    front_warning = (front.warning,) if front.warning else ()
    return Loaded(document, (*front_warning, *warnings, *ignored))


def _decoded(data: bytes) -> str:
    """Return the text with LF line ends, without byte order marks or the like at its top."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError("it is UTF-16 text: save it as UTF-8")
    if (at := data.find(b"\0")) >= 0:
        raise DocumentError("it is binary: it holds a NUL byte", data.count(b"\n", 0, at) + 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(f"it is not UTF-8 text ({error.reason})", line) from None
    shown = next((at for at, letter in enumerate(text) if not is_invisible(letter)), len(text))
    return text[shown:].replace("\r\n", "\n").replace("\r", "\n")


def _texts(
    values: Mapping[str, Value], visibility_line: int | None
) -> tuple[dict[str, str | list[str]], tuple[str, ...]]:
    """Return what can be used, with secrets replaced, and a sentence on each value that cannot."""
    usable: dict[str, str | list[str]] = {}
    warnings: list[str] = []
    for key, value in values.items():
        if value is None and key == "visibility":
            raise DocumentError(
                "its visibility is neither a word nor a list, so it is withheld", visibility_line
            )
        if key == "tenant":
            warnings.append("frontmatter: a document cannot name its tenant, ignored")
        elif value is None and key in _READ:
            warnings.append(f"frontmatter: {key} is neither text nor a list, ignored")
        elif isinstance(value, list):
            usable[key] = [redact(item)[0] for item in value]
        elif value is not None:
            usable[key] = redact(value)[0]
    return usable, tuple(warnings)


def _metadata(
    values: Mapping[str, str | list[str]],
    body: str,
    path: str,
    source: SourceSettings,
    visibility_line: int | None,
) -> Metadata:
    return Metadata(
        title=_title(_one(values, "title"), body, path),
        service=_one(values, "service"),
        type=_one(values, "type") or _type_of(path),
        owner=_one(values, *_OWNER),
        last_reviewed=_one(values, *_REVIEWED),
        alerts=_several(values.get("alerts", [])),
        visibility=_visibility(values, source, visibility_line),
    )


def _one(values: Mapping[str, str | list[str]], *keys: str) -> str:
    """Return the first of these keys that is not empty; a list is joined."""
    for key in keys:
        value = values.get(key, "")
        if text := ", ".join(value) if isinstance(value, list) else value:
            return text
    return ""


def _several(value: str | list[str]) -> tuple[str, ...]:
    """Return the items of a list or of a comma-separated text, each once, in order."""
    items = value.split(",") if isinstance(value, str) else value
    return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))


def _visibility(
    values: Mapping[str, str | list[str]], source: SourceSettings, line: int | None
) -> tuple[str, ...]:
    if "visibility" not in values:
        return source.visibility
    labels = _several(values["visibility"])
    for label in labels:
        if not _LABEL.fullmatch(label):
            raise DocumentError(f"its visibility {label!r} is not a label, so it is withheld", line)
    if not labels:
        raise DocumentError("its visibility is empty, so it is withheld", line)
    return labels


def _title(given: str, body: str, path: str) -> str:
    """Return the frontmatter's title, else the first heading of level 1, else the file's name."""
    if given and not _TEMPLATE.search(given):
        return given
    return _first_top(body) or _name(path)


def _first_top(body: str) -> str:
    """Return the first heading of level 1 that can be a title, or an empty string.

    Blocks are read line by line, so the text up to the first `# ` mostly tells, in a fraction of
    the time. What comes after it counts where it could be HTML cut in two, have a link whose
    target is defined below, or be the head of a table.
    """
    if opening := _FIRST_TOP.search(body):
        tops = _tops(body[: opening.end()])
        sure = all(top.written is not None and not {"[", "|"} & {*top.written} for top in tops)
        if sure and (title := _usable(tops)):
            return title
    return _usable(_tops(body))


def _tops(text: str) -> list[Heading]:
    return [heading for heading in parse(text).headings if heading.level == 1]


def _usable(tops: Sequence[Heading]) -> str:
    labels = (top.label for top in tops)
    return next((label for label in labels if label and not _TEMPLATE.search(label)), "")


def _name(path: str) -> str:
    """Return a readable name of a file, or of its folder where the file is only an index."""
    name = stem(path)
    folder = PurePosixPath(path).parent.name
    if name.lower() in INDEX_NAMES and folder:
        name = folder
    return " ".join(_SEPARATORS.sub(" ", name).split()) or name


def _type_of(path: str) -> str:
    folders = [folder.lower() for folder in PurePosixPath(path).parts[:-1]]
    return next((_TYPES[folder] for folder in reversed(folders) if folder in _TYPES), "")
