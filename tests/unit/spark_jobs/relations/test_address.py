"""Translating libpq's options for JDBC, without a secret in the URL."""

import pytest
from psycopg.conninfo import conninfo_to_dict

from spark_jobs.errors import SparkJobError
from spark_jobs.relations.jdbc import translate


def translated(options: str) -> dict[str, str]:
    given = {name: str(value) for name, value in conninfo_to_dict(options).items()}
    return translate({"host": "h", "port": "5432", "user": "me", "dbname": "d", **given})


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ("host=db.example port=5433", "jdbc:postgresql://db.example:5433/d?"),
        ("host=::1", "jdbc:postgresql://[::1]:5432/d?"),
        ("host=a hostaddr=10.0.0.1", "jdbc:postgresql://10.0.0.1:5432/d?"),
        ("host=a hostaddr=::1 sslmode=verify-full", "jdbc:postgresql://a:5432/d?"),
        ("dbname='odd &name?'", "jdbc:postgresql://h:5432/odd%20%26name%3F?"),
    ],
)
def test_credentials_are_not_part_of_the_jdbc_url(options: str, place: str) -> None:
    properties = translated(f"{options} password=s3")
    assert properties["url"].startswith(place)
    assert "s3" not in properties["url"]
    assert (properties["user"], properties["password"]) == ("me", "s3")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("sslmode=verify-full sslrootcert=/ca.pem", "sslmode=verify-full&sslrootcert=%2Fca.pem"),
        ("sslrootcert=system", "sslmode=verify-full&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory"),
        ("connect_timeout=5", "connectTimeout=5"),
    ],
)
def test_options_of_both_drivers_are_kept(options: str, kept: str) -> None:
    properties = translated(options)
    assert set(kept.split("&")) <= set(properties["url"].split("?")[1].split("&"))
    assert ("sslrootcert=" in properties["url"]) is ("sslrootcert=" in kept)
    assert "password" not in properties


@pytest.mark.parametrize("host", ["/var/run/postgresql", "@abstract"])
def test_a_unix_socket_is_rejected(host: str) -> None:
    with pytest.raises(SparkJobError, match="over TCP only"):
        translated(f"host={host}")
