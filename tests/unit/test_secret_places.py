"""Secrets without a shape of their own, known by where they are written."""

import base64

import pytest

from core.redaction import redact

RANDOM = "q9Zx7LmT2vKp4RwB8sNd"
SHA = "3f786850e387550fdab836ed7e6dc881de23001b"
UUID = "5f8e7d6c-1b4a-4928-9706-f5e4d3c2b1a0"
LOGIN = base64.b64encode(b"deploy:S3cr3tpw").decode()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: Summer-2024", "Summer-2024"),
        ("password: admin123", "admin123"),
        ("DB_PASSWORD=root2024", "root2024"),
        (r'password = "a\"b7Zq-and-more"', r"a\"b7Zq-and-more"),
        (r"password = 'it\'s4you'", r"it\'s4you"),
        ('password: "Tr0ub dor3x"', "Tr0ub dor3x"),
        ('identified by "hunter2x"', "hunter2x"),
        ("IDENTIFIED WITH mysql_native_password BY 'hunter2x'", "hunter2x"),
        ("SET PASSWORD FOR 'a'@'%' = PASSWORD('hunter2x')", "hunter2x"),
        ("mysql -uroot -pS3cr3tpw db", "S3cr3tpw"),
        ("mysqldump -h db -u root -p'S3cr 3tpw' x > y", "S3cr 3tpw"),
        ("sshpass -p 'S3cr3tpw' ssh x", "S3cr3tpw"),
        ("mongosh -u app -p S3cr3tpw --host db", "S3cr3tpw"),
        ("docker login -u ci -p S3cr3tpw reg.acme.io", "S3cr3tpw"),
        ("redis-cli -h cache -a S3cr3tpw info", "S3cr3tpw"),
        ("ldapsearch -x -D cn=admin -w S3cr3tpw", "S3cr3tpw"),
        ("ipmitool -H bmc -U ADMIN -P S3cr3tpw chassis status", "S3cr3tpw"),
        ("rabbitmqctl change_password app S3cr3tpw", "S3cr3tpw"),
        ("openssl pkcs12 -passin pass:S3cr3tpw -in x", "S3cr3tpw"),
        ("keytool -list -storepass S3cr3tpw", "S3cr3tpw"),
        ("`tool --admin-password S3cr3tpw`", "S3cr3tpw"),
        ("PGPASSWORD=S3cr3tpw psql -h db", "S3cr3tpw"),
        ("curl -uadmin:S3cr3tpw https://x", "S3cr3tpw"),
        ("curl -u 'admin:S3cr3t pw@9' https://x", "S3cr3t pw@9"),
        ("curl --proxy-user=app:p@ssw0rd! https://x", "p@ssw0rd!"),
        ("The password is `S3cr3tpw99`.", "S3cr3tpw99"),
        ("the root password is S3cr3tpw99.", "S3cr3tpw99"),
        ("set the password to 'hunter2x'", "hunter2x"),
        ("Password - Tr0ubdor3x", "Tr0ubdor3x"),
        ("| password | S3cr3tpw99 |", "S3cr3tpw99"),
        ("<password>S3cr3tpw99</password>", "S3cr3tpw99"),
        ("machine x login bob password S3cr3tpw99", "S3cr3tpw99"),
        ("- name: DB_PASSWORD\n  value: S3cr3tpw99", "S3cr3tpw99"),
        ('{"name": "DB_PASSWORD", "value": "S3cr3tpw99"}', "S3cr3tpw99"),
        ('{"value":"S3cr3tpw99","name":"DB_PASSWORD"}', "S3cr3tpw99"),
        ("- value: S3cr3tpw99\n  name: DB_PASSWORD", "S3cr3tpw99"),
        ("curl -su admin:S3cr3tpw https://x", "S3cr3tpw"),
        ("curl -fsSLu 'admin:S3cr3tpw' https://x", "S3cr3tpw"),
        ("curl 'https://x?a=1&b=2' \\\n  -u admin:S3cr3tpw", "S3cr3tpw"),
        ("curl https://x?a=1&b=2 -u admin:S3cr3tpw", "S3cr3tpw"),
        ("etcdctl --user root:S3cr3tpw get x", "S3cr3tpw"),
        ("cqlsh -u app -p S3cr3tpw db", "S3cr3tpw"),
        ("az login --service-principal -u 1 -p S3cr3tpw --tenant t", "S3cr3tpw"),
        ("rabbitmqadmin -u app -p S3cr3tpw list queues", "S3cr3tpw"),
        ("CONFIG SET requirepass S3cr3tpw", "S3cr3tpw"),
        ("masterauth S3cr3tpw", "S3cr3tpw"),
        ("PASSWORD_DB=S3cr3tpw", "S3cr3tpw"),
        ("password_prod: S3cr3tpw", "S3cr3tpw"),
        ("password:\n  S3cr3t-pw99", "S3cr3t-pw99"),
        ("password: >-\n  S3cr3tpw\nuser: x", "S3cr3tpw"),
        ("| user | password |\n|---|---|\n| admin | S3cr3t-pw99 |", "S3cr3t-pw99"),
        ("| Password | User |\n|---|---|\n| `hunter2x` | admin |", "hunter2x"),
        ("| user | password |\n| a | see Vault |\n| b | S3cr3t-pw99 |", "S3cr3t-pw99"),
        ("<!-- password: S3cr3tpw-->", "S3cr3tpw"),
        ("<!-- the password is S3cr3t-pw99-->", "S3cr3t-pw99"),
        ("<!-- mysql -uroot -pS3cr3tpw-->", "S3cr3tpw"),
        ("{/* password: S3cr3tpw*/}", "S3cr3tpw"),
        ("password: S3c*/r3tpw", "S3c*/r3tpw"),
        ("{% raw %}password: S3cr3tpw{% endraw %}", "S3cr3tpw"),
        ("{{< tab >}}password: S3cr3tpw{{< /tab >}}", "S3cr3tpw"),
        ("PASS: S3cr3tpw!", "S3cr3tpw!"),
    ],
)
def test_a_password_goes_whole_from_where_it_is_given(text: str, secret: str) -> None:
    assert redact(text)[0] == text.replace(secret, "[redacted: password]", 1)


