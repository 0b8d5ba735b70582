"""Questions that a corpus holds without anybody having labelled it."""

from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    "link",
    [
        '[free some space](disk.md "How to")',
        "[free some space](<disk.md>)",
        "[free some space](disk.md?plain=1)",
        "[free some space][how]",
        "[free some space][]",
        "[free some space]",
        "[free\n  some space](disk.md)",
        "> - [free **some** space](disk.md)",
        "| a |\n|---|\n| [free some space](disk.md) |",
        "[free ![a broom](b.png) some space](disk.md)",
        "[free some space](/disk.md)",
        "<details>\n\n[free some space](./disk.md)\n\n</details>",
    ],
)
def test_a_link_counts_however_markdown_writes_it(link: str) -> None:
    lag = f"# Lag\n\n{link}\n\n[how]: disk.md\n[free some space]: disk.md\n"
    disk = page("disk.md", "# Disk\n\nDelete the old logs.\n")
    assert asked(page("lag.md", lag), disk) == [
        ("mined-link", "free some space", ["Delete the old logs."])
    ]


def test_the_text_of_a_link_may_have_brackets() -> None:
    lag = "# Lag\n\n[free `disk[0]` at once](disk.md)\n"
    disk = page("disk.md", "# Disk\n\nDelete the old logs.\n")
    assert [question for _, question, _ in asked(page("lag.md", lag), disk)] == [
        "free disk[0] at once"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- A list:\n\n  ```\n  [free some space](disk.md)\n  ```\n",
        "> ~~~\n> [free some space](disk.md)\n> ~~~\n",
        "- A list:\n\n      [free some space](disk.md)\n",
        "Write `[free some space](disk.md)` in it.\n",
        "Write \\[free some space](disk.md) in it.\n",
        "Write !\\[free some space\\](disk.md) in it.\n",
        "<!-- [free some space](disk.md) -->\n",
        "[![free some space](disk.md)](disk.md)\n",
    ],
)
def test_what_markdown_does_not_make_a_link_is_none(text: str) -> None:
    disk = page("disk.md", "# Disk\n\nDelete the old logs.\n")
    assert asked(page("lag.md", f"# Lag\n\n{text}"), disk) == []


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


REPORT = "# Outage\n\n## {heading}\n\nThe disk of db-1 was full.\n\n## Timeline\n\nNobody saw it.\n"
SAID = ["The disk of db-1 was full."]


def summaries(*pages: Page) -> list[str]:
    return [question for kind, question, _ in asked(*pages) if kind == "mined-summary"]


@pytest.mark.parametrize(
    "path",
    [
        "post-mortems/disk.md",
        "docs/Postmortem/2030/disk.md",
        "incident-reports/disk.md",
        "team-incident-reports/reports/disk.md",
        "incident_reports/disk.md",
        "incidents/disk.md",
        "outages/disk.md",
        "rca/disk.md",
        "RCAs/disk.md",
        "root-cause-analyses/disk.md",
        "retrospectives/disk.md",
        "blog/2030-01-07-incident-report-disk.md",
        "blog/disk-postmortem.md",
    ],
)
def test_a_postmortem_is_known_by_where_it_lies(path: str) -> None:
    assert summaries(page(path, REPORT.format(heading="Summary"))) == SAID


@pytest.mark.parametrize("kind", ["postmortem", "Post-mortem", "incident report", "rca"])
def test_a_postmortem_is_known_by_its_type(kind: str) -> None:
    text = f"---\ntype: {kind}\n---\n{REPORT.format(heading='Summary')}"
    assert summaries(page("a.md", text)) == SAID


