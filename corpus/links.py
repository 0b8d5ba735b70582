"""The link to a section, composed when an answer is made."""

import re
from pathlib import Path
from urllib.parse import quote

from core.models import Section
from core.settings_lists import SourceSettings

_FIELD = re.compile(r"\{(commit|path|anchor|line_start|line_end)\}")


def link_to(section: Section, source: SourceSettings, commit: str, root: Path | None) -> str:
    """Return the link to a section, or an empty string where none would be right.

    The source's template is filled with percent-encoded fields; one that wants a commit has no
    link without one. A folder without a template gives `file://`, from its `root`. Without an
    anchor, a fragment that asks for one is left off.
    """
    if source.link is not None:
        return _filled(source.link, section, commit)
    if root is None:
        return ""
    anchor = f"#{quote(section.anchor, safe='')}" if section.anchor else ""
    return f"{(root.absolute() / section.path).as_uri()}{anchor}"


def _filled(template: str, section: Section, commit: str) -> str:
    if "{commit}" in template and not commit:
        return ""
    page, mark, fragment = template.partition("#")
    if not mark or ("{anchor}" in fragment and not section.anchor):
        template = page
    fields = {
        "commit": quote(commit, safe=""),
        "path": quote(section.path, safe="/"),
        "anchor": quote(section.anchor, safe=""),
        "line_start": str(section.line_start),
        "line_end": str(section.line_end),
    }
    return _FIELD.sub(lambda found: fields[found[1]], template)
