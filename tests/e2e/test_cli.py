"""The command line, whole: real index, real journal, the embedder that needs no model."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bots.cli import main
from core.clock import SystemClock
from core.exchanges import Exchange, OutcomeKind, Person
from core.models import Platform
from corpus.data_folder import DataFolder
from feedback.journal import open_journal
from tests.git_repositories import Repository
from tests.waiting import PATIENT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
COMMAND = (
    "kubectl -n payments rollout undo deployment/payments-api --to-revision=$(prev)\t# \x1b[31mred"
)
PAGES = {
    "pay.md": (
        "---\ntitle: Payments\nservice: payments\nowner: payments-team\n---\n"
        "# Payments\n\nAll about charges.\n\n"
        f"## Roll back the payments release\n\nUndo it:\n\n```sh\n{COMMAND}\n```\n"
    ),
    "search.md": (
        "---\ntitle: Search\nservice: search\n---\n"
        "# Search\n\n## Indexer lag\n\nThe indexer lags behind the queue: scale the indexer.\n"
    ),
}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, and no settings but the embedder."""
    for name in [name for name in os.environ if name.startswith("NIGHTLAMP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", "hashing")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["nightlamp", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        return int(leaving.value.code or 0), printed.out, printed.err

    return run


def asked(data: Path = Path("data")) -> list[Exchange]:
    async def recent() -> list[Exchange]:
        async with open_journal(data / "journal.db") as journal:
            return await journal.recent(Person(Platform.TERMINAL, str(os.getuid())), 10)

    return asyncio.run(recent())


# --- asking -------------------------------------------------------------------------------------


def test_a_question_is_answered_from_an_index_that_is_made_first(run: Run, pages: Path) -> None:
    code, out, err = run("--corpus", pages, "ask", "roll back the payments release")
    assert code == 0
    assert out.startswith(
        "Searched by keywords only: untrusted model on a small corpus.\n\n"
        "Payments › Roll back the payments release\n"
        "pages/pay.md:10 · payments · payments-team\n\n"
        "## Roll back the payments release\n\nUndo it:\n\n```sh\n"
    )
    assert err == "Reading 2 files\nCutting 2 documents\nEmbedding 3 passages\n"


def test_code_is_printed_to_the_byte_but_for_what_a_terminal_would_obey(
    run: Run, pages: Path
) -> None:
    _, out, _ = run("--corpus", pages, "ask", "roll back the payments release")
    assert f"\n{COMMAND.replace(chr(27), '␛')}\n" in out
    assert "\x1b" not in out


def test_json_is_one_object_with_the_whole_text(run: Run, pages: Path) -> None:
    code, out, _ = run("--corpus", pages, "ask", "indexer lag", "--top", "1", "--json")
    answer = json.loads(out)
    assert (code, answer["question"], answer["outcome"]) == (0, "indexer lag", "answer")
    [result] = answer["results"]
    assert (result["rank"], result["source"], result["path"]) == (1, str(pages), "search.md")
    assert result["parts"][0]["heading"] == ["Search", "Indexer lag"]
    assert result["text"].startswith("## Indexer lag\n\nThe indexer lags")


def test_what_no_page_answers_is_refused_with_exit_code_0(run: Run, pages: Path) -> None:
    code, out, _ = run("--corpus", pages, "ask", "how do I bake a chocolate cake for my aunt")
    assert code == 0
    assert "No runbook answers this\n" in out
    assert "Undo it" not in out


def test_a_question_is_written_down(run: Run, pages: Path) -> None:
    run("--corpus", pages, "ask", "indexer lag")
    [exchange] = asked()
    assert exchange.question.text == "indexer lag"
    assert exchange.recorded is not None
    assert exchange.recorded.kind is OutcomeKind.ANSWER


def test_a_journal_that_cannot_be_written_costs_no_answer(run: Run, pages: Path) -> None:
    Path("data/journal.db").mkdir(parents=True)
    code, out, err = run("--corpus", pages, "ask", "indexer lag")
    assert code == 0
    assert "scale the indexer" in out
    assert "This question was not saved. The journal data/journal.db cannot be opened" in err


@pytest.mark.parametrize("question", ["", "  ", "hello!", "👋"])
def test_nothing_asked_gets_help_and_indexes_nothing(run: Run, pages: Path, question: str) -> None:
    code, out, err = run("--corpus", pages, "ask", question)
    assert (code, err) == (0, "")
    assert out.startswith("Ask me about an alert, an error or a symptom\n")


@pytest.mark.parametrize(
    "question",
    ["indexer lag " * 90_000, "indexer\x00 lag", "indexer \udcff\ud800 lag", "‏تأخر indexer lag"],
    ids=["a megabyte", "NUL", "lone surrogates", "right to left"],
)
def test_a_strange_question_gets_an_answer(run: Run, pages: Path, question: str) -> None:
    code, out, err = run("--corpus", pages, "ask", question)
    assert code == 0
    assert "Search › Indexer lag" in out
    assert "Traceback" not in err


def test_other_sources_are_indexed_before_they_are_asked(
    run: Run, pages: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "queue.md").write_text("# Queue\n\nThe queue is stuck: restart the broker.\n")
    run("--corpus", pages, "ask", "indexer lag")
    _, out, err = run("--corpus", other, "ask", "queue stuck broker")
    assert "restart the broker" in out
    assert err.startswith("Reading 1 file\n")


def test_the_same_sources_are_not_read_again(run: Run, pages: Path) -> None:
    run("--corpus", pages, "ask", "indexer lag")
    assert run("--corpus", pages, "ask", "indexer lag")[2] == ""


def test_an_index_of_another_kind_is_built_anew_before_it_is_asked(
    run: Run, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--corpus", pages, "ask", "indexer lag")
    monkeypatch.setenv("NIGHTLAMP_SPLITTER_PASSAGE_CHARS", "400")
    assert run("--corpus", pages, "ask", "indexer lag")[2].startswith("Reading 2 files\n")


def test_a_missing_model_leaves_the_index_to_be_searched_by_keywords(
    run: Run, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--corpus", pages, "ask", "indexer lag")
    monkeypatch.setenv("NIGHTLAMP_EMBEDDING_MODEL", str(pages))
    code, out, err = run("--corpus", pages, "ask", "indexer lag")
    assert (code, err) == (0, "")
    assert out.startswith("Searched by keywords only: the embedding model failed.\n\nSearch ›")


def test_a_service_narrows_and_an_unknown_one_is_named(run: Run, pages: Path) -> None:
    _, out, _ = run("--corpus", pages, "ask", "release lag", "--service", "search", "--json")
    assert {result["path"] for result in json.loads(out)["results"]} == {"search.md"}
    code, _, err = run("--corpus", pages, "ask", "release lag", "--service", "nope")
    nearest = "No document names the service nope; the nearest: payments, search.\n"
    assert (code, err) == (2, nearest)
    known = "No document has the service nope; there are: payments, search.\n"
    narrow = ("--service", "search", "--service", "nope")
    code, _, err = run("--corpus", pages, "ask", "release lag", *narrow)
    assert (code, err) == (0, known)


def test_of_several_tenants_one_must_be_named(run: Run, pages: Path) -> None:
    Path("nightlamp.toml").write_text(
        '[[sources]]\nname = "a"\npath = "pages"\ntenant = "acme"\n'
        '[[sources]]\nname = "b"\npath = "pages"\ntenant = "zeta"\n'
    )
    code, out, err = run("ask", "indexer lag")
    assert (code, out) == (2, "")
    assert err.endswith(
        "The runbooks are of several tenants: name one with --tenant: acme, zeta.\n"
    )
    assert run("ask", "indexer lag", "--tenant", "zeta")[0] == 0
    assert run("ask", "indexer lag", "--tenant", "globex") == (
        2,
        "",
        "No source is of the tenant globex; there are: acme, zeta.\n",
    )


def test_what_names_no_tenant_is_found_in_the_only_one(run: Run, pages: Path) -> None:
    Path("nightlamp.toml").write_text(
        '[[sources]]\nname = "a"\npath = "pages"\n[[tenants]]\nname = "acme"\n'
    )
    outcome = json.loads(run("ask", "indexer lag", "--tenant", "acme", "--json")[1])
    assert outcome["results"][0]["path"] == "search.md"
    assert json.loads(run("gaps", "--json")[1])["tenant"] == "acme"


def test_files_that_fail_before_a_first_answer_are_told_of(run: Run, pages: Path) -> None:
    (pages / "broken.md").write_bytes(b"\xff\xfe")
    code, out, said = run("--corpus", pages, "ask", "indexer lag")
    assert (code, "indexer lags behind" in out) == (0, True)
    why = f"Could not be indexed: {pages}/broken.md: it is UTF-16 text: save it as UTF-8"
    assert said.endswith(f"{why}.\n")


def test_of_many_files_that_fail_the_first_is_named(run: Run, pages: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (pages / name).write_bytes(b"caf\xe9")
    said = run("--corpus", pages, "ask", "indexer lag")[2]
    assert f"Could not be indexed: {pages}/a.md: it is not UTF-8" in said
    assert said.endswith(". And 2 more: nightlamp index lists them.\n")


def test_pages_that_were_another_tenants_are_to_be_indexed_again(run: Run, pages: Path) -> None:
    Path("nightlamp.toml").write_text('[[sources]]\nname = "a"\npath = "pages"\n')
    assert run("index")[0] == 0
    with Path("nightlamp.toml").open("a") as file:
        file.write('[[tenants]]\nname = "acme"\n')
    code, out, said = run("ask", "indexer lag")
    assert (code, out.splitlines()[0]) == (0, "No runbook answers this")
    assert said == "Nothing of the tenant acme is indexed: run nightlamp index.\n"
    code, out, _ = run("doctor")
    assert (code, "it holds nothing of the tenant acme: run nightlamp index" in out) == (3, True)
    assert run("index")[0] == 0
    assert "indexer lags behind" in run("ask", "indexer lag")[1]


# --- the index ----------------------------------------------------------------------------------


def test_indexing_tells_what_changed(run: Run, pages: Path) -> None:
    code, out, _ = run("--corpus", pages, "index")
    assert (code, out.splitlines()[0]) == (0, "The index is up to date")
    assert f"\nAdded:\n  {pages}/pay.md\n  {pages}/search.md\n" in out
    assert run("--corpus", pages, "index")[1].startswith("Nothing has changed\n")


def test_indexing_as_json_lists_paths(run: Run, pages: Path) -> None:
    run("--corpus", pages, "index")
    (pages / "search.md").write_text("# Search\n\nChanged.\n")
    (pages / "pay.md").unlink()
    (pages / "new.md").write_text("# New\n\nText.\n")
    (pages / "bad.md").write_bytes(b"# \xff\xfe\n")
    code, out, _ = run("--corpus", pages, "index", "--json")
    report = json.loads(out)
    assert code == 0
    assert [report[name] for name in ("added", "changed", "removed", "unchanged")] == [
        [f"{pages}/new.md"],
        [f"{pages}/search.md"],
        [f"{pages}/pay.md"],
        [],
    ]
    assert [failed["path"] for failed in report["failed"]] == [f"{pages}/bad.md"]


def test_strict_indexing_fails_where_a_file_failed(run: Run, pages: Path) -> None:
    (pages / "bad.md").write_bytes(b"# \xff\xfe\n")
    assert run("--corpus", pages, "index")[0] == 0
    assert run("--corpus", pages, "index", "--strict")[0] == 3


def test_a_source_that_cannot_be_read_anew_is_told_first_and_strictly_fails(
    run: Run, tmp_path: Path
) -> None:
    Repository(tmp_path / "books").commit(disk_md="# Disk full\n\nRemove old logs.\n")
    settings = "[[sources]]\nname = '{0}'\ngit = '{0}'\n"
    Path("nightlamp.toml").write_text(settings.format("books") + settings.format("notes"))
    code, out, _ = run("index")
    assert (code, out.splitlines()[0]) == (
        0,
        "The index is up to date, but 1 source cannot be read anew",
    )
    shutil.rmtree("books")
    code, out, _ = run("index", "--strict", "--json")
    report = json.loads(out)
    assert (code, sorted(report["lagging"])) == (3, ["books", "notes"])
    assert [one["path"] for one in report["failed"]] == ["notes"]
    assert [one["path"] for one in report["warned"]] == ["books"]
    Repository(tmp_path / "notes").commit(login_md="# Login fails\n\nRenew the token.\n")
    assert run("index", "--strict")[0] == 3


def test_a_refused_update_is_told_until_one_succeeds(run: Run, pages: Path) -> None:
    for number in range(12):
        (pages / f"{number}.md").write_text(f"# Page {number}\n\nText.\n")
    run("--corpus", pages, "index")
    for number in range(12):
        (pages / f"{number}.md").unlink()
    code, _, said = run("--corpus", pages, "index")
    assert (code, "see which with nightlamp index --dry-run" in said) == (3, True)
    code, out, _ = run("--corpus", pages, "index", "--dry-run")
    assert (code, f"  {pages}/11.md\n" in out) == (0, True)
    assert "Without --dry-run this is refused: 12 of the 14 documents" in out
    assert run("--corpus", pages, "index", "--dry-run", "--strict")[0] == 3
    assert "refused since " in run("status")[1]
    code, out, _ = run("--corpus", pages, "doctor")
    assert (code, "problem  update" in out) == (3, True)
    assert run("--corpus", pages, "index", "--force")[0] == 0
    assert "refused since" not in run("status")[1] + run("--corpus", pages, "doctor")[1]


def test_a_dry_run_changes_nothing(run: Run, pages: Path) -> None:
    assert run("--corpus", pages, "index", "--dry-run")[1].startswith("This would change\n")
    assert json.loads(run("status", "--json")[1])["build"] is None


def test_pruning_can_be_left_out(run: Run, pages: Path) -> None:
    run("--corpus", pages, "index")
    (pages / "pay.md").unlink()
    assert json.loads(run("--corpus", pages, "index", "--no-prune", "--json")[1])["removed"] == []


# --- status, doctor, serve ----------------------------------------------------------------------


def test_status_tells_what_is_indexed_and_asked(run: Run, pages: Path) -> None:
    run("--corpus", pages, "ask", "indexer lag")
    code, out, _ = run("status", "--json")
    status = json.loads(out)
    assert code == 0
    assert status["build"]["documents"] == 2
    assert status["build"]["sources"] == {str(pages): ""}
    assert status["gate"] == {"dense": False, "reason": "untrusted model on a small corpus"}
    assert (status["journal"]["exchanges"], status["holder"]) == (1, "nobody")


def test_status_before_anything_says_what_to_run(run: Run) -> None:
    code, out, _ = run("status")
    assert code == 0
    assert out.startswith("Nightlamp\n\nNothing is indexed yet: run `nightlamp index`.\n")
    assert not Path("data").exists()


def test_status_names_who_holds_the_data_folder(run: Run) -> None:
    folder = DataFolder(Path("data"))
    asyncio.run(folder.hold(SystemClock()))
    try:
        _, out, _ = run("status", "--json")
    finally:
        folder.release()
    assert f"in use by process {os.getpid()}" in json.loads(out)["holder"]


def checks(out: str) -> dict[str, Any]:
    return {check["name"]: check["level"] for check in json.loads(out)["checks"]}


def test_doctor_finds_nothing_wrong_with_a_sound_folder(run: Run, pages: Path) -> None:
    run("--corpus", pages, "ask", "indexer lag")
    code, out, _ = run("--corpus", pages, "doctor", "--json")
    assert code == 0
    assert checks(out) == {
        "settings": "ok",
        "data folder": "ok",
        "model": "note",
        "index": "ok",
        "calibration": "note",
        "journal": "ok",
        f"source {pages}": "ok",
        f"links of {pages}": "note",
        "tokens": "note",
    }


def test_doctor_tells_of_files_that_the_index_does_not_hold(run: Run, pages: Path) -> None:
    (pages / "broken.md").write_bytes(b"# caf\xe9\n")
    run("--corpus", pages, "ask", "indexer lag")
    code, out, _ = run("--corpus", pages, "doctor", "--json")
    index = next(check for check in json.loads(out)["checks"] if check["name"] == "index")
    assert (code, index["level"]) == (0, "note")
    assert index["says"].endswith("; 1 file is not in it: run nightlamp index, it says why")


def test_doctor_says_what_to_do_about_a_problem(run: Run, pages: Path) -> None:
    Path("nightlamp.toml").write_text('[[sources]]\nname = "gone"\npath = "nowhere"\n')
    code, out, _ = run("doctor")
    assert code == 3
    assert "problem  index" in out
    assert "run nightlamp index" in out
    assert "problem  source gone" in out


@pytest.mark.parametrize(
    ("variable", "sentence"),
    [
        (
            "NIGHTLAMP_NOTHING_SET",
            "No channel has a token: set NIGHTLAMP_DISCORD_TOKEN, or NIGHTLAMP_SLACK_BOT_TOKEN "
            "and NIGHTLAMP_SLACK_APP_TOKEN.\n",
        ),
        (
            "NIGHTLAMP_SLACK_BOT_TOKEN",
            "Slack has a bot token but no way to receive: set NIGHTLAMP_SLACK_APP_TOKEN "
            "(Socket Mode) or NIGHTLAMP_SLACK_SIGNING_SECRET (HTTP).\n",
        ),
    ],
)
def test_serving_without_a_channel_says_which_settings_to_set(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, "secret-token")
    assert run("serve") == (2, "", sentence)


# --- wrong use ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("ask",),
        ("ask", "x", "--top", "0"),
        ("--corpus", "nowhere", "ask", "x"),
        ("index", "--nope"),
    ],
)
def test_wrong_use_exits_with_2_and_prints_no_result(run: Run, arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: nightlamp")


def test_a_wrong_setting_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTLAMP_CARDS_STALE_MONTHS", "soon")
    code, out, err = run("ask", "x")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("The setting cards.stale_months (NIGHTLAMP_CARDS_STALE_MONTHS) is wrong")


def test_a_data_folder_that_cannot_be_made_is_one_sentence(run: Run, pages: Path) -> None:
    Path("file").write_text("x")
    code, out, err = run("--corpus", pages, "--data", "file/data", "ask", "indexer lag")
    assert (code, out) == (3, "")
    assert err.startswith("The data folder file/data cannot be used")


# --- as a process -------------------------------------------------------------------------------


def process(*arguments: str | Path, **settings: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bots", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_help_loads_nothing_that_takes_its_time() -> None:
    heavy = ["torch", "sentence_transformers", "qdrant_edge", "pydantic_settings", "rich.progress"]
    script = (
        "import sys; sys.argv = ['nightlamp', '--help']\n"
        "from bots.cli import main\n"
        "try: main()\n"
        f"except SystemExit: print([name for name in {heavy} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_leaves_is_no_error(run: Run, pages: Path) -> None:
    run("--corpus", pages, "index")
    asking = process("--corpus", pages, "ask", "indexer lag", "--json")
    assert asking.stdout is not None
    asking.stdout.close()
    _, err = asking.communicate()
    assert (asking.returncode, err) == (0, "")


def test_output_that_cannot_be_written_is_one_sentence(run: Run, pages: Path) -> None:
    run("--corpus", pages, "index")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bots", "--corpus", str(pages), "ask", "indexer lag"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        3,
        "The answer cannot be printed: No space left on device.\n",
    )


def test_an_interrupted_build_leaves_the_index_as_it_was(run: Run, pages: Path) -> None:
    run("--corpus", pages, "index")
    before = json.loads(run("status", "--json")[1])["build"]
    indexing = process(
        "--corpus", ROOT / "corpus" / "runbooks", "index", "--force",
        NIGHTLAMP_EMBEDDING_MODEL="all-MiniLM-L6-v2",
    )  # fmt: skip
    assert indexing.stderr is not None
    assert any(line.startswith("Embedding") for line in indexing.stderr)
    indexing.send_signal(signal.SIGINT)
    out, _ = indexing.communicate(timeout=PATIENT)
    assert (indexing.returncode, out) == (130, "")
    assert json.loads(run("status", "--json")[1])["build"] == before
    assert "scale the indexer" in run("--corpus", pages, "ask", "indexer lag")[1]
