"""`python -m eval …`: figures on standard output, progress and errors on standard error."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from core.errors import NightlampError
from core.settings import read_settings, with_values
from eval import answers_command, commands, corpus_commands
from eval.gates import Gates, broken_gates, gates_from, pairs_from
from eval.inputs import check_out
from eval.place import Place
from eval.plans import plan_for
from eval.progress import Bars
from eval.results import check_writable
from eval.run import Plan, Run, evaluate
from eval.runfile import RunWriter, run_file, summary_path, write_summary
from eval.running import interruptible, place_of, printed
from eval.scored import scored
from eval.summary import Summary, summarize
from eval.tables import print_failures, print_summary

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    help="Measure how well questions are answered from the runbooks.", rich_markup_mode=None,
)  # fmt: skip


@app.callback()
def place(
    context: typer.Context,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            file_okay=False,
            metavar="DIR",
            help="A folder of runbooks in place of the configured sources; repeatable.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The data folder; builds go to its eval/.  [default: data]"
        ),
    ] = None,
) -> None:
    """Remember what holds for every command."""
    context.obj = Place(tuple(corpus or ()), data)


@app.command("run")
def run_command(
    context: typer.Context,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A file of questions or a BEIR folder; repeatable.  [default: the shipped ones]",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the run, one line of JSON a question."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Another setting for this run; repeatable."
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE=LEAST", help="Exit with 3 if a figure is lower; repeatable."),
    ] = None,
    fail_over: Annotated[
        list[str] | None,
        typer.Option(metavar="FIGURE=MOST", help="Exit with 3 if a figure is higher; repeatable."),
    ] = None,
) -> None:
    """Say how often the right section is found, question by question."""
    gates = gates_from(fail_under or [], fail_over or [])
    changed = pairs_from(set_ or [], "--set")
    settings = with_values(read_settings(), changed)
    said = place_of(context)
    plan = plan_for(settings, said, said.questions(questions, settings))
    if out:
        check_writable(out)  # first: what is no file has no name for a summary beside it
        check_writable(summary_path(out))
        check_out((out, summary_path(out)), plan)
    run = _finished(plan, out)
    summary = summarize(run.scores)
    printed(
        lambda console: _print(console, run, summary), lambda: _write(out, changed, run, summary)
    )
    _conclude(run, summary, gates)


commands.register(app)
corpus_commands.register(app)
answers_command.register(app)


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

    def kept() -> str:
        lines = writer.lines if writer else 0
        return f"The {lines} questions that were finished are in {out}." if lines else ""

    progress = Bars()
    with interruptible(kept), ExitStack() as stack:
        writer = stack.enter_context(run_file(out)) if out else None
        stack.enter_context(progress.bars)
        return asyncio.run(evaluate(plan, writer.write if writer else _nowhere, progress))


def _print(console: Console, run: Run, summary: Summary) -> None:
    print_summary(console, summary)
    print_failures(console, run.records, run.scores, run.lines)


def _write(out: Path | None, changed: Mapping[str, str], run: Run, summary: Summary) -> None:
    if out:
        each = scored(run.scores, run.lines)
        said_of_run = {"kind": "run", **run.measured, "set": changed, "scored": each}
        write_summary(out, {**said_of_run, **summary.as_json()})


def _conclude(run: Run, summary: Summary, gates: Gates) -> None:
    """Say what is wrong with the run, and leave with 3 if it failed or broke a gate."""
    if run.failed_files:
        files = "1 file" if run.failed_files == 1 else f"{run.failed_files} files"
        typer.echo(f"{files} could not be indexed; `nightlamp index` names them.", err=True)
    if not run.measured["calibration_fitted"]:
        typer.echo("The calibration was not fitted for this index: outcomes mean little.", err=True)
    broken = broken_gates(gates, summary)
    for sentence in broken:
        typer.echo(sentence, err=True)
    if broken or summary.failed:
        raise typer.Exit(NightlampError.exit_code)


def _nowhere(line: Mapping[str, Any]) -> None:
    """Keep nothing: the run was not asked for as a file."""