@pytest.mark.parametrize(
    "text",
    [
        "password: ask the on-call",
        "password: base64-encoded",
        "password: db-password-2023",
        "password: payments-db-2023",
        "password: vault:secret/data/db#password1",
        "password: admin",
        "password: &lt;password1&gt;",
        "password: #{db.password1}",
        "password: __DB_PASSWORD__",
        "-p'$MYSQL_PASSWORD'",
        "mysql -u root -p$MYSQL_ROOT_PASSWORD",
        "mysql -h db -P3306 -p",
        "mysql -u root -p<password> db",
        "PGPASSWORD=$PGPASSWORD psql",
        "--password $PASSWORD --user x",
        "--password <password>",
        "curl -u user:pass https://x",
        "curl -u $USER:$PASS https://x",
        "docker run -u 10001:100001 x",
        "docker run -u appuser:appgroup2024 x",
        "docker run --user deploy:release-2024a x",
        "chown -u app:app2group x",
        "rsync -u backup01:data/db2024/x .",
        "date -u 2024-05-01T12:30:00Z",
        "curl https://x && docker run -u app:app2group x",
        "az login && docker run -p 127.0.0.1:80:80 x",
        "--- PASS: TestAccS3Bucket_basic (1.2s)",
        "PASS: test_login2_flow[chromium]",
        "requirepass takes a password",
        "password_policy: Min8-Chars!",
        "PASSWORD_FILE=/run/secrets/db1",
        "password:\n  secretKeyRef:\n    name: db-1",
        "password:\n  step-2-approved\n",
        "- value: 4us-east!x\n- name: DB_PASSWORD",
        "| Password | Rule |\n|---|---|\n| min-8-chars | 24-128 |",
        "| password | see below |\n| port_x2 | S3-x_Y9z! |",
        "| user | password policy |\n|---|---|\n| admin | S3-x_Y9z! |",
        "docker run -p 8080:80 nginx1.25",
        "date -u '+%Y-%m-%dT%H:%M:%SZ'",
        "redis-cli -h cache -p 6379 info",
        "ldapsearch -x -W -b dc=acme1",
        "identified by '<password>'",
        "The password is in 1Password.",
        "The password is base64-encoded, then sha256-hashed.",
        "the password is rotated every 90-days",
        "a password is 24-128 characters",
        "the pod pass is `true`",
        "useful to pass to nn.MaxUnpool1d",
        "c=-u,d+=s.y,d+=m?1:0,m=!1",
        "| password | see Vault-2 |",
        "| password | string | default |",
        "<password>$PASSWORD</password>",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db-1, key: password}",
        "login to the host, password in the vault2 entry",
        '{"auth": "bm8gY29sb24gaGVyZQ=="}',
    ],
)
def test_what_stands_for_a_password_or_speaks_of_one_stays(text: str) -> None:
    assert redact(text) == (text, ())


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ('{"value": "' + RANDOM + '", "name": "API_TOKEN"}', RANDOM, "secret"),
        (f"<!-- Authorization: Bearer {RANDOM}-->", RANDOM, "authorization"),
        ("CLIENT_SECRET=q9Zx7LmT2vKp", "q9Zx7LmT2vKp", "secret"),
        ("API key: q9Zx7LmT2vKp4RwB", "q9Zx7LmT2vKp4RwB", "secret"),
        (f"'DD-APPLICATION-KEY: {SHA}'", SHA, "secret"),
        (f"preshared_key = {RANDOM}abcd=", f"{RANDOM}abcd=", "secret"),
        (f"- name: API_TOKEN\n  value: '{RANDOM}'", RANDOM, "secret"),
        (f"<apiToken>{RANDOM}</apiToken>", RANDOM, "secret"),
        (f"consul -token {UUID} members", UUID, "secret"),
        (f"vault login {RANDOM}", RANDOM, "secret"),
        (f"Unseal Key 1: {RANDOM}{RANDOM}abc=", f"{RANDOM}{RANDOM}abc=", "secret"),
        (f"vault write auth/approle/login role_id=x secret_id={UUID}", UUID, "secret"),
        (f"Authorization: GenieKey {UUID}", UUID, "authorization"),
        (f"-H 'Authorization: {RANDOM}'", RANDOM, "authorization"),
        (f"Authorization: Token token={RANDOM}", RANDOM, "authorization"),
        ('{"auths":{"x":{"auth":"' + LOGIN + '"}}}', LOGIN, "registry login"),
    ],
)
def test_a_token_goes_from_where_it_is_given(text: str, secret: str, kind: str) -> None:
    assert redact(text)[0] == text.replace(secret, f"[redacted: {kind}]", 1)


