"""Questions that a corpus holds without anybody having labelled it."""

from pathlib import Path
from typing import Any

from core.settings_lists import SourceSettings
from corpus.loader import load
from corpus.sources import open_source
from eval.corpus_commands import write_records
from eval.dataset import Kind, load_questions
from eval.lines import lines_of, parsed
from eval.mine import Page, mined, page_of, pages_of

SOURCE = SourceSettings(name="runbooks", path=Path("nowhere"))


def page(path: str, text: str, description: str = "") -> Page:
    return page_of(load(text.encode(), path, SOURCE).document, description)


def asked(*pages: Page) -> list[tuple[str, str, list[str]]]:
    return [
        (one["category"], one["question"], [place["evidence"] for place in one["relevant"]])
        for one in mined(pages)
    ]


def test_an_alert_leads_to_the_section_that_is_headed_by_it() -> None:
    text = (
        "---\nalerts: [DiskFull, DiskSlow]\n---\n# Disks\n\nAll about our disks.\n\n"
        "## DiskFull\n\nDelete the old logs.\n\n## More\n\nCall the storage team.\n"
    )
    assert asked(page("disks.md", text)) == [
        ("mined-alert", "DiskFull", ["Delete the old logs."]),
        (
            "mined-alert",
            "DiskSlow",
            ["All about our disks.", "Delete the old logs.", "Call the storage team."],
        ),
    ]


def test_the_text_of_a_link_leads_to_the_section_it_points_to() -> None:
    pages = [
        page("a/lag.md", "# Lag\n\nFirst [free some space](../disk.md#free-space), then wait.\n"),
        page("disk.md", "# Disk\n\nWhat is here.\n\n## Free space\n\nDelete the old logs.\n"),
    ]
    assert asked(*pages) == [("mined-link", "free some space", ["Delete the old logs."])]


def test_links_that_say_or_reach_nothing_are_passed_over() -> None:
    text = (
        "# Lag\n\n[here](disk.md) [Step 4](disk.md) [see disk.md now](disk.md)"
        " [gone for good](no.md) [no such place](disk.md#nowhere) [the vendor says](https://example.com)"
        " ![a fine picture](disk.md) [this very page](lag.md)\n\n"
        "```\n[in some code](disk.md)\n```\n"
    )
    disk = page("disk.md", "# Disk\n\nDelete the old logs.\n")
    assert asked(page("lag.md", text), disk) == []


def test_two_links_with_one_text_are_alternatives() -> None:
    pages = [
        page("lag.md", "# Lag\n\n[free some space](a.md) or [Free some space](b.md).\n"),
        page("a.md", "# A\n\nDelete the old logs.\n"),
        page("b.md", "# B\n\nBuy a larger disk.\n"),
    ]
    assert asked(*pages) == [
        ("mined-link", "free some space", ["Delete the old logs.", "Buy a larger disk."])
    ]


def test_a_description_leads_to_its_page() -> None:
    disk = page("disk.md", "# Disk\n\nDelete the old logs.\n", "What to do when a disk is full.")
    assert asked(disk) == [
        ("mined-description", "What to do when a disk is full.", ["Delete the old logs."])
    ]


def test_a_summary_leads_to_its_postmortem() -> None:
    text = (
        "# Outage\n\n## Summary\n\nThe disk of `db_1` was full. Nobody saw it.\n\nLater.\n\n"
        "## Action\n\nAdd an alert for it.\n"
    )
    assert asked(page("postmortems/outage.md", text)) == [
        (
            "mined-summary",
            "The disk of db_1 was full. Nobody saw it.",
            ["The disk of `db_1` was full. Nobody saw it.", "Add an alert for it."],
        )
    ]
    assert asked(page("runbooks/outage.md", text)) == []


def test_what_occurs_twice_is_no_evidence() -> None:
    text = "---\nalerts: DiskFull\n---\n# Disk\n\nRun the usual one.\n\nRun the usual one.\n"
    assert asked(page("disk.md", text)) == []


def test_files_are_read_with_their_frontmatter(tmp_path: Path) -> None:
    text = "---\ndescription: When *disks* are full.\n---\n# Disk\n\nDelete the old logs.\n"
    (tmp_path / "disk.md").write_text(text, encoding="utf-8")
    (tmp_path / "broken.md").write_bytes(b"\xff\xff")
    pages = pages_of([open_source(SourceSettings(name="runbooks", path=tmp_path))])
    assert [(one.document.path, one.description) for one in pages] == [
        ("disk.md", "When disks are full.")
    ]


def test_what_is_mined_can_be_asked_and_is_known_for_mined(tmp_path: Path) -> None:
    disk = page("disk.md", "---\nalerts: DiskFull\n---\n# Disk\n\nDelete the old logs.\n")
    file = tmp_path / "mined.jsonl"
    written(file, mined([disk]))
    records = load_questions([file], [disk.document])
    assert [(one.id, one.kind) for one in records] == [("mined-alert-001", Kind.MINED)]


def written(file: Path, records: list[dict[str, Any]]) -> None:
    write_records(file, records)
    assert [parsed(line) for _, line in lines_of(file)] == records
