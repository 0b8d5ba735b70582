"""Names that find a section by themselves: alerts, error codes, settings. Pure."""

import re

_WORD = re.compile(r"[A-Za-z][\w-]*\w", re.ASCII)
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*")
_CODE = re.compile(r"[A-Z]{1,12}-?[0-9]{3,}|[A-Z]{2,12}(?:-[A-Z0-9]{2,})*-[0-9]{2,}")


def exact_names(text: str) -> tuple[str, ...]:
    """Return the names in a heading, title or file name, in lower case, each once.

    A name is an error code (`PAY-1042`, `E4304`), has an underscore inside (`INDEXER_BATCH_SIZE`),
    or is CamelCase of three parts or more (`KubePodCrashLooping`). Products in two parts
    (`JupyterHub`, `PostgreSQL`) are none: a page about one is not the answer to all about it.
    """
    words = _WORD.findall(text)
    return tuple(dict.fromkeys(word.lower() for word in words if _is_name(word)))


def _is_name(word: str) -> bool:
    if _CODE.fullmatch(word) or "_" in word.strip("_"):
        return True
    camel = word.isalnum() and any(c.islower() for c in word) and any(c.isupper() for c in word)
    return camel and len(_HUMPS.findall(word)) >= 3
