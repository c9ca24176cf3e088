"""Which texts are secrets by their form."""

import base64

import pytest

from eventlog.secrets.secret_forms import has_secret_form

BASIC = base64.b64encode(b"alice:hunter2").decode()
# put together here, so that no scanner takes this file for a leak
SECRETS = [
    "-----BEGIN PRIVATE KEY-----\nMIIE\n",
    "-----BEGIN RSA PRIVATE KEY-----",
    r"-----BEGIN EC PRIVATE KEY-----\nMIIE",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "Bearer hunter2",
    "bearer abcdefghijklmnopqrst",
    f"Basic {BASIC}",
    f"curl -H 'X: basic {BASIC}' host",
    "curl -s -u alice:hunter2 https://host",
    "curl --user 'alice:hunter2' https://host",
    "mysql -u root -phunter2 -h db orders",
    "mysqldump --opt -p'hunter2' orders",
    "exec mariadb -phunter2",
    "sshpass -p hunter2 ssh host",
    "mongosh -u alice -p hunter2",
    "docker login -u alice -p hunter2 registry",
    "redis-cli -h cache -a hunter2 get x",
    "sqlcmd -S db -U sa -P hunter2",
    "ldapsearch -D cn=admin -w hunter2",
    "https://lake.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig=Zm9v%3D",
    "sv=2022-11-02&sr=b&sig=Zm9v",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature=abc",
    "https://storage.googleapis.com/b/o?X-Goog-Signature=abc",
    "https://alice:hunter2@host",
    "AKIA" + "Q" * 16,
    "AIza" + "a" * 35,
    "ghp_" + "a" * 36,
    "github_pat_" + "a" * 22,
    "glpat-" + "a" * 20,
    "xoxb-" + "1" * 12,
    "https://hooks.slack.com/services/" + "T" * 9 + "/" + "B" * 9 + "/" + "x" * 24,
    "sk_live_" + "a" * 24,
    "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJhIn0.c2ln",
    "SG." + "a" * 22 + "." + "b" * 43,
    "npm_" + "a" * 36,
    "dapi" + "0" * 32,
    "hvs." + "a" * 24,
]
PLAIN = [
    "",
    "-----BEGIN CERTIFICATE-----\nMIIC",
    "-----BEGIN PUBLIC KEY-----",
    "bearer token",
    "the bearer of this",
    "Basic authentication is on",
    "docker run -u 1000:1000 image",
    "curl -u alice https://host:8080",
    "basic settings",
    "mysql -u root -p orders",
    "mysql -u root -P3306 --port=3306 --protocol=tcp",
    "mysqldump -p$DB_PASSWORD orders",
    "mysqladmin ping; nc -p 80 host",
    "docker run -p 8080:80 mysql",
    "docker login registry && docker run -p 8080:80 image",
    "mongod --port 27017",
    "redis-cli -h cache get x",
    "-Dx=mysql-connector.jar -Xmx1g -server",
    "design=modern",
    "https://host/path?signal=1&design=x",
    "org.apache.samza.container.grouper.stream.GroupByPartitionFactory",
    "eyJ",
    "AKIAQ",
    "1795251947372-753329:17",
    "hmac-sha256:" + "0" * 64,
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_recognised_by_its_form(text: str) -> None:
    assert has_secret_form(text)
    assert has_secret_form(f"before {text} after")


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_are_none(text: str) -> None:
    assert not has_secret_form(text)
