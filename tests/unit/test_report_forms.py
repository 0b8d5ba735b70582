"""Result files of another form than this version writes: a sentence with the file's name."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval.blocks import html, markdown
from eval.cli import main
from eval.report import differing, figures, report_blocks
from eval.results import ResultError, read_results
from tests.report_results import ALONE, CHUNKING, NEWER, README, RUN

COMMITTED = Path(__file__).parents[2] / "eval" / "results"
SMALL: dict[str, dict[str, Any]] = {
    "run": RUN,
    "chunking": CHUNKING,
    "bench": NEWER,
    "bench alone": ALONE,
    **{
        name: json.loads((COMMITTED / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("chat", "answers-scripted")
    },
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    results = tmp_path / "eval" / "results"
    results.mkdir(parents=True)
    (results / "a.summary.json").write_text(json.dumps(RUN), encoding="utf-8")
    return tmp_path


def without_one(result: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the result without each of its keys, and without each key one level below."""
    for key, value in result.items():
        rest = {name: one for name, one in result.items() if name != key}
        yield key, rest
        inner, back = value, lambda one: one
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner, back = value[0], lambda one: [one]
        if isinstance(inner, dict):
            for below in inner:
                cut = {name: one for name, one in inner.items() if name != below}
                yield f"{key}.{below}", {**rest, key: back(cut)}


def changed_anywhere(value: Any, into: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the value with another in place of each part of it, to the first item of a list."""
    yield at, into
    if isinstance(value, dict):
        for key, one in value.items():
            for below, other in changed_anywhere(one, into, f"{at}.{key}"):
                yield below, {**value, key: other}
    elif isinstance(value, list) and value:
        for below, other in changed_anywhere(value[0], into, f"{at}[0]"):
            yield below, [other, *value[1:]]


def rendered(results: dict[str, dict[str, Any]]) -> str:
    blocks = report_blocks(results)
    return markdown(blocks) + html("report", blocks)


def untold(result: dict[str, Any]) -> str:
    """Return the error of a report of the result that is no sentence with its file's name."""
    for made in (figures, rendered):
        try:
            made({"zz.json": result})
        except ResultError as error:
            if "zz.json" not in str(error):
                return str(error)
        except Exception as error:  # noqa: BLE001 - what is looked for
            return repr(error)
    return ""


@pytest.mark.parametrize(
    "content", ["{", "[]", "[" * 100_000, '{"a": "\\ud800"}'], ids=["{", "[]", "deep", "half"]
)
def test_a_file_that_is_no_result_is_told(content: str, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(content, encoding="utf-8")
    with pytest.raises(ResultError, match=r"odd\.json is no result file"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    ("result", "reason"),
    [({"kind": "poem"}, "is no run"), ({"kind": "run"}, "is of another form")],
)
def test_a_result_of_another_form_is_told(result: dict[str, Any], reason: str) -> None:
    with pytest.raises(ResultError, match=reason):
        report_blocks({"odd.json": result})


@pytest.mark.parametrize("kind", SMALL)
def test_a_result_that_lacks_a_key_is_told_by_its_name_or_does_without(kind: str) -> None:
    untold_ones = {key: said for key, cut in without_one(SMALL[kind]) if (said := untold(cut))}
    assert untold_ones == {}


@pytest.mark.parametrize("value", [None, "many", [], {}, -1])
@pytest.mark.parametrize("kind", SMALL)
def test_so_is_one_whose_value_is_of_another_form(kind: str, value: Any) -> None:
    changed = ((key, {**SMALL[kind], key: value}) for key in SMALL[kind])
    assert {key: said for key, one in changed if (said := untold(one))} == {}


@pytest.mark.parametrize("value", [5, [5], [[]], {"a": 5}], ids=repr)
@pytest.mark.parametrize("kind", SMALL)
def test_so_is_one_with_any_part_of_another_form(kind: str, value: Any) -> None:
    changed = changed_anywhere(SMALL[kind], value)
    assert {at: said for at, one in changed if at and (said := untold(one))} == {}


@pytest.mark.parametrize("option", [[], ["--check"]])
@pytest.mark.parametrize(
    "content",
    [
        '{"kind": "run"}',
        '{"kind": []}',
        '{"kind": "bench"}',
        "[]",
        json.dumps({**CHUNKING, "models": [5]}),
        json.dumps({**CHUNKING, "models": ["\ud800"]}),
    ],
)
def test_the_command_says_which_file_is_of_another_form(
    option: list[str],
    content: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (home / "eval" / "results" / "zz.json").write_text(content, encoding="utf-8")
    monkeypatch.chdir(home)
    with pytest.raises(SystemExit) as left:
        main(["report", *option])
    assert left.value.code == 3
    said = capsys.readouterr().err
    assert said.startswith("eval/results/zz.json is ")
    assert said.count("\n") == 1


def test_a_text_that_is_there_and_cannot_be_read_is_a_sentence(home: Path) -> None:
    (home / "docs" / "report.md").mkdir(parents=True)
    with pytest.raises(ResultError, match=r"report\.md cannot be read: Is a directory"):
        differing(home)
