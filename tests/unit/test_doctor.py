"""What the doctor says of sources, links and tokens."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bots.check import Check, Level
from bots.doctor import examine
from core.errors import BuildRefused
from core.reports import IndexOptions
from core.settings import Settings
from core.settings_groups import DiscordSettings, EmbeddingSettings, SlackSettings
from core.settings_lists import SourceSettings, TenantSettings
from corpus.data_folder import DataFolder
from corpus.lagging import Lagging
from corpus.library import open_library
from corpus.sources import open_source
from tests.fakes import FrozenClock
from tests.git_repositories import Repository
from tests.scripted_embeddings import ScriptedEmbeddings


async def said(tmp_path: Path, name: str, **values: object) -> Check:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"), **values)  # type: ignore[arg-type]
    found = await examine(settings, tmp_path / "data")
    return next(check for check in found if check.name == name)


def source(tmp_path: Path, link: str | None = None, *, pages: int = 1) -> SourceSettings:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(pages):
        (folder / f"{number}.md").write_text("# Page\n")
    return SourceSettings(name="books", path=folder, link=link)


async def test_a_source_without_pages_is_a_problem(tmp_path: Path) -> None:
    found = await said(tmp_path, "source books", sources=(source(tmp_path, pages=0),))
    assert found == Check(
        "source books", Level.PROBLEM, f"there are no Markdown files in {tmp_path / 'pages'}"
    )


@pytest.mark.parametrize(
    ("include", "level", "says"),
    [
        (("*.{md,mdx}",), Level.OK, "1 file in {}"),
        (
            ("*.md", "runbok/**"),
            Level.NOTE,
            "1 file in {}; no Markdown file of the source books is chosen by runbok/**: "
            "correct its include",
        ),
        (
            ("*.mdx", "runbok/**"),
            Level.PROBLEM,
            "No Markdown file of the source books is chosen by *.mdx, runbok/**: "
            "correct its include",
        ),
    ],
)
async def test_a_pattern_that_chooses_nothing_is_told(
    tmp_path: Path, include: tuple[str, ...], level: Level, says: str
) -> None:
    books = source(tmp_path).model_copy(update={"include": include})
    found = await said(tmp_path, "source books", sources=(books,))
    assert found == Check("source books", level, says.format(tmp_path / "pages"))


async def test_a_repository_that_was_never_fetched_says_what_to_run(tmp_path: Path) -> None:
    books = SourceSettings(name="books", git="https://github.com/acme/books.git")
    found = await said(tmp_path, "source books", sources=(books,))
    assert found == Check(
        "source books",
        Level.PROBLEM,
        "The source books has not been fetched yet: run nightlamp index.",
    )
    assert (await said(tmp_path, "links of books", sources=(books,))).level is Level.OK


async def test_a_repository_that_cannot_be_fetched_any_more_is_a_problem(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "books")
    repository.commit(disk_md="# Disk full\n\nRemove old logs.\n")
    books = SourceSettings(name="books", git=str(repository.root))
    await open_source(books, clones=DataFolder(tmp_path / "data").sources).refresh()
    sound = await said(tmp_path, "source books", sources=(books,))
    Lagging(DataFolder(tmp_path / "data").lagging).note_sources(
        {"books": "It is away."}, FrozenClock().now()
    )
    found = await said(tmp_path, "source books", sources=(books,))
    assert (sound.level, found) == (
        Level.OK,
        Check("source books", Level.PROBLEM, "not fetched since 2030-01-07 09:00 UTC: It is away."),
    )


async def test_a_source_that_no_run_could_read_says_why_and_since_when(tmp_path: Path) -> None:
    away = tmp_path / "away"
    settings = Settings(
        embedding=EmbeddingSettings(model="hashing"),
        sources=(
            SourceSettings(name="books", git=str(away)),
            SourceSettings(name="notes", path=away),
        ),
    )
    lagging = Lagging(DataFolder(tmp_path / "data").lagging)
    (tmp_path / "data").mkdir()
    lagging.note_sources({"books": "It is away.", "notes": "It was."}, FrozenClock().now())
    found = await examine(settings, tmp_path / "data")
    assert [one.says for one in found if one.name.startswith("source ")] == [
        "not fetched since 2030-01-07 09:00 UTC: It is away.",
        "not read since 2030-01-07 09:00 UTC: "
        f"The folder {away} of the source notes does not exist: make it, or correct its path.",
    ]


async def test_an_update_that_was_refused_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Lagging(DataFolder(tmp_path / "data").lagging).note_update(
        BuildRefused("Much would be lost."), FrozenClock().now()
    )
    assert await said(tmp_path, "update", sources=(source(tmp_path),)) == Check(
        "update", Level.PROBLEM, "refused since 2030-01-07 09:00 UTC: Much would be lost."
    )


@pytest.mark.parametrize(
    ("link", "level"),
    [
        (None, Level.NOTE),
        ("https://example.com/{path}#{anchor}", Level.OK),
        ("https://example.com/{commit}/{path}", Level.PROBLEM),
    ],
)
async def test_a_link_is_judged_by_its_template(
    tmp_path: Path, link: str | None, level: Level
) -> None:
    found = await said(tmp_path, "links of books", sources=(source(tmp_path, link),))
    assert found.level is level


@pytest.mark.parametrize(
    ("values", "level"),
    [
        ({}, Level.NOTE),
        ({"discord": DiscordSettings(token=SecretStr("t"))}, Level.OK),
        ({"slack": SlackSettings(bot_token=SecretStr("t"))}, Level.PROBLEM),
    ],
)
async def test_tokens_are_judged_without_being_shown(
    tmp_path: Path, values: dict[str, object], level: Level
) -> None:
    found = await said(tmp_path, "tokens", sources=(source(tmp_path),), **values)
    assert found.level is level


async def test_nothing_indexed_yet_says_what_to_run(tmp_path: Path) -> None:
    found = await said(tmp_path, "index", sources=(source(tmp_path),))
    assert found == Check("index", Level.PROBLEM, "Nothing is indexed yet: run nightlamp index.")


async def test_one_page_is_one_document(tmp_path: Path) -> None:
    books = source(tmp_path)
    settings = Settings(embedding=EmbeddingSettings(model="hashing"), sources=(books,))
    async with open_library(settings, tmp_path / "data") as library:
        await library.indexer.run(IndexOptions())
    found = await said(tmp_path, "index", sources=(books,))
    assert found.level is Level.OK
    assert found.says.startswith("1 document, 1 section, built ")


async def test_a_missing_model_is_a_problem_with_its_remedy(tmp_path: Path) -> None:
    settings = Settings(
        embedding=EmbeddingSettings(model=str(tmp_path)), sources=(source(tmp_path),)
    )
    found = {check.name: check for check in await examine(settings, tmp_path / "data")}["model"]
    assert found.level is Level.PROBLEM
    assert "NIGHTLAMP_EMBEDDING_MODEL" in found.says


@pytest.mark.parametrize(
    ("fault", "level", "says"),
    [
        ("", Level.OK, "vectors of 256 numbers"),
        ("401", Level.PROBLEM, "correct NIGHTLAMP_EMBEDDING_API_KEY. Until then search is by"),
    ],
)
async def test_a_server_that_embeds_is_asked(
    tmp_path: Path, fault: str, level: Level, says: str
) -> None:
    with ScriptedEmbeddings(fault).running() as server:
        settings = Settings(
            embedding=EmbeddingSettings(model="any", base_url=server.base_url, dimensions=256)
        )
        found = await examine(settings, tmp_path / "data")
    check = next(check for check in found if check.name == "model")
    assert (check.level, says in check.says) == (level, True)


async def test_a_tenant_without_sources_and_sources_without_a_tenant_are_problems(
    tmp_path: Path,
) -> None:
    tenants = (TenantSettings(name="acme"), TenantSettings(name="globex"))
    settings = Settings(
        embedding=EmbeddingSettings(model="hashing"), sources=(source(tmp_path),), tenants=tenants
    )
    found = await examine(settings, tmp_path / "data")
    assert [check for check in found if check.name.startswith("tenant ")] == [
        Check(
            "tenant acme",
            Level.PROBLEM,
            'it has no source: write tenant = "acme" into a [[sources]]',
        ),
        Check(
            "tenant globex",
            Level.PROBLEM,
            'it has no source: write tenant = "globex" into a [[sources]]',
        ),
        Check(
            "tenant default",
            Level.PROBLEM,
            "it has sources and no [[tenants]]: write whose they are into them (acme, globex)",
        ),
    ]


async def test_the_only_tenant_has_what_names_none(tmp_path: Path) -> None:
    settings = Settings(
        embedding=EmbeddingSettings(model="hashing"),
        sources=(source(tmp_path),),
        tenants=(TenantSettings(name="acme"),),
    )
    found = await examine(settings, tmp_path / "data")
    assert [check for check in found if check.name.startswith("tenant ")] == []


async def test_a_variable_that_does_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLAMP_EMBEDING_MODEL", "hashing")
    found = await said(tmp_path, "settings", sources=(source(tmp_path),))
    assert found.level is Level.NOTE
    assert "NIGHTLAMP_EMBEDING_MODEL in the environment does nothing" in found.says
