"""`python -m eval …`: figures on standard output, progress and errors on standard error."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from core.errors import NightlampError
from core.settings import read_settings, with_values
from eval.gates import broken_gates, gates_from, pairs_from
from eval.run import Plan, Run, evaluate
from eval.runfile import RunWriter, run_file, write_summary
from eval.summary import Summary, summarize
from eval.tables import print_failures, print_summary

INTERRUPTED = 130

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    help="Measure how well questions are answered from the runbooks.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """What was said before the command: other sources than the configured, and the data folder."""

    corpus: tuple[Path, ...]
    data: Path | None


@app.callback()
def place(
    context: typer.Context,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of runbooks in place of the configured sources; repeatable."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data folder; builds go to its eval/.")
    ] = None,
) -> None:
    """Remember what holds for every command."""
    context.obj = Place(tuple(corpus or ()), data)


@app.command("run")
def run_command(
    context: typer.Context,
    questions: Annotated[list[Path], typer.Option(help="A file of questions; repeatable.")],
    out: Annotated[
        Path | None, typer.Option(help="Where to write the run, one line of JSON a question.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another setting for this run."),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE=LEAST", help="Exit with 3 if a figure is lower."),
    ] = None,
) -> None:
    """Ask every question of a set and say how often the right section was found."""
    gates = gates_from(fail_under or [])
    changed = pairs_from(set_ or [], "--set")
    settings = with_values(read_settings(), changed)
    said: Place = context.obj
    plan = Plan(settings, said.data or settings.data, said.corpus, tuple(questions))
    run = _finished(plan, out)
    summary = summarize(run.scores)
    if out:
        write_summary(out, {**run.measured, "set": changed, **summary.as_json()})
    console = Console()
    print_summary(console, summary)
    print_failures(console, run.records, run.scores, run.lines)
    _conclude(run, summary, gates)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error that Nightlamp knows is one sentence and its exit code."""
    try:
        app(arguments, prog_name="python -m eval")
    except NightlampError as error:
        typer.echo(str(error), err=True)
        sys.exit(error.exit_code)


def _finished(plan: Plan, out: Path | None) -> Run:
    """Return the run, its progress shown and its lines written as they come.

    Raises:
        typer.Exit: it was interrupted; what was finished is in the file.
    """
    writer: RunWriter | None = None
    progress = _Progress()
    try:
        with run_file(out) if out else nullcontext() as writer, progress.bars:
            keep = writer.write if writer else _nowhere
            return asyncio.run(evaluate(plan, keep, progress))
    except KeyboardInterrupt:
        lines = writer.lines if writer else 0
        kept = f" The {lines} questions that were finished are in {out}." if lines else ""
        typer.echo(f"Interrupted.{kept}", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _conclude(run: Run, summary: Summary, gates: Mapping[str, float]) -> None:
    """Say what is wrong with the run, and leave with 3 if it failed or broke a gate."""
    if run.failed_files:
        typer.echo(f"{run.failed_files} files could not be indexed; `index` names them.", err=True)
    if not run.measured["calibration_fitted"]:
        typer.echo("The calibration was not fitted for this index: outcomes mean little.", err=True)
    broken = broken_gates(gates, summary)
    for sentence in broken:
        typer.echo(sentence, err=True)
    if broken or summary.failed:
        raise typer.Exit(NightlampError.exit_code)


def _nowhere(line: Mapping[str, Any]) -> None:
    """Keep nothing: the run was not asked for as a file."""


class _Progress:
    """One bar a phase on standard error; where that is no terminal, one line a phase."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self.bars = Progress(
            console=self._console, transient=True, disable=not self._console.is_terminal
        )
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self.bars.add_task(phase, total=total)
            if self.bars.disable:
                self._console.print(f"{phase} {total} …", highlight=False)
        self.bars.update(self._tasks[phase], completed=done, total=total)
