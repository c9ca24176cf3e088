"""Property files, with the answers of java.util.Properties."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from managers.config.property_file import PropertyFileError, as_config, parse_properties

FINGERPRINT = "hmac-sha256:" + "0" * 64


def answers() -> Iterator[tuple[bytes, dict[str, str] | None]]:
    """Files, and what Java reads; None: it refuses the file. Made by tests/managers/java/PropertyFiles.java."""
    for line in (Path(__file__).parent / "java_properties.tsv").read_text().splitlines():
        file, _, answer = line.partition("\t")
        texts = [
            bytes.fromhex(each).decode("utf-16-be", "surrogatepass") for each in answer.split(",") if answer != "error"
        ]
        yield bytes.fromhex(file), None if answer == "error" else dict(zip(texts[::2], texts[1::2], strict=False))


def is_refused_here(file: bytes, properties: dict[str, str] | None) -> bool:
    """Whether the file is refused here, although Java may read it."""
    texts = "".join(f"{key}{value}" for key, value in (properties or {}).items())
    has_mark = file.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    is_text = texts.encode("utf-16", "surrogatepass").decode("utf-16", "replace").count("\ufffd") == 0
    return properties is None or "" in properties or "\0" in texts or has_mark or not is_text


def test_files_are_read_as_java_reads_them() -> None:
    read, refused = 0, 0
    for file, properties in answers():
        if is_refused_here(file, properties):
            refused += 1
            with pytest.raises(PropertyFileError):
                parse_properties(file, "job.properties")
        else:
            read += 1
            joined = {
                key: value.encode("utf-16", "surrogatepass").decode("utf-16")
                for key, value in (properties or {}).items()
            }
            assert as_config(parse_properties(file, "job.properties")) == joined, file
    assert (read, refused) == (393, 145)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a=1\n\nb=\\u12", 3, r"malformed \u escape. Expected four hexadecimal digits"),
        ("a=1\\\n2\n=x", 3, "the key is empty. Expected key=value"),
        ("a=\\ud83d", 1, r"a \u escape is only half of a surrogate pair"),
        ("a=\\u0000", 1, "a has a null character, which Postgres cannot store. Remove it"),
        (
            "\xef\xbb\xbfa=1",
            1,
            "it has a byte order mark, which Samza takes for a part of the key. Save the file without it",
        ),
        (f"db.password={FINGERPRINT}", 1, "db.password has the fingerprint of a secret. Use the secret itself"),
    ],
)
def test_a_malformed_line_is_named(text: str, line: int, reason: str) -> None:
    with pytest.raises(PropertyFileError) as raised:
        parse_properties(text.encode("iso-8859-1"), "job.properties")
    assert str(raised.value) == f"Invalid line {line} of job.properties: {reason}."
    assert raised.value.line == line
