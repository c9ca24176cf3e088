from coordstream.cli.log.event_rows import event_line, event_row
from eventlog.events import RecordedEvent
from eventlog.secret_policy import SecretPolicy

POLICY = SecretPolicy(b"a key")


def test_a_row_has_the_size_of_the_value_and_no_secret() -> None:
    event = RecordedEvent(7, 1_700_000_000_123, 0, b'[1,"set-config","db.password"]', b'{"values":{"value":"hunter2"}}')
    row = event_row(event, POLICY)
    assert "hunter2" not in str(row)
    assert (row["log_offset"], row["record_time"], row["timestamp"]) == (
        7,
        "2023-11-14T22:13:20.123Z",
        1_700_000_000_123,
    )
    assert (row["operation"], row["value_bytes"]) == ("set", 30)


def test_a_tombstone_without_a_key_outside_the_range_of_datetime() -> None:
    assert event_row(RecordedEvent(0, 2**62, 0, None, None), POLICY) == {
        "log_offset": 0,
        "record_time": None,
        "timestamp": 2**62,
        "operation": "delete",
        "key": None,
        "value": None,
        "value_bytes": None,
    }


def test_control_characters_in_a_line_are_escaped() -> None:
    row = event_row(RecordedEvent(3, 0, 0, b"a\x1b[31m\nb", b"\xff"), POLICY)
    assert event_line(row) == r"       3  1970-01-01 00:00:00.000  a\x1b[31m\nb  \xff"
    assert event_line(event_row(RecordedEvent(3, 2**62, 0, None, None), POLICY)) == "       3  –  –  (tombstone)"
