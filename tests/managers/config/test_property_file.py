"""Property files, with the answers of java.util.Properties."""

from pathlib import Path

import pytest

from managers.config.property_file import PropertyFileError, parse_properties, read_property_file

FINGERPRINT = "hmac-sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("a=b", {"a": "b"}),
        ("a = b ", {"a": "b "}),
        ("a:b\nc d\ne", {"a": "b", "c": "d", "e": ""}),
        ("a==b", {"a": "=b"}),
        ("a : = b", {"a": "= b"}),
        ("# a=b\n  ! c=d\n\n \t\f\r\n", {}),
        ("a=b\\\n   c\\\r\n\td", {"a": "bcd"}),
        ("a=b\\\n# c", {"a": "b# c"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a=b\\\n\nc=d", {"a": "b", "c": "d"}),
        ("\\\n\n# c\na=b", {"a": "b"}),
        ("a=b\\", {"a": "b"}),
        ("a\\:b\\=\\ c=d", {"a:b= c": "d"}),
        (r"a=\t\n\r\f\q\"", {"a": '\t\n\r\fq"'}),
        (r"a=\u00e9\ud83d\ude00", {"a": "é😀"}),
        ("a=b\ra=c", {"a": "c"}),
    ],
)
def test_they_are_read_as_java_reads_them(text: str, properties: dict[str, str]) -> None:
    assert parse_properties(text, "job.properties") == properties


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a=1\n\nb=\\u12", 3, r"malformed \u escape. Expected four hexadecimal digits"),
        ("a=1\\\n2\n=x", 3, "the key is empty. Expected key=value"),
        ("a=\\ud83d", 1, r"a \u escape is only half of a surrogate pair"),
        (f"db.password={FINGERPRINT}", 1, "db.password has the fingerprint of a secret. Use the secret itself"),
    ],
)
def test_a_malformed_line_is_named(text: str, line: int, reason: str) -> None:
    with pytest.raises(PropertyFileError) as raised:
        parse_properties(text, "job.properties")
    assert str(raised.value) == f"Invalid line {line} of job.properties: {reason}."
    assert raised.value.line == line


def test_a_file_is_in_iso_8859_1(tmp_path: Path) -> None:
    path = tmp_path / "job.properties"
    path.write_bytes(b"a=\xe9")
    assert read_property_file(path) == {"a": "é"}
