"""Which texts are secrets by their form.

Which names, and which values by what they name, are secrets: a table, and the config of a recorded job.
"""

import base64
import json

import pytest

from eventlog.recording import read_recording
from eventlog.secret_policy import SecretPolicy
from eventlog.secret_texts import SecretNames, has_secret_form
from eventlog.wire.coordinator import decode_key, decode_message
from tests.checkout import CHECKOUT

BASIC = base64.b64encode(b"alice:hunter2").decode()
# put together here, so that no scanner takes this file for a leak
FORMS = [
    "-----BEGIN PRIVATE KEY-----\nMIIE\n",
    r"-----BEGIN EC PRIVATE KEY-----\nMIIE",
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "Bearer hunter2",
    "bearer abcdefghijklmnopqrst",
    f"Basic {BASIC}",
    f"curl -H 'X: basic {BASIC}' host",
    "curl -s -u alice:hunter2 https://host",
    "curl --user 'alice:hunter2' https://host",
    "mysql -u root -phunter2 -h db orders",
    "mysqldump --opt -p'hunter2' orders",
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
PLAIN_FORMS = [
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


@pytest.mark.parametrize("text", FORMS)
def test_a_secret_is_recognised_by_its_form(text: str) -> None:
    assert has_secret_form(text)
    assert has_secret_form(f"before {text} after")


@pytest.mark.parametrize("text", PLAIN_FORMS)
def test_other_texts_are_none(text: str) -> None:
    assert not has_secret_form(text)


POLICY = SecretPolicy(b"installation key")
RECORDED = CHECKOUT / "tests" / "recordings" / "A" / "coordinator.jsonl.gz"
PEM = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE6TAbBgkqhkiG9w0BBQMwDgQI\n-----END ENCRYPTED PRIVATE KEY-----"
SECRETS = [
    # Kafka's configs of type PASSWORD
    ("systems.kafka.consumer.ssl.keystore.key", "MIIE6TAbBgkqhkiG9w0BBQMwDgQI"),
    ("systems.kafka.consumer.ssl.keystore.certificate.chain", "MIIC"),
    ("systems.kafka.producer.ssl.truststore.certificates", "MIIC"),
    ("systems.kafka.sasl.jaas.config", "x"),
    # names of clouds and scanners
    ("azure.account.key", "Zm9v"),
    ("fs.azure.account.key.lake.dfs.core.windows.net", "Zm9v"),
    ("systems.eh.sas.token", "sr=x"),
    ("azure.sas", "x"),
    ("fs.azure.sas.logs.lake.blob.core.windows.net", "sv=x"),
    ("aws.secretKey", "x"),
    ("aws.accessKey", "AKIA"),
    ("db.pwd", "x"),
    ("dbPwd", "x"),
    ("db.pass", "x"),
    ("smtpPass", "x"),
    ("DBPASS", "x"),
    ("redis.pass.1", "x"),
    ("truststorepass", "x"),
    ("key.passphrase", "x"),
    ("stores.s.encryption.key", "x"),
    ("encryption_key_base64", "x"),
    ("jwt.signing.key", "x"),
    ("hmac.key", "x"),
    ("auth_key", "x"),
    ("dbKey", "x"),
    ("vpn.psk", "x"),
    ("ftp.creds", "x"),
    ("redis.auth", "x"),
    ("systems.cache.basic.auth", "x"),
    ("npm", "//registry.example/:_auth=aHVudGVyMg"),
    ("npm.2", "always-auth=true\n_auth=aHVudGVyMg"),
    ("http.header.Authorization", "x"),
    ("http.header.Cookie", "x"),
    ("schema.registry.basic.auth.user.info", "x"),
    # values that name what they hold
    ("azure.connection", "DefaultEndpointsProtocol=https;AccountName=lake;AccountKey=Zm9vYmFy==;EndpointSuffix=x"),
    ("azure.bus", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=Zm9v"),
    ("odbc", "DSN=x;UID=app;PWD=hunter2"),
    ("http.headers", "Accept: */*\nAuthorization: abc"),
    ("callback", "https://host/path?user=u&passphrase=hunter2"),
    ("callback.2", "https://host/path%3Fpass%3Dhunter2"),
    ("openssl", "-passin pass:hunter2"),
    ("task.opts.2", "-Xmx768M -Ddb.pwd=hunter2"),
    ("task.opts.3", "-Xmx768M --password hunter2"),
    ("task.opts.5", "--passphrase 'hunter 2'"),
    ("task.opts.7", "keytool -storepass hunter2 -list"),
    ("task.opts.8", '["--password", "hunter2"]'),
    ("task.opts.9", "[--pwd, hunter2]"),
    ("xml", "<db><password>hunter2</password></db>"),
    ("xml.2", "<ns:dbPassword type='x'>\n  hunter2</ns:dbPassword>"),
    ("xml.3", "<pass><![CDATA[hunter2]]></pass>"),
    ("xml.4", "&lt;password&gt;hunter2&lt;/password&gt;"),
    ("xml.5", "<property><name>fs.azure.account.key.x</name><value>hunter2</value></property>"),
    ("xml.6", '<add key="db.password" value="hunter2"/>'),
    ("xml.7", "<entry key='db.password'>hunter2</entry>"),
    ("xml.8", '<entry type="x" key="DB_PWD" a="b">\n<![CDATA[hunter2]]></entry>'),
    ("yaml", "- name: DB_PASSWORD\n  value: hunter2"),
    ("json", '{"db": {"pass": "hunter2"}}'),
    ("json.2", '{"headers": {"Authorization": "hunter2"}}'),
    ("json.3", '[{"name": "DB_PWD", "value": "hunter2"}]'),
    ("pem", PEM),
]
PLAIN = [
    ("task.opts", "-Xmx768M -XX:+UseG1GC -XX:MaxGCPauseMillis=100 -Dlog4j.configuration=file:x.xml -server"),
    ("task.opts", "--pass-through yes --bypass x --compass north --no-password --verbose"),
    ("systems.kafka.partition.key", "user"),
    ("proxy.pass.through", "true"),
    ("pass.word", "x"),
    ("cache.byPass", "true"),
    ("passenger.count", "3"),
    ("sort.key", "x"),
    ("monkey", "x"),
    ("pwd.check.enabled", "x"),
    ("stores.account.key.serde", "string"),
    ("stores.encryption.msg.serde", "string"),
    ("systems.kafka.samza.key.serde", "string"),
    ("systems.kafka.streams.signing.samza.key.serde", "string"),
    ("authorization.provider.class", "org.apache.Provider"),
    ("ssl.client.auth", "required"),
    ("mail.smtp.auth", "true"),
    ("no-auth", "true"),
    ("db_use_auth", "true"),
    ("spark.authenticate", "true"),
    ("auth", "kerberos"),
    ("auth.method", "basic"),
    ("task.opts", "-Dssl.client.auth=required --auth=basic --auth kerberos -Dmail.smtp.auth=true"),
    ("note", '{"auth": {"method": "basic"}}'),
    ("disk.sas.type", "x"),
    ("ssl.keystore.location", "/etc/x.jks"),
    ("note", "we pass the value: 3"),
    ("note", "<name>x</name><value>y</value>"),
    ("note", "<password></password><password/>"),
    ("note", "<entry key='db.password'></entry><entry key='db.user'>alice</entry>"),
    ("note", '{"name": "x", "value": "y", "compass": "z", "partition": {"key": 1}}'),
    ("note", "the passenger pass, and the bypass=1"),
    ("note", '["-Xmx768M", "-cp", "x.jar", "--name", "y"]'),
    ("cert", "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----"),
]


@pytest.mark.parametrize(("key", "value"), SECRETS)
def test_a_secret_is_recognised_by_its_name_or_a_name_within_it(key: str, value: str) -> None:
    assert POLICY.is_secret_name(key) or POLICY.holds_secret(value)


@pytest.mark.parametrize(("key", "value"), PLAIN)
def test_what_only_looks_similar_stays_readable(key: str, value: str) -> None:
    assert not POLICY.is_secret_name(key)
    assert not POLICY.holds_secret(value)


@pytest.mark.parametrize("name", [key for key, value in SECRETS if value == "x"])
def test_a_secret_name_counts_wherever_text_is_masked(name: str) -> None:
    for text in (f"{name}=hunter2", f'{{"{name}": "hunter2"}}', f"<{name}>hunter2</{name}>", f"--{name} hunter2"):
        assert "hunter2" not in POLICY.mask_json_text(text)


def test_the_argument_of_an_option_is_hidden_and_what_is_beside_it_stays() -> None:
    masked = json.loads(POLICY.mask_json_text('["java", "--password", "hunter2", "-cp", "x.jar"]'))
    assert masked == ["java", "--password", POLICY.fingerprint("hunter2"), "-cp", "x.jar"]


def test_config_of_recorded_jobs_stays_readable() -> None:
    messages = [
        decode_message(decode_key(event.key), event.value)
        for _, event in read_recording(RECORDED)
        if event.key is not None and event.value is not None and b"set-config" in event.key
    ]
    assert len(messages) > 50
    shown = [
        message.key for message in messages if POLICY.is_secret_name(message.key) or POLICY.holds_secret(repr(message))
    ]
    assert shown == []


def test_names_that_end_with_a_word_are_secrets_whatever_the_patterns() -> None:
    names = SecretNames(())
    assert names.is_secret("db.pass")
    assert names.are_assigned_in("db.pass=x")
    assert not names.is_secret("db.password")
