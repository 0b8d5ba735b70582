import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models import Redaction
from core.redaction import redact
from tests.growth import MOST, growth

# Written in two halves, so that no scanner takes this file for a leak.
SHAPES = [
    ("aws key", "AKIA", "Q3EGRT7WPLKJ2BVM"),
    ("github token", "ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"),
    ("github token", "github_pat_", "11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ98"),
    ("gitlab token", "glpat-", "9aXbYcZdW1eVfUgThSiR"),
    ("slack token", "xoxb-", "2384729384-9283749283-AbCdEfGhIjKlMnOp"),
    ("slack token", "xapp-", "1-A0238ABCD-2938472938-9f8e7d6c5b4a"),
    ("anthropic key", "sk-ant-", "api03-9dK2jd8fj3kd9fj2kd93jf9dk3"),
    ("openai key", "sk-", "proj-9dK2jd8fj3kd9fj2kd93jf9dk3"),
    ("stripe key", "sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"),
    ("google key", "AIza", "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"),
    ("npm token", "npm_", "9dK2jd8fj3kd9fj2kd93jf9dk39dK2jd8fj3"),
    ("pypi token", "pypi-AgE", "IcHlwaS5vcmcCJDk5ZTg0ZDk0LWY4ZjItNGU5Zi1hZTk"),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
    ("vault token", "hvs.", "CAESIJ2kd93jf9dk39dK2jd8fj3kd"),
    ("discord token", "MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs9Xx"),
    ("private key", "LS0tLS1CRUdJTiBSU0Eg", "UFJJVkFURSBLRVktLS0tLQpNSUlFb3dJ"),
]


@pytest.mark.parametrize(("kind", "prefix", "rest"), SHAPES)
def test_a_token_with_a_shape_of_its_own_goes(kind: str, prefix: str, rest: str) -> None:
    assert redact(f"run it with {prefix}{rest}, then") == (
        f"run it with [redacted: {kind}], then",
        (Redaction(1, kind),),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('password = "hunter2"', 'password = "[redacted: password]"'),
        ("DB_PASSWORD=Tr0ub4dor&3 psql", "DB_PASSWORD=[redacted: password] psql"),
        ("PGPASSWORD='s3cr3t!' psql", "PGPASSWORD='[redacted: password]' psql"),
        ("**Password:** S3cret!99", "**Password:** [redacted: password]"),
        ("password: `hunter2x`.", "password: `[redacted: password]`."),
        ('{"password": "hunter2!"}', '{"password": "[redacted: password]"}'),
        (r"{\"password\":\"hunter2!\"}", r"{\"password\":\"[redacted: password]\"}"),
        ("passcode: 482913", "passcode: [redacted: password]"),
        ("mysql --password hunter2x -h db", "mysql --password [redacted: password] -h db"),
        ("?password=demo28806&user=x", "?password=[redacted: password]&user=x"),
        ("--from-literal=password=S3cr3t!", "--from-literal=password=[redacted: password]"),
        ("curl -u admin:hunter2x https://h", "curl -u admin:[redacted: password] https://h"),
        ("WITH PASSWORD 'hunter2';", "WITH PASSWORD '[redacted: password]';"),
        (
            "api_key: 3f786850e387550fdab836ed7e6dc881de23001b",
            "api_key: [redacted: secret]",
        ),
        (
            "aws_secret_access_key = 9drTJvcXLB89EXtLB8FB/3kJ2sLkQxYz",
            "aws_secret_access_key = [redacted: secret]",
        ),
        ("kubeadm join --token 9a08jv.c0izixklcxtmnze7", "kubeadm join --token [redacted: secret]"),
        ("postgres://app:s3cr3tpw@db:5432/x", "postgres://app:[redacted: url password]@db:5432/x"),
        ("redis://:p4ssw0rdX@cache:6379", "redis://:[redacted: url password]@cache:6379"),
        (
            'curl -H "Authorization: Bearer a8f5f167f44f4964e6c9" https://x',
            'curl -H "Authorization: Bearer [redacted: authorization]" https://x',
        ),
        (
            "Authorization: Basic dXNlcjpodW50ZXIyMQ==",
            "Authorization: Basic [redacted: authorization]",
        ),
        (
            "https://hooks.slack.com/services/T02AB3CDE/B02AB3CDE/" + "a8f5f167f44f4964e6c998de",
            "https://hooks.slack.com/services/[redacted: slack webhook]",
        ),
        (
            "bot110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/getMe",
            "bot110201543:[redacted: telegram token]/getMe",
        ),
    ],
)
def test_a_secret_goes_from_where_it_is_written_and_the_rest_stays(
    text: str, expected: str
) -> None:
    assert redact(text)[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "password=<password>",
        "password=$PASSWORD",
        'PASSWORD="${DB_PASSWORD}"',
        "password: {{ .Values.db.password }}",
        "password: changeme",
        "password: xxxx",
        "password: 1Password",
        "Password: ask the owner",
        "password=$(kubectl get secret x)",
        "password: var.db_password",
        "password_file: /etc/pw1",
        "pwd: /home/x1",
        "--no-password --insecure",
        'api_key = "example-key-9f8e7d6c5b4a"',
        "key AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "git checkout 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "image@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "--discovery-token-ca-cert-hash sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934c",
        "kubectl get secret x -o jsonpath='{.data.password}' | base64 -d",
        '--from-literal=password="$PW"',
        "ca.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=",
        "secretName: wildcard-tls-2023",
        "secret: payments-db-credentials-2023",
        "secret=arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db",
        "/pki/token: /var/run/secrets/kubernetes.io/serviceaccount/token",
        "PublicKeyToken=31bf3856ad364e35",
        "amqp://guest:guest@localhost",
        "postgres://user:password@localhost:5432",
        "https://x-access-token:${TOKEN}@github.com/a/b",
        "https://host:8080/a@b",
        "git@github.com:acme/x.git",
        'curl -H "Authorization: Bearer $TOKEN"',
        "docker run -u 1000:1000 x",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "task-scheduler-for-2024-monthly-reports",
    ],
)
def test_placeholders_examples_and_names_stay(text: str) -> None:
    assert redact(text) == (text, ())


