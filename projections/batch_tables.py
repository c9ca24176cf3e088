"""The tables that a batch is written to, and the types of their columns in a COPY."""

from typing import Final

from eventlog.postgres.binary_values import UTF8_TEXT
from eventlog.postgres.copy_rows import Columns

CHECKPOINT_COLUMNS: Final = {
    "log_offset": "int8",
    "record_time": "timestamptz",
    "log_id": "int4",
    "key_id": "int4",
    "layout_id": "int4",
    "checkpoint_id": UTF8_TEXT,
    "offsets": UTF8_TEXT,
    "offsets_odd": "text[]",
}
MESSAGE_COLUMNS: Final = {
    "log_offset": "int8",
    "record_time": "timestamptz",
    "message_time": "timestamptz",
    "log_id": "int4",
    "key_id": "int4",
    "body": "jsonb",
    "source": "text",
    "host": "text",
    "username": "text",
}
CHECKPOINT_EVENT: Final = Columns.of(
    "projection.checkpoint_event", **CHECKPOINT_COLUMNS, other_version_time="timestamptz"
)
MESSAGE_EVENT: Final = Columns.of("projection.message_event", **MESSAGE_COLUMNS)
CHECKPOINT_ENVELOPE: Final = Columns.of(
    "projection.checkpoint_envelope",
    log_offset="int8",
    message_time="timestamptz",
    log_id="int4",
    source="text",
    host="text",
    username="text",
)
SUSPECT_CHECKPOINT: Final = Columns.of(
    "projection.suspect_checkpoint",
    log_offset="int8",
    log_id="int4",
    key_id="int4",
    may_be_lower="bool",
    may_be_unread="bool",
)
LOG_TIME: Final = Columns.of("projection.log_time", log_id="int4", log_offset="int8", log_time="timestamptz")
GAP: Final = Columns.of("projection.gap", log_id="int4", first_offset="int8", last_offset="int8")
QUARANTINE: Final = Columns.of(
    "projection.quarantine",
    log_offset="int8",
    record_time="timestamptz",
    log_id="int4",
    key_id="int4",
    value_bytes="int4",
    reason="text",
    detail="text",
    key_text="text",
    value_fingerprint="text",
)
EVENT_KEY: Final = Columns.of(
    "projection.event_key",
    log_id="int4",
    key_id="int4",
    checkpoint_version="int4",
    partition_id="int4",
    key_bucket="int4",
    is_other="bool",
    is_sensitive="bool",
    message_type="text",
    message_key="text",
    grouper_factory="text",
    system_name="text",
    stream_name="text",
    key_sha256="bytea",
)
STARTPOINT_READING: Final = Columns.of(
    "projection.startpoint_reading",
    log_id="int4",
    key_id="int4",
    n="int4",
    partition_id="int4",
    system_name="text",
    stream_name="text",
    task_name="text",
)
CHECKPOINT_LAYOUT: Final = Columns.of(
    "projection.checkpoint_layout",
    log_id="int4",
    layout_id="int4",
    n="int4",
    partition_id="int4",
    key_bucket="int4",
    is_state="bool",
    system_name="text",
    stream_name="text",
    factory_name="text",
    store_name="text",
    marker_prefix="text",
    marker_suffix="text",
    input_count="int4",
    input_streams="text[]",
)
CHECKPOINT_CURRENT: Final = Columns.of("projection.checkpoint_current", **CHECKPOINT_COLUMNS)
MESSAGE_CURRENT: Final = Columns.of("projection.message_current", **MESSAGE_COLUMNS)
MERGED_CHECKPOINT: Final = Columns.of("merged_checkpoint", **CHECKPOINT_COLUMNS)
MERGED_MESSAGE: Final = Columns.of("merged_message", **MESSAGE_COLUMNS)

HISTORIES: Final = (CHECKPOINT_EVENT, CHECKPOINT_ENVELOPE, MESSAGE_EVENT)
"""Tables with rows of single events, which are never changed."""
