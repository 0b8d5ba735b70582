from pathlib import Path

import pytest

from core.errors import DocumentError
from core.models import Document, Host, Metadata, Redaction
from core.settings_lists import SourceSettings
from corpus.loader import load

SOURCE = SourceSettings(name="docs", path=Path("docs"), tenant="acme", visibility=("sre",))


def document(text: str | bytes, path: str = "a/disk-full.md") -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return load(data, path, SOURCE).document


def test_a_page_becomes_a_document() -> None:
    page = (
        "---\ntitle: Disk full\nservice: storage\ntype: runbook\nowner: Team\n"
        "alerts: [NodeDiskFull, DiskFull]\nlast_reviewed: 2024-01-31\n---\n# H\n\nText\n"
    )

    found = document(page)

    assert found == Document(
        id="3a8922b7-8a90-5282-9fe5-fa8eb84de82a",
        tenant="acme",
        source="docs",
        path="a/disk-full.md",
        metadata=Metadata(
            title="Disk full",
            service="storage",
            type="runbook",
            owner="Team",
            last_reviewed="2024-01-31",
            alerts=("NodeDiskFull", "DiskFull"),
            visibility=("sre",),
        ),
        text="# H\n\nText\n",
        first_line=9,
        hash=found.hash,
    )


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf# A\r\nb\r\n", b"# A\rb\r", b"# A\nb\n"])
def test_byte_order_mark_and_line_ends_do_not_matter(data: bytes) -> None:
    assert document(data).text == "# A\nb\n"


def test_frontmatter_behind_a_byte_order_mark_and_with_crlf_is_found() -> None:
    found = document(b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nText\r\n")

    assert (found.metadata.title, found.text, found.first_line) == ("x", "Text\n", 4)


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"a\nb\0c", "it is binary: it holds a NUL byte", 2),
        (b"a\n\ncaf\xe9\n", "it is not UTF-8 text (invalid continuation byte)", 3),
        (b"\xff\xfea\0", "it is UTF-16 text: save it as UTF-8", None),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(
    data: bytes, reason: str, line: int | None
) -> None:
    with pytest.raises(DocumentError) as raised:
        document(data)

    assert (raised.value.reason, raised.value.line) == (reason, line)


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("---\ntitle: Given\n---\n# H1\n", "x.md", "Given"),
        ("text\n\n## Two\n# The *first* {#first}\n# Second\n", "x.md", "The first"),
        ("# <%= current_page.data.title %>\n", "x-y.html.md.erb", "x y"),
        ("---\ntitle: '{{ .Name }}'\n---\n# Real\n", "x.md", "Real"),
        ("---\ntitle: [A, B]\n---\n", "x.md", "A, B"),
        ("", "a/KubePodCrashLooping.md", "KubePodCrashLooping"),
        ("", "a/2021-05-20-node_shut-down.md", "2021-05-20 node shut down"),
        ("", "PM2022-009 - Bad AMI", "PM2022-009 Bad AMI"),
        ("", "network-issues/index.md", "network issues"),
        ("", "README.md", "README"),
    ],
)
def test_the_title_is_the_frontmatters_else_the_first_h1_else_the_files_name(
    text: str, path: str, title: str
) -> None:
    assert document(text, path).metadata.title == title


@pytest.mark.parametrize(
    ("line", "alerts"),
    [
        ("alerts: A", ("A",)),
        ("alerts: A, B , A", ("A", "B")),
        ("alerts: [A, B]", ("A", "B")),
        ("alerts:", ()),
    ],
)
def test_alerts_are_a_list_or_separated_by_commas(line: str, alerts: tuple[str, ...]) -> None:
    assert document(f"---\n{line}\n---\n").metadata.alerts == alerts


