"""What an update drops: what is gone, and not what has moved or is another tenant's now."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from core.errors import BuildRefused
from core.models import Document
from core.points import IndexedDocument
from core.settings_lists import SourceSettings
from corpus import changes as under_test
from corpus.changes import Changes, check_removals, compare
from corpus.identity import hash_of
from corpus.loader import load


def pages(
    *paths: str, source: str = "docs", tenant: str = "default", text: str = "# {}\n\nText.\n"
) -> list[Document]:
    """Return pages whose text tells of their file's name alone, wherever they lie."""
    settings = SourceSettings.model_validate({"name": source, "path": "docs", "tenant": tenant})
    return [
        load(text.format(path.rpartition("/")[2]).encode(), path, settings).document
        for path in paths
    ]


def many(folder: str = "", **values: str) -> list[Document]:
    return pages(*(f"{folder}page-{number:02}.md" for number in range(12)), **values)


def held(documents: Iterable[Document]) -> dict[str, IndexedDocument]:
    return {
        one.id: IndexedDocument(
            one.id, one.tenant, one.source, one.path, one.hash, one.metadata, (), 1
        )
        for one in documents
    }


def changes(
    before: Iterable[Document], after: Iterable[Document], *, prune: bool = True
) -> Changes:
    documents = {one.id: one for one in after}
    return compare(documents, held(before), same=(), keep=(), prune=prune)


def check(before: list[Document], after: list[Document], *configured: str) -> None:
    check_removals(changes(before, after), held(before), configured or ("docs",))


def paths(some: Iterable[Document | IndexedDocument]) -> list[str]:
    return [one.path for one in some]


@pytest.mark.parametrize("prune", [True, False])
def test_a_page_that_is_another_tenants_now_has_changed(prune: bool) -> None:
    found = changes(pages("a.md"), pages("a.md", tenant="acme"), prune=prune)
    assert (paths(found.changed), found.added, found.removed) == (["a.md"], (), ())
    assert [one.tenant for one in found.dropped] == ["default"]


def test_a_page_that_two_tenants_had_is_left_to_its_own() -> None:
    before = pages("a.md") + pages("a.md", tenant="acme")
    found = changes(before, pages("a.md", tenant="acme"), prune=False)
    assert (paths(found.unchanged), [one.tenant for one in found.dropped]) == (
        ["a.md"],
        ["default"],
    )
    assert not found.none


def test_an_edited_page_is_replaced_and_a_page_that_is_gone_removed() -> None:
    before = pages("a.md", "b.md")
    found = changes(before, pages("a.md", text="# Other {}\n"))
    assert (paths(found.changed), paths(found.removed)) == (["a.md"], ["b.md"])
    assert [one.id for one in found.dropped] == [one.id for one in before]


def test_a_change_of_tenant_loses_nothing() -> None:
    check(many(), many(tenant="acme"))


@pytest.mark.parametrize("folder", ["old/", "runbooks/", "postmortems/2030/"])
def test_pages_that_are_moved_are_not_lost_whatever_their_folder_says_of_them(folder: str) -> None:
    check(many(), many(folder))
    check(many(folder), many())


def test_pages_that_are_moved_and_made_another_tenants_are_not_lost() -> None:
    check(many(), many("old/", tenant="acme"))


def test_pages_that_are_moved_to_another_source_are_not_lost() -> None:
    check(many(), many(source="more"), "docs", "more")


def test_pages_of_the_same_title_are_told_apart_by_their_text() -> None:
    text = "# Runbook\n\nOf {}.\n"
    check(many(text=text), many("old/", text=text))
    with pytest.raises(BuildRefused, match="12 of the 12 documents"):
        check(many(text=text), many("old/", text="# Runbook\n\nOf something else: {}.\n"))


def test_one_page_in_place_of_many_copies_is_a_loss() -> None:
    text = "# Copy\n"
    with pytest.raises(BuildRefused, match="11 of the 12 documents"):
        check(many(text=text), pages("only.md", text=text))


def test_pages_that_are_gone_are_lost_though_others_come() -> None:
    with pytest.raises(BuildRefused) as caught:
        check(many(), many("new/", text="# Another page, {}\n"))
    assert str(caught.value) == (
        "12 of the 12 documents of the source docs are gone, left out or cannot be read, so "
        "nothing was changed: see which with nightlamp index --dry-run, and bring them back, or "
        "run nightlamp index --force to remove them."
    )


def test_a_dry_run_is_told_what_a_real_one_would_be_refused_for() -> None:
    found = changes(many(), [])
    assert check_removals(found, held(many()), ["docs"], dry_run=True) == (
        "12 of the 12 documents of the source docs are gone, left out or cannot be read: "
        "bring them back, or run nightlamp index --force to remove them."
    )
    assert check_removals(changes(many(), many()), held(many()), ["docs"], dry_run=True) == ""


def test_only_what_is_lost_counts_among_what_is_moved() -> None:
    before = many()
    kept = [replace(one, path=f"old/{one.path}", id=f"moved {one.id}") for one in before[:3]]
    check(before, kept + before[3:])
    with pytest.raises(BuildRefused, match="10 of the 12 documents"):
        check(before, kept[:2])


def services(folder: str, count: int = 200) -> list[Document]:
    """Return pages of one title, each of another service that it names itself."""
    settings = SourceSettings.model_validate({"name": "docs", "path": "docs"})
    text = "---\nservice: s{0}\n---\n# Runbook\n\nOf {0}.\n"
    return [
        load(text.format(n).encode(), f"{folder}/{n}/runbook.md", settings).document
        for n in range(count)
    ]


@pytest.mark.parametrize("folder", ["new", "runbooks"])
def test_many_moved_pages_of_one_title_are_each_looked_up_once(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []

    def counted(document: Document, tenant: str, source: str) -> str:
        hashed.append(document.path)
        return hash_of(document, tenant, source)

    before, after = services("old"), services(folder)
    monkeypatch.setattr(under_test, "hash_of", counted)
    check(before, after)
    assert len(hashed) == len(after)


def test_a_page_that_is_moved_with_another_date_in_its_frontmatter_is_not_lost() -> None:
    text = "---\nlast_reviewed: 203{}-01-07\n---\n# {{}}\n"
    check(many(text=text.format(0)), many("old/", text=text.format(1)))


def test_one_page_stands_for_one_that_is_gone_whatever_these_say_of_themselves() -> None:
    before = [
        load(
            f"---\nservice: s{n}\n---\n# Copy\n".encode(),
            f"{n}.md",
            SourceSettings.model_validate({"name": "docs", "path": "docs"}),
        ).document
        for n in range(10)
    ]
    with pytest.raises(BuildRefused, match="10 of the 10 documents"):
        check(before, [])
    check(before, pages("only.md", text="---\nservice: s\n---\n# Copy\n") + before[5:])
    two = [replace(one, id=f"{one.id} again", path=f"x/{one.path}") for one in before]
    with pytest.raises(BuildRefused, match="19 of the 20 documents"):
        check(before + two, pages("only.md", text="---\nservice: s\n---\n# Copy\n"))
