"""Who stands in the journal in place of a person that it forgot. Pure."""

import hmac
from collections.abc import Callable
from typing import Final

from core.exchanges import Person

PREFIX: Final = "forgotten-"
"""No platform's ids begin so: Slack's are capitals and digits, Discord's are digits."""
_DIGITS: Final = 16


def is_forgotten(person: Person) -> bool:
    """Return whether this is nobody any more: there is no one to tell or to ask."""
    return person.user_id.startswith(PREFIX)


def pseudonyms(key: bytes) -> Callable[[str, str], str]:
    """Return what turns (platform, user id) into one made-up id each, the same for the same.

    Once the key is thrown away, nobody can tell whose it was, nor try out who it may have been.
    """

    def pseudonym(platform: str, user_id: str) -> str:
        if user_id.startswith(PREFIX):
            return user_id
        text = f"{platform} {user_id}".encode("utf-8", "surrogatepass")
        return PREFIX + hmac.digest(key, text, "sha256").hex()[:_DIGITS]

    return pseudonym