def test_other_names_of_owner_and_last_review_are_read() -> None:
    found = document("---\nowner_slack: '#team'\nlast_reviewed_on: 2024-01-31\n---\n").metadata

    assert (found.owner, found.last_reviewed) == ("#team", "2024-01-31")


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("visibility: sec", ("sec",)),
        ("visibility: [sec, sre]", ("sec", "sre")),
        ("Visibility: sec, sre", ("sec", "sre")),
        ("title: x", ("sre",)),
    ],
)
def test_a_documents_own_visibility_replaces_its_sources(
    line: str, labels: tuple[str, ...]
) -> None:
    assert document(f"---\n{line}\n---\n").metadata.visibility == labels


@pytest.mark.parametrize("value", ["", "[]", "{a: b}", "'no label!'"])
def test_a_visibility_that_is_no_label_withholds_the_document(value: str) -> None:
    with pytest.raises(DocumentError, match="withheld"):
        document(f"---\nvisibility: {value}\n---\n")


def test_a_document_cannot_name_its_tenant() -> None:
    loaded = load(b"---\ntenant: other\n---\nText\n", "a.md", SOURCE)

    assert (loaded.document.tenant, loaded.warnings) == (
        "acme",
        ("frontmatter: a document cannot name its tenant, ignored",),
    )


def test_what_is_ignored_is_said() -> None:
    loaded = load(b"---\nowner: {a: b}\n---\nText\n", "a.md", SOURCE)

    assert loaded.warnings == ("frontmatter: owner is neither text nor a list, ignored",)


def test_a_broken_block_stays_in_the_text_and_is_said() -> None:
    text = "---\ntitle: DB: failover\n---\nText\n"
    loaded = load(text.encode(), "a.md", SOURCE)

    assert (loaded.document.text, loaded.document.first_line, loaded.warnings) == (
        text,
        1,
        (
            "frontmatter line 2: mapping values are not allowed here (a text with a colon wants "
            "quotes), ignored",
        ),
    )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("team/postmortems/2024.md", "postmortem"),
        ("postmortems/runbooks/a.md", "runbook"),
        ("runbooks.md", ""),
    ],
)
def test_the_nearest_folder_tells_the_type_where_the_page_does_not(path: str, kind: str) -> None:
    assert document("x", path).metadata.type == kind


def test_secrets_are_replaced_and_their_lines_are_those_of_the_file() -> None:
    found = document("---\nowner: 'password=hunter2x'\n---\n\npassword: hunter2x\n")

    assert (found.metadata.owner, found.text, found.redactions) == (
        "password=[redacted: password]",
        "\npassword: [redacted: password]\n",
        (Redaction(2, "password"), Redaction(5, "password")),
    )


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("---\nservice: x\n---\nb\n", SOURCE),
        ("---\nservice: y\n---\nB\n", SOURCE),
        ("---\nservice: y\nother: 1\n---\nb\n", SOURCE),
        ("---\nservice: y\n---\nb\n", SOURCE.model_copy(update={"visibility": ("all",)})),
        ("---\nservice: y\n---\nb\n", SOURCE.model_copy(update={"tenant": "other"})),
    ],
)
def test_a_change_of_anything_that_is_indexed_changes_the_hash(
    text: str, source: SourceSettings
) -> None:
    before = document("---\nservice: y\n---\nb\n", "a.md")

    assert load(text.encode(), "a.md", source).document.hash != before.hash


def test_the_same_page_has_the_same_hash_wherever_its_folder_lies() -> None:
    moved = SOURCE.model_copy(update={"path": Path("/elsewhere")})

    assert load(b"b", "a.md", moved).document == document("b", "a.md")


def test_the_host_of_the_links_reaches_document_and_hash() -> None:
    github = SourceSettings(name="docs", path=Path("docs"))
    hugo = github.model_copy(update={"anchors": Host.HUGO})
    pages = [load(b"# A\n", "a.md", one).document for one in (github, hugo)]

    assert [page.host for page in pages] == [Host.GITHUB, Host.HUGO]
    assert pages[0].hash != pages[1].hash


def test_a_git_lfs_pointer_is_no_document() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"

    with pytest.raises(DocumentError, match="a Git LFS pointer"):
        load(pointer, "a.md", SourceSettings(name="docs", path=Path("docs")))
