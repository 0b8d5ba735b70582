"""What is said of an option that stands in the wrong place, or has a value that is none."""

from collections.abc import Iterator
from typing import Any

from typer.core import TyperGroup
from typer.exceptions import TyperException

_PYDANTIC = "Value error, "
"""What stands before a sentence of a validator's own, and tells a person nothing."""


class Commands(TyperGroup):
    """The commands, and the options before them. A mistake in use is told with its remedy."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the command; an option of a command is said to be one."""
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            option = getattr(error, "option_name", None)
            owners = [name for name, known in self._below() if option in known]
            if owners:
                _hint(error, f"It stands after the command: nightlamp {owners[0]} {option} …")
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an option that belongs before it is said to do so."""
        try:
            return super().invoke(ctx)
        except TyperException as error:
            option = getattr(error, "option_name", None)
            if option in _options(self):
                command = ctx.invoked_subcommand
                _hint(error, f"It stands before the command: nightlamp {option} … {command} …")
            error.message = error.message.removeprefix(_PYDANTIC)
            raise

    def _below(self) -> Iterator[tuple[str, set[str]]]:
        for name, command in self.commands.items():
            yield name, _options(command)


def _hint(error: TyperException, sentence: str) -> None:
    """Say it in place of the options of a similar spelling."""
    error.message += f". {sentence}"
    if hasattr(error, "possibilities"):
        error.possibilities = None


def _options(command: Any) -> set[str]:
    """Return every spelling of a command's options, but for those that each has."""
    return {spelling for one in command.params for spelling in one.opts} - {"--help", "--json"}
