"""A password in a repository's address, handed to git where no other user of the machine sees it.

git tells the address to the program that speaks HTTP for it, on the command line, which everybody
on the machine may read. So who fetches is taken out of it, and a credential helper of ours says it
when git is asked for it: from the environment, which is the owner's alone, and to that host alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

_LOGIN = re.compile(r"(?P<scheme>https?://)(?P<who>[^/?#\s]*)@(?P<rest>.*)", re.IGNORECASE)
_USER, _PASSWORD = "NIGHTLAMP_FETCHES_AS", "NIGHTLAMP_FETCHES_WITH"
_HELPER = (
    f'!f() {{ test "$1" = get && '
    f'printf "username=%s\\npassword=%s\\n" "${_USER}" "${_PASSWORD}"; }}; f'
)


@dataclass(frozen=True, slots=True)
class Login:
    """Who fetches from a host (`https://example.com:8443`); never printed."""

    host: str
    user: str = field(repr=False)
    password: str = field(repr=False)

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return what is added to git's environment: a helper for this host, before all others.

        GIT_CONFIG_COUNT is known to git since 2.31.
        """
        known = inherited.get("GIT_CONFIG_COUNT", "")
        first = int(known) if known.isascii() and known.isdigit() else 0
        name = f"credential.{self.host}.helper"
        return {
            _USER: self.user,
            _PASSWORD: self.password,
            "GIT_CONFIG_COUNT": str(first + 2),
            f"GIT_CONFIG_KEY_{first}": name,
            f"GIT_CONFIG_VALUE_{first}": "",  # which drops the helpers that came before
            f"GIT_CONFIG_KEY_{first + 1}": name,
            f"GIT_CONFIG_VALUE_{first + 1}": _HELPER,
        }


def login_in(url: str) -> Login | None:
    """Return who fetches, as an http address says; None where it names nobody."""
    if not (found := _LOGIN.match(url)):
        return None
    user, _, password = found["who"].partition(":")
    host = found["scheme"] + re.split("[/?#]", found["rest"], maxsplit=1)[0]
    return Login(host, unquote(user), unquote(password))


def without_login(url: str) -> str:
    """Return an http address that names nobody; others as they are."""
    return _LOGIN.sub(r"\g<scheme>\g<rest>", url)