@pytest.mark.parametrize("value", [SHA, UUID])
@pytest.mark.parametrize("name", ["token", "heroku_api_key", "CONSUL_HTTP_TOKEN", "secret"])
def test_a_sha_or_uuid_that_is_called_a_token_is_one(name: str, value: str) -> None:
    assert redact(f"{name}: {value}")[0] == f"{name}: [redacted: secret]"


@pytest.mark.parametrize("value", [SHA, UUID])
@pytest.mark.parametrize(
    "name",
    [
        "commit", "commit_token", "sha", "digest", "revision", "id", "cache key", "idempotency_key",
        "next_page_token", "nextToken", "continue-token", "request_token", "token_id", "key_id",
        "secret_hash", "primary_key",
    ],
)  # fmt: skip
def test_one_that_is_called_otherwise_stays(name: str, value: str) -> None:
    assert redact(f"{name}: {value}") == (f"{name}: {value}", ())


@pytest.mark.parametrize(
    "text",
    [
        "routing key: orders.v2.eu-west-1.created",
        "api key: see the vault entry",
        "secret: k8sSecretRef1",
        "token: step2approved",
        "access_key: 2024-01-01T00:00:00Z",
        "secret_id: prod/db/payments-2023",
        "SecretId=prod/db/payments-2023x",
        "Authorization: see the API-2 page",
        "key: 3f786850e387550f",
    ],
)
def test_a_name_a_date_or_a_sentence_is_no_token(text: str) -> None:
    assert redact(text) == (text, ())


def test_a_key_of_putty_leaves_its_lines_empty() -> None:
    key = f"Private-Lines: 2\n{'a1B2' * 16}\n{'c3D4' * 8}"
    public = f"Public-Lines: 1\n{'A' * 64}\n"

    assert redact(f"{public}{key}\nPrivate-MAC: 0")[0] == (
        f"{public}[redacted: private key]\n\n\nPrivate-MAC: 0"
    )
