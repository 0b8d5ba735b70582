"""One table of commands: the help, Discord's command tree and Slack's manifest come from it."""

from dataclasses import dataclass
from enum import StrEnum

from core.models import Platform


class Who(StrEnum):
    """Who may use a command; for admins it is checked where the command runs."""

    EVERYONE = "everyone"
    ADMIN = "admin"


class ArgumentKind(StrEnum):
    """What an argument takes: free text, a service or type that documents name, or a switch."""

    TEXT = "text"
    SERVICE = "service"
    TYPE = "type"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command, as people see it named."""

    name: str
    kind: ArgumentKind
    about: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """Something that people can tell the bot to do. `terminal` is its form there, if any."""

    name: str
    about: str
    arguments: tuple[Argument, ...] = ()
    who: Who = Who.EVERYONE
    terminal: str = ""


_SERVICE = Argument("service", ArgumentKind.SERVICE, "only runbooks of this service")

COMMANDS = (
    Command(
        "query",
        "find the right section of the runbooks",
        (
            Argument("text", ArgumentKind.TEXT, "an alert, an error, a question", required=True),
            _SERVICE,
            Argument("type", ArgumentKind.TYPE, "only documents of this type"),
            Argument("private", ArgumentKind.FLAG, "show the answer only to you"),
        ),
        terminal="nightlamp ask QUESTION",
    ),
    Command(
        "similar",
        "find past incidents like this one",
        (Argument("text", ArgumentKind.TEXT, "what is happening", required=True),),
    ),
    Command("runbooks", "list what there is", (_SERVICE,)),
    Command(
        "mute",
        "keep me quiet in this thread",
        (Argument("off", ArgumentKind.FLAG, "listen here again"),),
    ),
    Command(
        "gaps",
        "what the runbooks do not know yet",
        (
            Argument(
                "what",
                ArgumentKind.TEXT,
                "own, snooze, done, dismiss, reopen or draft and a gap's name; or what to list",
            ),
        ),
        terminal="nightlamp gaps",
    ),
    Command(
        "notices",
        "be told when what you asked is answered",
        (Argument("off", ArgumentKind.FLAG, "do not tell me any more"),),
    ),
    Command("my-data", "all that I keep of you, as a file for you alone"),
    Command(
        "forget-me",
        "erase all that I keep of you",
        (Argument("sure", ArgumentKind.FLAG, "yes, erase it: this cannot be undone"),),
        terminal="nightlamp forget PLATFORM USER",
    ),
    Command("status", "say what is indexed and running", terminal="nightlamp status"),
    Command("help", "say what can be asked", terminal="nightlamp --help"),
    Command(
        "reindex",
        "read the runbooks again",
        (Argument("full", ArgumentKind.FLAG, "from nothing, not only what changed"),),
        who=Who.ADMIN,
        terminal="nightlamp index",
    ),
)


def usage(command: Command, platform: Platform) -> str:
    """Return how a command is typed on a platform; an empty string where it does not exist."""
    match platform:
        case Platform.TERMINAL:
            return command.terminal
        case Platform.DISCORD:
            return " ".join((f"/{command.name}", *map(_synopsis, command.arguments)))
        case Platform.SLACK:
            free = any(argument.kind is ArgumentKind.TEXT for argument in command.arguments)
            typed = (_typed(argument, free=free) for argument in command.arguments)
            return " ".join((_on_slack(command.name), *typed))


def _on_slack(name: str) -> str:
    """A workspace has one namespace for commands, so all but the question share a prefix."""
    return "/query" if name == "query" else f"/nightlamp {name}"


def _synopsis(argument: Argument) -> str:
    return argument.name if argument.required else f"[{argument.name}]"


def _typed(argument: Argument, *, free: bool) -> str:
    """Slack gives commands one line of text: services and types are typed in it, with a colon.

    A switch in `free` text has dashes: `private` may well be the last word of a question.
    """
    if argument.kind in {ArgumentKind.SERVICE, ArgumentKind.TYPE}:
        return f"[{argument.name}:NAME]"
    return (
        f"[--{argument.name}]"
        if free and argument.kind is ArgumentKind.FLAG
        else _synopsis(argument)
    )
