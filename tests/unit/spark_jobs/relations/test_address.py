"""Translating a database URL for JDBC, without a secret in any text."""

import pytest

from spark_jobs.errors import SparkJobError
from spark_jobs.relations.jdbc import jdbc_properties

LIBPQ = (
    *("PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSSLMODE", "PGOPTIONS"),
    *("PGTARGETSESSIONATTRS", "PGSERVICE"),
)


@pytest.fixture(autouse=True)
def no_libpq_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LIBPQ:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://me:s3@db.example:5433/events", "jdbc:postgresql://db.example:5433/events?"),
        ("postgresql://me:s3@db.example/events", "jdbc:postgresql://db.example:5432/events?"),
        ("postgresql://me:s3@[::1]/events", "jdbc:postgresql://[::1]:5432/events?"),
        ("postgresql://me:s3@a:1,b:2/events", "jdbc:postgresql://a:1,b:2/events?"),
        ("postgresql://me:s3@a:1,b/events", "jdbc:postgresql://a:1,b:5432/events?"),
        ("host=a,b port=7 user=me password=s3 dbname=d", "jdbc:postgresql://a:7,b:7/d?"),
        ("hostaddr=10.0.0.1 user=me password=s3 dbname=d", "jdbc:postgresql://10.0.0.1:5432/d?"),
        ("host=a,b hostaddr=10.0.0.1, user=me password=s3 dbname=d", "jdbc:postgresql://10.0.0.1:5432,b:5432/d?"),
        ("host=a hostaddr=::1 user=me password=s3 dbname=d sslmode=verify-full", "jdbc:postgresql://a:5432/d?"),
        ("host=h user=me password=s3 dbname='odd &name?'", "jdbc:postgresql://h:5432/odd%20%26name%3F?"),
    ],
)
def test_credentials_are_not_part_of_the_jdbc_url(url: str, place: str) -> None:
    properties = jdbc_properties(url)
    assert properties["url"].startswith(place)
    assert "s3" not in properties["url"]
    assert (properties["user"], properties["password"]) == ("me", "s3")


@pytest.mark.parametrize(
    ("options", "translated"),
    [
        ("sslmode=verify-full&sslrootcert=/ca.pem", "sslmode=verify-full&sslrootcert=%2Fca.pem"),
        ("sslrootcert=system", "sslmode=verify-full&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory"),
        ("connect_timeout=5", "connectTimeout=5"),
        ("target_session_attrs=", "targetServerType=any"),
        ("target_session_attrs=read-write", "targetServerType=primary"),
        ("target_session_attrs=prefer-standby", "targetServerType=preferSecondary"),
    ],
)
def test_options_of_both_drivers_are_kept(options: str, translated: str) -> None:
    properties = jdbc_properties(f"postgresql://me@h/d?{options}")
    kept = properties["url"].split("?")[1].split("&")
    assert set(translated.split("&")) <= set(kept)
    assert ("sslrootcert=" in properties["url"]) is ("sslrootcert=" in translated)
    assert "password" not in properties


def test_a_service_whose_host_jdbc_cannot_know_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would connect to localhost, where another database may be."""
    for url in ("service=prod user=me", "postgresql://me@/events?service=prod"):
        with pytest.raises(SparkJobError, match=r"^JDBC does not read .* of the service 'prod'\. Name the host"):
            jdbc_properties(url)
    monkeypatch.setenv("PGSERVICE", "prod")
    with pytest.raises(SparkJobError, match="of the service 'prod'"):
        jdbc_properties("postgresql://me@/events")
    assert jdbc_properties("postgresql://me@h/events")["url"].startswith("jdbc:postgresql://h:5432/events?")


def test_libpqs_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "from-outside")
    assert jdbc_properties("postgresql://me@h/d")["password"] == "from-outside"


@pytest.mark.parametrize("url", ["postgresql:///d?host=/var/run/postgresql", "host=@abstract user=me"])
def test_a_unix_socket_is_rejected(url: str) -> None:
    with pytest.raises(SparkJobError, match="over TCP only"):
        jdbc_properties(url)


@pytest.mark.parametrize("url", ["postgresql://me:pa%ss@h/d", "postgresql://me:hunter2 x=y", "nonsense hunter2"])
def test_an_invalid_url_is_not_quoted(url: str) -> None:
    with pytest.raises(SparkJobError, match="Invalid database URL") as refusal:
        jdbc_properties(url)
    assert "hunter2" not in str(refusal.value)
    assert "pa%ss" not in str(refusal.value)
