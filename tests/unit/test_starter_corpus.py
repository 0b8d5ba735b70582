"""The starter corpus: every command and every snippet of it parses, every link leads somewhere."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import promql_parser
import pytest
import yaml

from core.models import Document
from core.points import searchable
from core.settings_lists import SourceSettings
from corpus.anchors import anchors
from corpus.loader import load
from corpus.markdown import Block, BlockKind, parse
from corpus.splitter import cut

CORPUS = Path(__file__).parents[2] / "corpus"
PAGES = sorted([*CORPUS.glob("runbooks/*.md"), *CORPUS.glob("postmortems/*.md")])
WITH_GUIDES = [*PAGES, CORPUS / "README.md", CORPUS / "TEMPLATE.md"]
"""The pages, and what tells authors how to write them: its code must parse as well."""
SOURCE = SourceSettings(name="starter", path=CORPUS)
_FENCE = re.compile(
    r"^(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^ *(?P=mark)", re.M | re.S
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!https?:)([^)\s]+)\)")


def name(page: Path) -> str:
    return page.relative_to(CORPUS).as_posix()


def document(page: Path) -> Document:
    return load(page.read_bytes(), name(page), SOURCE).document


def fences(page: Path) -> Iterator[tuple[str, str]]:
    for match in _FENCE.finditer(page.read_text(encoding="utf-8")):
        indent = len(match["indent"])
        lines = [
            line[indent:] if line[:indent].isspace() else line
            for line in match["body"].splitlines()
        ]
        yield match["info"].strip(), "\n".join(lines) + "\n"


def test_there_are_as_many_pages_as_promised() -> None:
    kinds = [page.parent.name for page in PAGES]
    assert kinds.count("runbooks") >= 55
    assert kinds.count("postmortems") >= 12


@pytest.mark.parametrize("page", WITH_GUIDES, ids=name)
def test_every_fence_names_its_language(page: Path) -> None:
    known = {
        "bash", "console", "html", "ini", "json", "nginx", "promql", "sql", "text", "yaml", "toml",
    }  # fmt: skip
    assert {language for language, _ in fences(page)} <= known


@pytest.mark.parametrize("page", WITH_GUIDES, ids=name)
def test_every_shell_command_parses(page: Path) -> None:
    for language, body in fences(page):
        if language == "bash":
            checked = subprocess.run(
                ["bash", "-n"],
                input=body.encode(),
                capture_output=True,
                check=False,
                env=os.environ | {"LC_ALL": "C"},
            )
            assert (checked.returncode, checked.stderr) == (0, b""), body


@pytest.mark.parametrize("page", WITH_GUIDES, ids=name)
def test_every_snippet_of_data_parses(page: Path) -> None:
    for language, body in fences(page):
        if language == "json":
            json.loads(body)
        elif language == "yaml":
            assert list(yaml.safe_load_all(body)) != [], body


@pytest.mark.parametrize("page", WITH_GUIDES, ids=name)
def test_every_promql_expression_parses(page: Path) -> None:
    for language, body in fences(page):
        if language == "promql":
            promql_parser.parse(
                "\n".join(line for line in body.splitlines() if not line.startswith("#"))
            )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_between_pages_leads_to_a_heading(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in _LINK.findall(text):
        path, _, anchor = unquote(target).partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.is_file(), target
        if anchor:
            assert anchor in set(anchors([h.text for h in parse(document(other).text).headings])), (
                target
            )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_holds_a_secret_or_breaks_its_frontmatter(page: Path) -> None:
    loaded = load(page.read_bytes(), name(page), SOURCE)
    assert (loaded.warnings, loaded.document.redactions) == ((), ())


def test_a_fence_is_what_the_parser_says_it_is() -> None:
    for page in WITH_GUIDES:
        found = sum(block.kind is BlockKind.FENCE for block in every_block(page))
        assert found == len(list(fences(page))), name(page)


def every_block(page: Path) -> Iterator[Block]:
    waiting = list(parse(document(page).text).blocks)
    while waiting:
        block = waiting.pop()
        waiting.extend(block.children)
        yield block


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_section_says_what_it_is_asked(page: Path) -> None:
    found = cut(document(page), fits=lambda text: True)
    for section in searchable(found):
        assert 2 <= len(section.asked) <= 4, section.breadcrumb
        assert all(20 <= len(question) <= 80 for question in section.asked), section.asked