def test_a_private_key_leaves_its_lines_empty() -> None:
    key = f"  -----BEGIN RSA PRIVATE KEY-----\n  {'A' * 64}\n  {'b' * 30}\n"
    text = f"before\n{key}  -----END RSA PRIVATE KEY-----\nafter\n"

    assert redact(text) == (
        "before\n  [redacted: private key]\n  \n  \n  \nafter\n",
        (Redaction(2, "private key"),),
    )


def test_a_private_key_that_is_cut_off_ends_with_its_last_line() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{'A' * 64}\n{'B' * 64}\n\nthe rest stays\n"

    assert redact(text)[0] == "[redacted: private key]\n\n\n\nthe rest stays\n"


def test_each_secret_is_reported_with_its_line() -> None:
    text = "password: hunter2x\n\ntoken: 9a08jv.c0izixklcxtmnze7\npwd=S3cret!9\n"

    assert redact(text)[1] == (
        Redaction(1, "password"),
        Redaction(3, "secret"),
        Redaction(4, "password"),
    )


@pytest.mark.parametrize(
    "unit",
    [
        "a", "password=", 'password="', "token:", "://a:", "eyJ", "sk-", " --a-b", "bearer ",
        "postgres://a:b/", "://u:p@h@x", "mysql ", "mysql -p", "-u a:", "password is ", "pass|",
        "password value ", 'password="\\"', "key", "token>a<", 'auth":"',
        "-----BEGIN PRIVATE KEY-----\n", "curl ", "curl -u&u", "mysql \\\n", "password:\n  ",
        "value:a name:", "value: a\nname: db_", "| password |\n", "|", "pass|a\n|", "://a@b:",
        "password: a--", "password_db_",
    ],
)  # fmt: skip
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    assert growth(redact, unit) < MOST


PARTS = [
    "pass", "password", "token", "secret", "key", "api_", "is ", "value: ", "identified by ",
    "auth", "mysql ", "curl ", "| ", "name: ", "-->", "*/", "{% ",
    "_db", "requirepass ", "-u ", "-p", "--", "https://", "postgres://", "=", ":", "|", "/", "@",
    "<", ">", "\\",
    '"', "'", "`", "-", ".", " ", "\n", "a", "Z9", "x7Q",
]  # fmt: skip


@settings(deadline=None)
@given(
    st.text(alphabet="pasword=:'\" \n`&$tokenABC123-_./@", max_size=120)
    | st.lists(st.sampled_from(PARTS), max_size=25).map("".join)
)
def test_lines_never_shift_and_nothing_is_replaced_twice(text: str) -> None:
    once, _ = redact(text)

    assert once.count("\n") == text.count("\n")
    assert redact(once) == (once, ())
