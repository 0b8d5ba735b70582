from typing import get_args

import pytest

from core.errors import SettingsError
from core.models import CutDocument
from core.settings import Settings, with_values
from core.settings_groups import SplitterSettings
from corpus.splitters import split, splitter_fingerprint
from tests.indexed import page

TEXT = (
    "# Disk full\n\nAlerts name the node.\n\n"
    "## Check `DISK_FULL`\n\n```sh\ndf -h\n```\n\n"
    "## Fix\n\nDelete old logs first, then call the storage team.\n"
)
DOCUMENT = page("disk.md", f"---\nowner: storage\n---\n{TEXT}")
KINDS = get_args(SplitterSettings.model_fields["kind"].annotation)


def cut(kind: str, size: int = 0, *, breadcrumb: bool = True, overlap: int = 0) -> CutDocument:
    splitter = SplitterSettings.model_validate(
        {"kind": kind, "size": size, "overlap": overlap, "breadcrumb": breadcrumb}
    )
    return split(DOCUMENT, splitter, lambda text: len(text) <= 400)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 50])
def test_pieces_and_passages_stand_exactly_where_they_say(kind: str, size: int) -> None:
    found = cut(kind, size)
    assert [DOCUMENT.text[s.span.start : s.span.end] for s in found.sections] == [
        section.text for section in found.sections
    ]
    sections = {section.id: section for section in found.sections}
    assert len(sections) == len(found.sections)
    for passage in found.passages:
        whole = sections[passage.section_id].span
        assert whole.start <= passage.span.start < passage.span.end <= whole.end


def test_a_piece_is_linked_by_the_heading_that_it_begins_under() -> None:
    assert [(s.anchor, s.line_start, s.line_end, s.text) for s in cut("fixed", 50).sections] == [
        ("disk-full", 4, 8, "# Disk full\n\nAlerts name the node.\n\n## Check `DISK"),
        ("check-disk_full", 8, 16, "_FULL`\n\n```sh\ndf -h\n```\n\n## Fix\n\nDelete old logs f"),
        ("fix", 16, 16, "irst, then call the storage team.\n"),
    ]


def test_a_piece_is_found_by_every_name_inside_it() -> None:
    names = [("disk_full" in section.names) for section in cut("fixed", 100).sections]
    assert names == [True, False]


def test_a_document_is_one_piece() -> None:
    [section] = cut("document").sections
    assert section.text == TEXT


def test_a_heading_that_the_breadcrumb_ends_in_is_not_embedded_twice() -> None:
    assert cut("section", 1000).passages[-1].embedded == (
        "Disk full › Fix\nDelete old logs first, then call the storage team."
    )


@pytest.mark.parametrize("size", [0, 1000])
def test_without_breadcrumb_a_passage_is_embedded_as_it_stands(size: int) -> None:
    assert cut("section", size, breadcrumb=False).passages[-1].embedded == (
        "## Fix\n\nDelete old logs first, then call the storage team."
    )


def test_a_piece_beyond_the_models_window_gets_several_passages() -> None:
    splitter = SplitterSettings(kind="document", passage_chars=20_000)
    found = split(DOCUMENT, splitter, lambda text: len(text) <= 90)
    embedded = [passage.embedded for passage in found.passages]
    assert len(found.sections) == 1
    assert max(map(len, embedded)) <= 90
    assert all(word in "".join(embedded) for word in TEXT.split() if word.isalpha())


def test_every_way_of_cutting_has_a_fingerprint_of_its_own() -> None:
    ways = [
        SplitterSettings.model_validate(values)
        for values in (
            *({"kind": kind} for kind in KINDS),
            {"breadcrumb": False},
            {"size": 1500},
            {"kind": "fixed", "size": 500},
            {"kind": "fixed", "size": 500, "overlap": 50},
            {"passage_chars": 500},
        )
    ]
    assert len({splitter_fingerprint(way) for way in ways}) == len(ways)


def test_a_length_that_is_the_default_one_makes_no_other_index() -> None:
    said, meant = SplitterSettings(kind="fixed", size=1000), SplitterSettings(kind="fixed")
    assert splitter_fingerprint(said) == splitter_fingerprint(meant)


def test_pieces_that_would_share_more_than_half_are_refused() -> None:
    values = {"splitter.kind": "fixed", "splitter.size": "500", "splitter.overlap": "251"}
    with pytest.raises(SettingsError, match=r"splitter\.overlap .*at most half of the size, 250"):
        with_values(Settings(_env_file=None), values)  # type: ignore[call-arg]
