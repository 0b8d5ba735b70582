"""Passwords that commands are given in their arguments. Pure."""

from core.secret_rule import written
from core.secret_values import is_password, is_token

QUOTED = (
    r"(?:\\\"(?P<escaped>[^\"\n]{1,512}?)\\?\"|\"(?P<double>(?:(?<!\\)\\\"|[^\"\n]){1,512})\""
    r"|'(?P<single>(?:(?<!\\)\\'|[^'\n]){1,512})'|`(?P<ticks>[^`\n]{1,512})`"
)
"""A value in quotes, with the escaped ones inside it, up to where its group must be closed."""
VALUE = QUOTED + r"|(?P<bare>(?:[^\s\"'`,;|&<>()]++|&(?!&|\w{1,40}=|[lg]t;)){1,64}))"
WORDS = r"passwor[dt]|passwd|passphrase|passcode|pwd"
PASSWORD = (
    rf"(?:{WORDS}"
    # No line of a test's report: `--- PASS: TestLogin2`.
    r"|(?<!--- )(?!pass:[ \t]{1,8}test)"
    r"(?:(?<![a-z])|(?<=store)|(?<=key)|(?<=db)|(?<=my)|(?<=root)|(?<=admin)|(?<=bind)|(?<=smtp))"
    r"pass)"
)
FLAG = r"(?<![\w-])--?(?:[a-z-]{0,20}-)?(?:(?:src|dest)?(?:key|store))?"
_SPACED = r"[ \t]{1,8}"
# What stands between a command and its option, on lines that a backslash joins, a URL's & included.
_ARGUMENTS = r"(?:(?:[^\n|;&`]|(?<=\\)\n|(?<=[^\s&])&(?=[^\s&])){0,300}?[ \t])??"
_BARE = r"(?P<bare>[^\s\"'`|;&<>()]{1,256})"
_LOGIN = r"[\w.@+\\-]{1,64}:"
_LOGINS = (
    rf"(?:\"{_LOGIN}(?P<double>[^\"\n]{{1,256}})\"|'{_LOGIN}(?P<single>[^'\n]{{1,256}})'"
    rf"|{_LOGIN}(?P<bare>[^\s\"'`|;<>()]{{1,256}}))"
)
# Elsewhere such an option names a user and a group: `docker run -u app:app2`.
_CLIENTS = r"(?:curl(?:ie|\.exe)?|hurl|etcdctl)[\"'}]?[ \t]"
_ATTACHED = rf"{QUOTED}|{_BARE})"


def _is_argument(value: str) -> bool:
    """Return whether an argument is a password and no number: a port, an id, a count."""
    return not value.isdigit() and is_password(value)


COMMANDS = (
    written(
        "password",
        ("curl", "hurl", "etcdctl"),
        rf"{_CLIENTS}{_ARGUMENTS}(?:-[a-z]{{0,8}}u[ \t]{{0,4}}|--user[ =]{{1,4}}){_LOGINS}",
        _is_argument,
    ),
    written(
        "password",
        ("--proxy-user",),
        rf"(?<![^\s`\"'(])--proxy-user[ =]{{1,4}}{_LOGINS}",
        _is_argument,
    ),
    written(
        "password",
        ("mysql", "mariadb"),
        rf"(?:mysql|mariadb)(?:-?[a-z]{{1,12}})?[ \t]{_ARGUMENTS}-p{_ATTACHED}",
        _is_argument,
    ),
    written(
        "password",
        (
            "sshpass",
            "mongo",
            "docker login",
            "podman login",
            "registry login",
            "mosquitto_",
            "cqlsh",
            "az login",
            "az acr login",
            "rabbitmqadmin",
        ),
        r"(?:sshpass|mongo(?:sh|dump|restore|export|import|stat|top)?|registry login|cqlsh"
        r"|az (?:acr )?login|rabbitmqadmin|(?:docker|podman) login|mosquitto_[ps]ub)"
        rf"[ \t]{_ARGUMENTS}-p[ \t]{{0,4}}{_ATTACHED}",
        _is_argument,
    ),
    written(
        "password",
        ("ldap", "ipmitool", "redis-cli", "valkey-cli", "sqlcmd"),
        rf"(?:ldap(?:search|modify|add|delete|passwd|whoami|compare)[ \t]{_ARGUMENTS}-w"
        rf"|(?:ipmitool|sqlcmd)[ \t]{_ARGUMENTS}-P"
        rf"|(?:redis|valkey)-cli[ \t]{_ARGUMENTS}-a)[ \t]{{0,4}}{_ATTACHED}",
        _is_argument,
    ),
    written(
        "password",
        ("-pass",),
        rf"(?<![\w-])-pass(?:in|out|word)?{_SPACED}pass:{VALUE}",
        is_password,
    ),
    written(
        "password",
        ("--", "-pass", "-keypass", "-storepass", "-srcstorepass", "-deststorepass"),
        rf"{FLAG}{PASSWORD}{_SPACED}{VALUE}",
        is_password,
    ),
    written(
        "password",
        ("add_user ", "change_password ", "authenticate_user "),
        rf"(?:add_user|change_password|authenticate_user){_SPACED}[^\s]{{1,64}}{_SPACED}{VALUE}",
        is_password,
    ),
    # Redis's, in its configuration too.
    written(
        "password",
        ("requirepass ", "masterauth "),
        rf"(?:requirepass|masterauth){_SPACED}{VALUE}",
        is_password,
    ),
    written("secret", ("vault login",), rf"vault login{_SPACED}{VALUE}", is_token),
)
"""What names a password as an option; those that are assigned are told elsewhere."""
