"""Property files: configs, and offsets of Samza's checkpoint tool."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.config.property_file import Line, parse_offsets, parse_properties, property_lines
from managers.errors import CheckpointFileError

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
            with pytest.raises(ConfigError):
                parse_properties(file, "job.properties")
        else:
            read += 1
            joined = {
                key: value.encode("utf-16", "surrogatepass").decode("utf-16")
                for key, value in (properties or {}).items()
            }
            assert parse_properties(file, "job.properties") == joined, file
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
    with pytest.raises(ConfigError) as raised:
        parse_properties(text.encode("iso-8859-1"), "job.properties")
    assert str(raised.value) == f"Invalid line {line} of job.properties: {reason}."


WELL = "tasknames.Partition 0.systems.kafka.streams.my.topic.partitions.0=10"
MY_TOPIC = {"Partition 0": {SystemStreamPartition("kafka", "my.topic", 0): "10"}}
NAME = st.text(st.characters(codec="utf-8", exclude_characters="."), min_size=1).filter(
    lambda text: text == text.strip()
)


@pytest.mark.scenario("CKT-04")
def test_offsets_are_grouped_by_task() -> None:
    lines = [
        "tasknames.Partition 0.systems.tracking.streams.ArticleRead.partitions.0=0000",
        "tasknames.Partition 0.systems.tracking.streams.CommunicationRequest.partitions.0=1111",
        "tasknames.Partition 1.systems.tracking.streams.ArticleRead.partitions.1=2222",
    ]
    offsets = parse_offsets("\n".join(lines)).offsets
    assert {task: len(of_task) for task, of_task in offsets.items()} == {"Partition 0": 2, "Partition 1": 1}
    assert offsets["Partition 0"][SystemStreamPartition("tracking", "ArticleRead", 0)] == "0000"


@pytest.mark.scenario("CKT-05")
def test_other_lines_are_ignored_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    odd = "tasknames.t.systems.k.streams.s.partitions.-1=12"
    with caplog.at_level(logging.WARNING):
        read = parse_offsets(f"{WELL}\n{odd}\n\nfoo=1\n", "new.properties")
        nothing = parse_offsets("foo=1\n")
    assert read.offsets == MY_TOPIC
    assert read.ignored == (Line(2, odd), Line(4, "foo=1"))
    assert [record.getMessage() for record in caplog.records][:2] == [
        f"Ignoring line 2 of new.properties, which is not an offset: {odd}",
        "Ignoring line 4 of new.properties, which is not an offset: foo=1",
    ]
    assert nothing.offsets == {}


def test_a_warning_shows_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        parse_offsets("db.password = hunter2\njdbc=postgresql://me:hunter2@db/x\n")
        with pytest.raises(CheckpointFileError) as error:
            parse_offsets("tasknames.db.password=hunter2", is_strict=True)
    assert "db.password=…" in caplog.text
    assert "hunter2" not in caplog.text + str(error.value)


@pytest.mark.parametrize(
    ("text", "number", "reason"),
    [
        (f"{WELL}\nnonsense", 2, "'nonsense' is not a property"),
        (f"\n# x\n{WELL.replace('.0=', '.x=')}", 3, r"partitions\.x=10' is not tasknames"),
        (WELL.replace(".0=", ".-1="), 1, "is not tasknames"),
        (WELL.replace("=10", "="), 1, r"kafka\.my\.topic\.0 has no offset"),
        (f"{WELL}\n{WELL}1", 2, "has a different offset in an earlier line"),
        (WELL.replace(".0=", ".9999999999="), 1, "is too large"),
        (WELL.replace("kafka", "ka.fka"), 1, r"the system 'ka\.fka' contains a dot"),
        (WELL.replace("my", "\\u12"), 1, "four hexadecimal digits"),
        (WELL.replace("my", "\\ud83d"), 1, "half of a surrogate pair"),
    ],
)
def test_an_invalid_line_is_refused_with_its_number(text: str, number: int, reason: str) -> None:
    with pytest.raises(CheckpointFileError, match=rf"^new, line {number}: .*{reason}.*Correct the line\.$") as error:
        parse_offsets(text, "new", is_strict=True)
    assert (error.value.place, error.value.line_number) == ("new", number)


@pytest.mark.scenario("CKT-01")
def test_offsets_are_printed_as_in_samza() -> None:
    offsets = {
        SystemStreamPartition("test", "foo", 1): "4321",
        SystemStreamPartition("test", "foo", 0): "1234",
        SystemStreamPartition("test", "foo", 2): None,
        SystemStreamPartition("test", "foo", 3, 5): "9",
    }
    assert list(property_lines("Partition 0", offsets)) == [
        "tasknames.Partition 0.systems.test.streams.foo.partitions.0 = 1234",
        "tasknames.Partition 0.systems.test.streams.foo.partitions.1 = 4321",
        "# tasknames.Partition 0.systems.test.streams.foo.partitions.2 has no offset",
        "# tasknames.Partition 0.systems.test.streams.foo.partitions.3, keys 5 = 9",
    ]


@pytest.mark.scenario("CKT-01")
@given(NAME, NAME, NAME, NAME, st.integers(0, 2**31 - 1))
def test_printed_lines_are_parsed_again(task: str, system: str, stream: str, offset: str, number: int) -> None:
    offsets = {SystemStreamPartition(system, stream, number): offset}
    assert parse_offsets("\n".join(property_lines(task, offsets)), is_strict=True).offsets == {task: offsets}
