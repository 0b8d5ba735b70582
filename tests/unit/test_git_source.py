"""A repository as a source: what is read, what is refused, and what never happens."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from core.errors import DocumentError, SourceError
from core.reports import FailedFile
from core.settings_lists import SourceSettings
from corpus.git_source import GitSource
from corpus.listing import Listing
from tests.git_repositories import Repository


@pytest.fixture
def remote(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "remote")


def source(
    tmp_path: Path, git: str | Path, *, seconds: float = 60.0, bytes_: int = 1000, **more: object
) -> GitSource:
    settings = SourceSettings.model_validate({"name": "books", "git": str(git)} | more)
    return GitSource(settings, tmp_path / "clones", file_bytes=bytes_, seconds=seconds)


async def refreshed(tmp_path: Path, remote: Repository, **more: object) -> GitSource:
    found = source(tmp_path, remote.root, **more)  # type: ignore[arg-type]
    assert await found.refresh() == ""
    return found


# --- what is read -------------------------------------------------------------------------------


async def test_the_files_of_the_default_branch_are_listed_at_its_exact_commit(
    tmp_path: Path, remote: Repository
) -> None:
    commit = remote.commit(b_md="# B\n", docs__a_md="# A\n", x_png="x", y_png="y")
    books = await refreshed(tmp_path, remote)

    assert books.listing() == Listing(files=("b.md", "docs/a.md"), skipped={".png": 2})
    assert (books.commit, books.root) == (commit, None)
    assert [books.read(path) for path in ("docs/a.md", "b.md")] == [b"# A\n", b"# B\n"]


async def test_the_bytes_are_those_that_were_committed(
    tmp_path: Path, remote: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.write(".gitattributes", b"*.md -text\n")
    remote.commit(a_md=b"one\r\ntwo\n\xff")
    remote.write(".gitattributes", b"*.md text eol=crlf filter=shout\n")
    remote.git("add", ".gitattributes")
    remote.git("commit", "--quiet", "--message", "Attributes")
    for number, (key, value) in enumerate(
        {"core.autocrlf": "true", "filter.shout.smudge": "tr a-z A-Z"}.items()
    ):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    books = await refreshed(tmp_path, remote)
    books.listing()

    assert books.read("a.md") == b"one\r\ntwo\n\xff"


async def test_a_branch_a_tag_and_a_commit_are_all_refs(tmp_path: Path, remote: Repository) -> None:
    old = remote.commit(a_md="old")
    remote.git("tag", "--annotate", "v1", "--message", "One")
    remote.git("branch", "side/one")
    new = remote.commit(a_md="new")

    for ref, expected in (("v1", old), ("side/one", old), (old, old), ("main", new)):
        books = await refreshed(tmp_path, remote, ref=ref)
        books.listing()
        assert (ref, books.commit) == (ref, expected)


async def test_what_is_new_is_fetched_and_what_is_read_stays_until_then(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(a_md="old")
    books = await refreshed(tmp_path, remote)
    new = remote.commit(a_md="new", b_md="more")
    books.listing()
    assert books.read("a.md") == b"old"

    await books.refresh()
    listing = books.listing()

    assert (listing.files, books.commit) == (("a.md", "b.md"), new)
    assert books.read("a.md") == b"new"


async def test_history_that_was_rewritten_is_followed(tmp_path: Path, remote: Repository) -> None:
    remote.commit(a_md="one")
    books = await refreshed(tmp_path, remote)
    remote.git("checkout", "--quiet", "--orphan", "other")
    new = remote.commit(a_md="two")
    remote.git("branch", "--force", "main")
    await books.refresh()
    books.listing()

    assert books.commit == new


async def test_patterns_choose_the_files(tmp_path: Path, remote: Repository) -> None:
    remote.commit(docs__a_md="x", docs__old__b_md="x", c_md="x", docs__d_adoc="x", e_adoc="x")
    books = await refreshed(tmp_path, remote, include=["docs/**"], exclude=["docs/old"])

    assert books.listing() == Listing(files=("docs/a.md",), skipped={".adoc": 1})


async def test_a_file_without_a_suffix_is_listed_if_it_looks_like_markdown(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(Makefile="all:\n\tx\n", Postmortem="# Postmortem\n\n## Summary\n\n* One\n")
    books = await refreshed(tmp_path, remote)

    assert books.listing() == Listing(files=("Postmortem",), skipped={"(none)": 1})


async def test_files_are_read_in_portions_and_in_any_order(
    tmp_path: Path, remote: Repository
) -> None:
    for number in range(5):
        remote.write(f"{number}.md", bytes([48 + number]) * 3_000_000)
    remote.commit()
    books = await refreshed(tmp_path, remote, bytes_=4_000_000)
    files = books.listing().files

    assert {path: books.read(path)[:1] for path in (*files, *reversed(files))} == {
        f"{number}.md": str(number).encode() for number in range(5)
    }


# --- what is refused ----------------------------------------------------------------------------


async def test_links_are_followed_within_the_repository_alone(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(a__in_md="in")
    for name, target in {
        "ok.md": "a/in.md",
        "a/up.md": "../ok.md",
        "same": "a",
        "etc.md": "/etc/passwd",
        "out.md": "../outside.md",
        "gone.md": "nothing.md",
        "loop.md": "loop.md",
    }.items():
        (remote.root / name).symlink_to(target)
    remote.commit()
    books = await refreshed(tmp_path, remote)

    assert books.listing() == Listing(
        files=("a/in.md", "a/up.md", "ok.md"),
        refused=(
            FailedFile("etc.md", "it is a symbolic link that leads out of the source"),
            FailedFile("gone.md", "it is a symbolic link that leads nowhere"),
            FailedFile("loop.md", "it is a symbolic link that leads nowhere"),
            FailedFile("out.md", "it is a symbolic link that leads out of the source"),
        ),
    )
    assert books.read("a/up.md") == b"in"


async def test_hidden_files_submodules_and_names_without_utf8_are_not_read(
    tmp_path: Path, remote: Repository
) -> None:
    remote.write(".github/x.md", b"x")
    remote.write(os.fsdecode(b"caf\xe9.md"), b"x")
    commit = remote.commit(a_md="x")
    remote.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    remote.git("commit", "--quiet", "--message", "A submodule")
    books = await refreshed(tmp_path, remote)

    assert books.listing() == Listing(
        files=("a.md",),
        skipped={"(submodule)": 1},
        refused=(FailedFile("caf\ufffd.md", "its name is not valid UTF-8"),),
    )


async def test_a_file_that_is_too_large_or_not_there_is_refused(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(a_md="x" * 1001, b_md="x" * 1000)
    books = await refreshed(tmp_path, remote)
    books.listing()

    assert len(books.read("b.md")) == 1000
    with pytest.raises(DocumentError, match="larger than the limit of 1,000 bytes"):
        books.read("a.md")
    for path in ("gone.md", "../a.md", "/etc/passwd"):
        with pytest.raises(DocumentError, match="it is not in the repository"):
            books.read(path)


# --- what goes wrong ----------------------------------------------------------------------------


async def test_a_remote_that_vanished_leaves_the_last_state(
    tmp_path: Path, remote: Repository
) -> None:
    commit = remote.commit(a_md="x")
    books = await refreshed(tmp_path, remote)
    shutil.rmtree(remote.root)

    said = await books.refresh()

    assert said.startswith(f"The repository {remote.root} of the source books cannot be fetched (")
    assert said.endswith(f"), so its last state is used, commit {commit[:12]}.")
    assert books.listing().files == ("a.md",)


async def test_without_any_state_a_remote_that_is_not_there_is_a_source_error(
    tmp_path: Path,
) -> None:
    books = source(tmp_path, tmp_path / "nowhere")

    with pytest.raises(SourceError, match="does not appear to be a git repository"):
        await books.refresh()
    with pytest.raises(SourceError, match="has not been fetched yet: run nightlamp index"):
        books.listing()


async def test_a_ref_that_is_not_there_is_named(tmp_path: Path, remote: Repository) -> None:
    remote.commit(a_md="x")

    with pytest.raises(SourceError, match=r"find remote ref release\): see that git can fetch it"):
        await source(tmp_path, remote.root, ref="release").refresh()


async def test_a_commit_by_a_short_hash_is_told_to_need_its_full_one(
    tmp_path: Path, remote: Repository
) -> None:
    short = remote.commit(a_md="x")[:10]
    told = rf"find remote ref {short}\): write the full hash where ref names a commit\.$"
    with pytest.raises(SourceError, match=told):
        await source(tmp_path, remote.root, ref=short).refresh()
    with pytest.raises(SourceError, match="see that git can fetch it from here"):
        await source(tmp_path, tmp_path / "nowhere", ref=short).refresh()


async def test_another_ref_never_answers_for_one_that_is_not_there(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(a_md="x")
    await refreshed(tmp_path, remote)

    with pytest.raises(SourceError):
        await source(tmp_path, remote.root, ref="release").refresh()


async def test_another_address_is_cloned_anew_and_the_old_clone_goes(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(a_md="x")
    await refreshed(tmp_path, remote)
    other = Repository(tmp_path / "other")
    other.commit(b_md="x")
    books = await refreshed(tmp_path, other)

    assert books.listing().files == ("b.md",)
    assert len(list((tmp_path / "clones").glob("*.git"))) == 1


def spoil_head(clone: Path) -> None:
    (clone / "HEAD").unlink()


def lose_objects(clone: Path) -> None:
    shutil.rmtree(clone / "objects")
    (clone / "objects").mkdir()


def leave_locks(clone: Path) -> None:
    for name in ("shallow.lock", "HEAD.lock", "packed-refs.lock"):
        (clone / name).touch()
    for ref in (clone / "refs" / "nightlamp").iterdir():
        ref.with_suffix(".lock").touch()


def lose_the_configuration(clone: Path) -> None:
    (clone / "config").write_bytes(b"\0\xff")


@pytest.mark.parametrize("spoil", [spoil_head, lose_objects, leave_locks, lose_the_configuration])
async def test_a_clone_that_was_left_half_done_repairs_itself(
    tmp_path: Path, remote: Repository, spoil: "object"
) -> None:
    remote.commit(a_md="old")
    books = await refreshed(tmp_path, remote)
    new = remote.commit(a_md="new")
    [clone] = (tmp_path / "clones").glob("*.git")
    spoil(clone)  # type: ignore[operator]

    assert await books.refresh() == ""
    books.listing()
    assert (books.commit, books.read("a.md")) == (new, b"new")


async def test_an_object_that_rots_fails_the_source_and_is_fetched_anew(
    tmp_path: Path, remote: Repository
) -> None:
    remote.commit(a_md="a text that is long enough to be spoilt")
    books = await refreshed(tmp_path, remote)
    books.listing()
    lose_objects(next((tmp_path / "clones").glob("*.git")))

    with pytest.raises(SourceError, match="run nightlamp index, which fetches it anew"):
        books.read("a.md")
    assert await books.refresh() == ""
    books.listing()
    assert books.read("a.md").startswith(b"a text")


async def test_without_git_the_sentence_says_so(
    tmp_path: Path, remote: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.commit(a_md="x")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SourceError, match=r"cannot be fetched \(git is not installed\)"):
        await source(tmp_path, remote.root).refresh()


# --- remotes that are no good -------------------------------------------------------------------


class Silent:
    """A server that accepts, answers with so many bytes, and then says nothing."""

    def __init__(self, answer: bytes = b"") -> None:
        self.answer = answer
        self.asked = asyncio.Event()
        self.left = asyncio.Event()
        self.port = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(self.answer)
        self.asked.set()
        while await reader.read(4096):
            pass
        self.left.set()
        writer.close()


@asynccontextmanager
async def serving(silent: Silent) -> AsyncIterator[Silent]:
    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        silent.port = server.sockets[0].getsockname()[1]
        yield silent


@pytest.mark.parametrize("scheme", ["http", "git"])
async def test_a_remote_that_hangs_is_given_up_and_git_is_ended(
    tmp_path: Path, scheme: str
) -> None:
    async with serving(Silent()) as silent:
        for seconds in (0.5, 8.0, 64.0):  # a busy machine may need longer to get as far as to ask
            books = source(tmp_path, f"{scheme}://127.0.0.1:{silent.port}/x.git", seconds=seconds)
            late = rf"longer than {seconds:g} seconds \(NIGHTLAMP_LIMITS_GIT"
            with pytest.raises(SourceError, match=late):
                await books.refresh()
            if silent.asked.is_set():
                break
        assert silent.asked.is_set()
        await silent.left.wait()


async def test_cancelling_ends_git_at_once(tmp_path: Path) -> None:
    async with serving(Silent()) as silent:
        books = source(tmp_path, f"http://127.0.0.1:{silent.port}/x.git", seconds=600)
        refreshing = asyncio.create_task(books.refresh())
        await silent.asked.wait()
        refreshing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await refreshing
        await silent.left.wait()


async def test_a_remote_that_asks_for_a_password_is_refused_without_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    refusal = (
        b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n'
        b"Content-Length: 0\r\nConnection: close\r\n\r\n"
    )

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(refusal)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(SourceError, match=r"\(it asks for a password: give git credentials"):
            await source(tmp_path, f"http://127.0.0.1:{port}/x.git").refresh()


async def test_a_password_in_an_address_is_never_shown(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as raised:
        await source(tmp_path, "http://bob:hunter2@127.0.0.1:1/x.git?token=abc").refresh()

    assert "http://127.0.0.1:1/x.git?…" in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert "token" not in str(raised.value)
    assert not [p for p in (tmp_path / "clones").rglob("*") if "hunter2" in str(p)]


async def test_a_protocol_that_runs_commands_is_not_spoken(tmp_path: Path) -> None:
    settings = SourceSettings.model_construct(
        name="books", git=f"ext::touch {tmp_path}/ran", ref="HEAD", include=(), exclude=()
    )
    books = GitSource(settings, tmp_path / "clones", file_bytes=1000)

    with pytest.raises(SourceError, match="transport 'ext' not allowed"):
        await books.refresh()
    assert not (tmp_path / "ran").exists()


async def test_no_hook_runs(
    tmp_path: Path, remote: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "template" / "hooks" / "reference-transaction"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "template"))
    remote.commit(a_md="x")
    (tmp_path / "ran").unlink(missing_ok=True)
    await refreshed(tmp_path, remote)

    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "git",
    ["ext::sh -c x", "-uhttps://x.org/a", "fd::3", "gopher://x.org/a", "https://", "a\nb", " "],
)
def test_an_address_that_is_none_or_runs_something_is_no_setting(git: str) -> None:
    with pytest.raises(ValueError, match="is no address"):
        SourceSettings(name="books", git=git)


@pytest.mark.parametrize("ref", ["-x", "--upload-pack=x", "a..b", "a b", "", "a:b", "@{1}", "+x"])
def test_a_ref_that_git_would_read_as_something_else_is_no_setting(ref: str) -> None:
    with pytest.raises(ValueError, match="is no name of a branch"):
        SourceSettings(name="books", git="/x", ref=ref)
