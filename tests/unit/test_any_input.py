"""Whatever a file holds or is called: it becomes a document, or is refused with a reason."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.engines.sentence import find_sentence_model
from core.engines.tokenizer import TokenCounter
from core.errors import DocumentError
from core.models import Host
from core.settings_groups import SplitterSettings
from core.settings_lists import SourceSettings
from corpus.frontmatter import read_frontmatter
from corpus.host_anchors import host_anchors
from corpus.links import link_to
from corpus.loader import load
from corpus.markdown import parse
from corpus.sources import DirectorySource
from corpus.splitter import cut
from corpus.splitters import split

SOURCE = SourceSettings(name="docs", path=Path("docs"))
PIECES = st.sampled_from(
    [
        "---\n", "+++\n", ";;;\n", "{\n", "}\n", "title: x\n", "title = 'x'\n", '"title": "x"\n',
        "visibility: sec\n", "# A {#a}\n", "## A\n", "A\n===\n", "<h2>A</h2>\n", "```\n", "~~~\n",
        "- a\n", "    b\n", "> c\n", "| a | b |\n|---|---|\n", "\n", "\r\n", "\t", "\ufeff",
        "kubectl get pods --all-namespaces\n", "\u2028", "\x08", "::: note\n", "{{< x >}}",
        "<%= y %>", "é漢🔥",
    ]
)  # fmt: skip
TOPS = st.lists(
    st.sampled_from(
        [
            "# A\n", "# b [x]\n", "[x]: /u\n", "A\n", "===\n", "<h1>C</h1>\n", "<h1>D\n", "<!--\n",
            "-->\n", "```\n", "- a\n", "    # e\n", "> # f\n", "# g | h\n", "--- | ---\n", "\n",
        ]
    )
).map("".join)  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=30).map("".join)


@settings(deadline=None)
@given(st.one_of(st.binary(max_size=200), TEXTS.map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_become_a_document_or_are_refused(data: bytes) -> None:
    try:
        document = load(data, "a/b.md", SOURCE).document
    except DocumentError:
        return
    assert "\r" not in document.text
    assert document.metadata.title
    assert 1 <= document.first_line <= data.count(b"\n") + data.count(b"\r") + 1


@settings(deadline=None)
@given(TOPS)
@example("# g | h\n--- | ---\n")
@example("# b [x]\n\n[x]: /u\n")
@example("<h1>D\n# A\n</h1>\n")
@example("```\n# A\n```\nA\n===\n")
def test_the_title_is_the_first_heading_of_level_1_of_the_whole_text(text: str) -> None:
    labels = [one.label for one in parse(text).headings if one.level == 1 and one.label]
    found = load(text.encode(), "name.md", SOURCE).document.metadata.title
    assert found == (labels or ["name"])[0]


@settings(deadline=None)
@given(TEXTS)
def test_frontmatter_is_a_beginning_of_the_text(text: str) -> None:
    try:
        front = read_frontmatter(text)
    except DocumentError:
        return
    assert 0 <= front.length <= len(text)
    assert front.length == len(text) or front.length == 0 or text[front.length - 1] == "\n"


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["section", "fixed", "recursive", "paragraph", "header-merge"]))
def test_pieces_are_slices_of_the_text_and_lose_none_of_it(text: str, kind: str) -> None:
    page = replace(load(b"x", "a.md", SOURCE).document, text=text)
    splitter = SplitterSettings.model_validate({"kind": kind, "size": 60, "passage_chars": 200})
    found = split(page, splitter, lambda text: len(text) <= 120)

    held = {at for one in found.sections for at in range(one.span.start, one.span.end)}
    assert all(one.text == text[one.span.start : one.span.end] for one in found.sections)
    assert {at for at, letter in enumerate(text) if not letter.isspace()} <= held
    within = {one.id: one.span for one in found.sections}
    for passage in found.passages:
        section = within[passage.section_id]
        assert section.start <= passage.span.start < passage.span.end <= section.end
        assert len(passage.embedded) <= 120


@settings(deadline=None)
@given(TEXTS, st.sampled_from(list(Host)))
def test_no_host_gives_an_anchor_twice(text: str, host: Host) -> None:
    headings = parse(text).headings
    found = host_anchors(headings, host, "a.md")

    assert len(found) == len(headings)
    assert max(Counter(filter(None, found)).values(), default=1) == 1


PATHS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30
)


@given(PATHS)
@example(".")
@example(".md")
@example("/")
def test_a_link_leads_to_the_path_whatever_it_is_called(path: str) -> None:
    page = load(b"x\n", path, SOURCE).document
    section = cut(page, fits=lambda text: True).sections[0]
    template = SOURCE.model_copy(
        update={"link": "https://example.com/{path}?plain=1#L{line_start}"}
    )
    link = urlsplit(link_to(section, template, "", None))

    assert (link.netloc, unquote(link.path), link.query) == ("example.com", f"/{path}", "plain=1")
    assert link.fragment == "L1"


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(PATHS)
def test_no_path_leads_out_of_a_folder(tmp_path: Path, path: str) -> None:
    (tmp_path / "in").mkdir(exist_ok=True)
    (tmp_path / "out.md").write_text("secret")
    source = DirectorySource(SourceSettings(name="docs", path=tmp_path / "in"))

    for tried in (
        path,
        f"../{path}",
        "../out.md",
        f"{path}/../../out.md",
        str(tmp_path / "out.md"),
    ):
        with pytest.raises(DocumentError):
            source.read(tried)


@pytest.fixture(scope="module")
def tokens() -> TokenCounter:
    return TokenCounter(find_sentence_model("all-MiniLM-L6-v2").path / "tokenizer.json")


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(text=TEXTS)
def test_no_passage_is_beyond_the_models_window_by_its_own_tokenizer(
    tokens: TokenCounter, text: str
) -> None:
    page = replace(load(b"x", "a.md", SOURCE).document, text=text * 20)
    found = cut(page, fits=lambda text: tokens.count(text) <= 128)

    assert all(tokens.count(passage.embedded) <= 128 for passage in found.passages)
