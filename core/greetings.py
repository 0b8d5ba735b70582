"""Telling a greeting, thanks or an empty message from a question. Pure."""

import re

_WORDS = (
    "a again alive all and anybody anyone are awake bot bye cheers cool do everyone "
    "evening fine folks friend good goodbye great guys hello help hey hi hiya hola how i "
    "is it later lovely menu morning much my nice night nightlamp no nope ok okay perfect "
    "please ping pong really see so sup thank thanks thankyou thanx that the there this "
    "thx to today ty u very welcome what whats who working wow ya yay yep yes yo you your "
)
_COURTESY = frozenset(_WORDS.split())
# What a person reports back after an answer, with nothing left to look up.
_RESOLVED = re.compile(
    r"\b(?:that|this|it|which|all)(?:'s|s| is| has| did)?(?: just| now| all| really| totally)*"
    r" (?:fixed|sorted|solved|worked|helped|works|good|done|perfect|did (?:it|the trick))"
    r"(?: it| that| this| now| fine| me| us| for me| for us)*\b"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def asks_for_help(text: str) -> bool:
    """Return whether nothing is asked: empty, only marks or emoji, a greeting, or thanks."""
    lowered = text.replace("’", "'").casefold()
    words = _WORD.findall(_RESOLVED.sub(" ", lowered))
    if not words:
        return True
    return len(words) <= 8 and all(word.replace("'", "") in _COURTESY for word in words)
