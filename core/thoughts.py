"""What a model thinks aloud, out of what it says. Pure."""

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return the text without what stands between `<think>` and `</think>`.

    Templates that open the thought themselves leave only its end in the text: then everything up
    to it goes. A thought that never ends takes the rest with it.
    """
    kept: list[str] = []
    at, depth = 0, 0
    for tag in _TAG.finditer(text):
        if tag[1]:
            if depth == 0:
                kept.clear()
            depth = max(depth - 1, 0)
            at = tag.end()
        else:
            if depth == 0:
                kept.append(text[at : tag.start()])
            depth += 1
            at = tag.end()
    return "".join((*kept, "" if depth else text[at:]))
