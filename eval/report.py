"""The report: Markdown, a page with plots, and README's tables, all from committed result files.

Nothing in it is typed by hand or dated by the clock: the same result files give the same texts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from core.errors import UsageError
from eval.answers_report import answers_blocks
from eval.blocks import Block, Heading, Table, Text, html, markdown
from eval.chat_report import chat_blocks, chat_table
from eval.report_parts import (
    bench_blocks,
    comparison_blocks,
    machine_line,
    outcome_rows,
    quality_table,
    run_blocks,
    speed_tables,
)
from eval.results import RESULTS, ResultError, read_results, write_text
from eval.tables import LABELS

TITLE: Final = "How good Nightlamp is"
BEGIN: Final = "<!-- figures:begin -->"
END: Final = "<!-- figures:end -->"
_README_FIGURES = ("mrr10", "hit1", "recall5", "read2500", "read6000")
_KINDS = {
    "run": run_blocks,
    "bench": bench_blocks,
    "chat": chat_blocks,
    "chunking": comparison_blocks,
    "answers": answers_blocks,
}
_OTHER_FORM = (
    ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError,
)  # fmt: skip
"""What comes of a value that is not there, or is none of those that this version writes."""


def report_files(root: Path) -> dict[Path, str]:
    """Return the texts of the report by where they belong, made from the results below `root`.

    Raises:
        ResultError: a result file cannot be read or is of another form.
        UsageError: README.md is missing or has no place for the figures.
    """
    results = read_results(root / RESULTS)
    readme = root / "README.md"
    texts = {readme: _with_figures(readme, figures(results))}
    if results:
        blocks = report_blocks(results)
        texts[root / "docs" / "report.md"] = markdown(blocks)
        texts[root / "docs" / "report.html"] = html(TITLE, blocks)
    return texts


def write_report(root: Path) -> list[Path]:
    """Write the report's files; return those that changed.

    Raises:
        ResultError, UsageError: as `report_files`; or a file cannot be written.
    """
    changed = []
    for path, text in report_files(root).items():
        if _text(path) != text:
            write_text(path, text)
            changed.append(path)
    return changed


def differing(root: Path) -> list[Path]:
    """Return the files that differ from what the results say.

    Raises:
        ResultError, UsageError: as `report_files`.
    """
    return [path for path, text in report_files(root).items() if _text(path) != text]


def report_blocks(results: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    """Return the whole report: runs, plain tools and speed, the chats, then the comparison.

    Raises:
        ResultError: a result is of no known kind or of another form.
    """
    blocks: list[Block] = [
        Heading(TITLE, 1),
        Text(
            "Made by python -m eval report from the result files in eval/results. Brackets are "
            "95 % bootstrap intervals; MRR is never read without its characters."
        ),
    ]
    for kind in _KINDS:
        for name, result in results.items():
            if _kind(name, result) == kind:
                blocks += _read(name, result)
    return blocks


def figures(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Return README's tables as Markdown; empty where there is no result yet.

    Raises:
        ResultError: a result is of no known kind or of another form.
    """
    runs = {name: one for name, one in results.items() if _kind(name, one) == "run"}
    blocks: list[Block] = []
    if runs:
        blocks.append(_runs_table(runs))
    for name, result in results.items():
        with _form_of(name):
            if _kind(name, result) == "bench" and not result["fake"]:
                blocks += _bench_figures(_stem(name), result)
            if _kind(name, result) == "chat":
                blocks.append(chat_table(result))
    if blocks:
        blocks.append(
            Text(
                "All of it, with intervals, categories and plots: [docs/report.md](docs/report.md) "
                "and docs/report.html."
            )
        )
    return markdown(blocks)


def _bench_figures(set_: str, bench: Mapping[str, Any]) -> list[Block]:
    found: list[Block] = [quality_table(set_, bench["quality"])] if bench["quality"] else []
    if not bench["sizes"]:
        return found
    return [*found, Text(f"Time and memory, on {machine_line(bench)}:"), *speed_tables(bench)]


def _runs_table(runs: Mapping[str, Mapping[str, Any]]) -> Table:
    names = [_stem(name) for name in runs]
    columns = []
    for name, run in runs.items():
        with _form_of(name):
            columns.append(_run_column(run))
    labels = list(dict.fromkeys(label for column in columns for label in column))
    rows = tuple((label, *(column.get(label, "–") for column in columns)) for label in labels)
    return Table(("what", *names), rows)


def _run_column(run: Mapping[str, Any]) -> dict[str, str]:
    answerable = next(iter(run["figures"].values()))["n"] if run["figures"] else 0
    column = {"questions (answerable)": f"{run['questions']} ({answerable})"}
    for name in _README_FIGURES:
        if one := run["figures"].get(name):
            interval = f"[{one['low']:.3f}, {one['high']:.3f}]"
            column[LABELS[name]] = f"{one['mean']:.3f} {interval}"
    if one := run["figures"].get("chars5"):
        column[LABELS["chars5"]] = f"{one['mean']:,.0f}"
    return column | dict(outcome_rows(run))


def _read(name: str, result: Mapping[str, Any]) -> list[Block]:
    with _form_of(name):
        blocks = _KINDS[_kind(name, result)](_stem(name), result)
        html(TITLE, blocks)  # what is no text shows only where it is rendered
        return blocks


@contextmanager
def _form_of(name: str) -> Iterator[None]:
    """Say of which file a block could not be made.

    Raises:
        ResultError: the result of this name is of another form.
    """
    try:
        yield
    except _OTHER_FORM:
        raise ResultError(
            f"{RESULTS / name} is of another form than this version writes: make it anew."
        ) from None


def _kind(name: str, result: Mapping[str, Any]) -> str:
    kind = result.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ResultError(f"{RESULTS / name} is no run, comparison or benchmark: remove it.")
    return kind


def _stem(name: str) -> str:
    """Return what a result is called: for a benchmark, the set of questions in its file's name."""
    return name.removesuffix(".json").removesuffix(".summary").removeprefix("bench-")


def _with_figures(readme: Path, tables: str) -> str:
    text = _text(readme) or ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UsageError(f"{readme} has no place for the figures: {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n{tables}{END}{after}"


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ResultError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ResultError(f"{path} cannot be read: it is no UTF-8.") from None
