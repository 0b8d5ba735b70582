"""Verbs that act on infrastructure, in all their forms. Pure.

Forms that mean the same deed share a class: what a section says with one may be said with another.
"""

from typing import Final

from core.guard.lists import words

_SAME: Final = """
delete remove erase unlink rm
wipe shred zap nuke mkfs
purge
truncate
empty
clear clean
flush flushall flushdb
prune
drop
reset
restart
reboot
reload
stop halt
start
kill pkill killall
terminate end
cancel abort
drain
cordon
uncordon
evict
taint
scale
resize
shrink
grow
promote
demote
failover
switchover
rollback undo
revert
disable
enable
revoke
rotate
detach
attach
mount
unmount umount
remount
reinit reinitialise reinitialize
rebuild
restore
reindex
resync
rewind
pause
suspend
resume
isolate
patch
upgrade
downgrade
uninstall
install
overwrite
bypass circumvent skip omit override
retry
replay resend
raise increase bump
lower reduce decrease
move relocate
destroy
reformat
recreate
replace
decommission
unregister
quarantine
approve
freeze
unfreeze
rename
throttle
add
change
switch
defragment defrag
compact
disarm
expire
force
copy
"""
_IRREGULAR: Final = {
    "shrink": "shrinks shrinking shrank shrunk",
    "grow": "grows growing grew grown",
    "undo": "undoes undoing undid undone",
    "rebuild": "rebuilds rebuilding rebuilt",
    "rewind": "rewinds rewinding rewound",
    "freeze": "freezes freezing froze frozen",
    "unfreeze": "unfreezes unfreezing unfroze unfrozen",
    "overwrite": "overwrites overwriting overwrote overwritten",
    "reset": "resets resetting",
    "umount": "umounts umounting umounted",
}
_DOUBLED: Final = words("stop drop zap shred cancel bump skip omit")
PHRASES: Final = {
    ("roll", "back"): "rollback",
    ("fail", "over"): "failover",
    ("switch", "over"): "switchover",
    ("shut", "down"): "stop",
    ("take", "down"): "stop",
    ("take", "away"): "delete",
    ("take", "out"): "delete",
    ("throw", "away"): "delete",
    ("get", "rid"): "delete",
    ("blow", "away"): "delete",
    ("tear", "down"): "destroy",
    ("leave", "out"): "bypass",
    ("turn", "off"): "disable",
    ("switch", "off"): "disable",
    ("turn", "on"): "enable",
    ("switch", "on"): "enable",
    ("power", "off"): "power-off",
    ("go", "past"): "bypass",
    ("scale", "down"): "scale-down",
    ("scale", "in"): "scale-down",
    ("scale", "up"): "scale-up",
    ("scale", "out"): "scale-up",
}
"""Verbs with a particle that may stand some words after them."""

COMMAND_WORDS: Final = {
    "rm": "delete",
    "undo": "rollback",
    "umount": "unmount",
    "growpart": "grow",
    "growfs": "grow",
    "lvextend": "grow",
    "resize2fs": "grow",
}
"""Words of commands that are no verbs, each with the deed that they do."""

MILD: Final = words(
    """drop expire compact force stop start move grow shrink add copy clear empty throttle raise
    lower replace cancel terminate retry replay pause rename detach attach promote resume
    restore reload clean rollback"""
)
"""Deeds that happen of themselves as well: told, not advised, they need no section."""
_PARTED: Final = {
    "roll": "rolls rolling rolled",
    "fail": "fails failing failed",
    "switch": "switches switching switched",
    "shut": "shuts shutting",
    "take": "takes taking took taken",
    "throw": "throws throwing threw thrown",
    "get": "gets getting got",
    "blow": "blows blowing blew blown",
    "tear": "tears tearing tore torn",
    "leave": "leaves leaving left",
    "turn": "turns turning turned",
    "power": "powers powering powered",
    "go": "goes going went gone",
}


def _forms(verb: str) -> dict[str, str]:
    """Return the forms of a verb, each with its ending: base, s, ing or ed."""
    if verb in _IRREGULAR or verb in _PARTED:
        forms = {verb: "base"}
        for form in (_IRREGULAR.get(verb) or _PARTED[verb]).split():
            forms[form] = "ing" if form.endswith("ing") else "s" if form.endswith("s") else "ed"
        return forms
    stem = verb + verb[-1] if verb in _DOUBLED else verb
    if verb.endswith("e"):
        return {verb: "base", f"{verb}s": "s", f"{verb[:-1]}ing": "ing", f"{verb}d": "ed"}
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return {verb: "base", f"{verb[:-1]}ies": "s", f"{verb}ing": "ing", f"{verb[:-1]}ied": "ed"}
    plural = f"{verb}es" if verb.endswith(("sh", "ch", "s", "x")) else f"{verb}s"
    forms = {verb: "base", plural: "s", f"{stem}ing": "ing", f"{stem}ed": "ed"}
    if verb == "cancel":
        forms |= {"canceling": "ing", "canceled": "ed"}
    return forms


def _table() -> dict[str, tuple[str, str]]:
    table: dict[str, tuple[str, str]] = {}
    for line in _SAME.split("\n"):
        for verb in line.split():
            table |= {form: (line.split()[0], ending) for form, ending in _forms(verb).items()}
    return table


SOFT: Final = words("change switch")
"""Deeds of every kind of sentence: they need no section, but one that forbids them counts."""

FORMS: Final = _table()
"""Each form of each verb: the class of its deed, and its ending."""

PARTED: Final = {
    form: (verb, ending) for verb in _PARTED for form, ending in _forms(verb).items()
} | {form: ("scale", ending) for form, ending in _forms("scale").items()}
"""Each form of the verbs that need a particle."""