@pytest.mark.parametrize("name", ["incident-reports", "/srv/our-incident-reports"])
def test_a_postmortem_is_known_by_the_name_of_its_source(name: str) -> None:
    source = SourceSettings.model_construct(name=name, path=Path("nowhere"))
    text = REPORT.format(heading="Summary").encode()
    assert summaries(page_of(load(text, "2030/disk.md", source).document)) == SAID


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("incident-reports/template.md", REPORT.format(heading="Summary")),
        ("postmortems/PM-nnn - Postmortem template.md", REPORT.format(heading="Summary")),
        ("postmortems/README.md", REPORT.format(heading="Summary")),
        ("runbooks/incidents/disk.md", REPORT.format(heading="Summary")),
        ("incident-reports/runbooks/disk.md", REPORT.format(heading="Summary")),
        ("incidents/disk.md", "---\ntype: guide\n---\n" + REPORT.format(heading="Summary")),
        ("incidents/calls.md", "# Calls\n\n## Summary\n\nWho calls whom and when.\n"),
        ("coincidents/disk.md", REPORT.format(heading="Summary")),
        ("src/orca/disk.md", REPORT.format(heading="Summary")),
    ],
)
def test_what_only_looks_like_a_postmortem_is_none(path: str, text: str) -> None:
    assert summaries(page(path, text)) == []


@pytest.mark.parametrize(
    "heading",
    [
        "TLDR", "TL;DR", "tl;dr:", "Incident summary", "Incident Summary:", "1. Summary",
        "1.1 Summary", "📝 Summary", ":memo: Summary", "**Summary**", "What happened?", "Overview",
        "Executive summary", "Summary of the incident", "Summary (all times in UTC)",
        "Summary {#summary}",
    ],
)  # fmt: skip
def test_a_summary_is_headed_in_many_ways(heading: str) -> None:
    assert summaries(page("postmortems/disk.md", REPORT.format(heading=heading))) == SAID


@pytest.mark.parametrize("heading", ["Impact", "Summary of costs", "What happened next", "Notes"])
def test_what_is_headed_otherwise_is_no_summary(heading: str) -> None:
    assert summaries(page("postmortems/disk.md", REPORT.format(heading=heading))) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<!-- in short -->\n\nThe disk was full.", ["The disk was full."]),
        ("The [disk][d] was **full**[^1].\n\n[d]: disk.md", ["The disk was full."]),
        ("The disk was full. It was decided:\n\n- to wait", ["The disk was full."]),
        ("![graph](g.png)\n\nThe disk was full.", ["The disk was full."]),
        ("**Disks affected**: 2\n\nThe disk was full.", ["The disk was full."]),
        ("The disk was *.log files.", ["The disk was *.log files."]),
        ("| Date | 7 |\n|---|---|\n| Who | we |\n\nThe disk was full.", []),
        ("- The disk was full.\n- Nobody saw it.", []),
        ("This had such causes:\n\n1. The disk was full.", []),
        ("{{ what happened in two sentences. }}", []),
        ("TBD by the team.", []),
        ("...", []),
    ],
)
def test_the_summary_is_the_first_sentences_as_they_are_read(body: str, said: list[str]) -> None:
    text = f"# Outage\n\nSummary\n-------\n\n{body}\n\n## Timeline\n\nNobody saw it.\n"
    assert summaries(page("postmortems/disk.md", text)) == said


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


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_description_is_read_whatever_ends_its_lines(tmp_path: Path, end: str) -> None:
    text = "---\ndescription: When disks are full.\n---\n# Disk\n\nDelete the old logs.\n"
    (tmp_path / "disk.md").write_bytes(text.replace("\n", end).encode())
    [one] = pages_of([open_source(SourceSettings(name="runbooks", path=tmp_path))])
    assert one.description == "When disks are full."


def test_a_description_is_asked_as_it_is_read(tmp_path: Path) -> None:
    text = "---\ndescription: See [full disks](a.md) of *.db_1.\n---\n# Disk\n\nDelete the logs.\n"
    (tmp_path / "disk.md").write_text(text, encoding="utf-8")
    [one] = pages_of([open_source(SourceSettings(name="runbooks", path=tmp_path))])
    assert one.description == "See full disks of *.db_1."


def test_what_is_mined_can_be_asked_and_is_known_for_mined(tmp_path: Path) -> None:
    disk = page("disk.md", "---\nalerts: DiskFull\n---\n# Disk\n\nDelete the old logs.\n")
    file = tmp_path / "mined.jsonl"
    written(file, mined([disk]))
    records = load_questions([file], [disk.document])
    assert [(one.id, one.kind) for one in records] == [("mined-alert-001", Kind.MINED)]


def written(file: Path, records: list[dict[str, Any]]) -> None:
    write_records(file, records)
    assert [parsed(line) for _, line in lines_of(file)] == records
