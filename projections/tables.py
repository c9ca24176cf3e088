"""Tables of the schema ``projection``: the current and the past state, derived from ``eventlog`` only.

They contain no exact bytes and no secrets. Histories have one row per event and one index, their primary key
(log_id, key_id, log_offset): "as of" is one backward probe per key. Current tables have the same row per
live key. There are no foreign keys: the projector is the only writer of a log's rows. The migration has the comments.
"""

from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from eventlog.postgres.tables import NAMING_CONVENTION

metadata = MetaData(schema="projection", naming_convention=NAMING_CONVENTION)

TIMESTAMP = DateTime(timezone=True)
_FILLFACTOR = {"fillfactor": 50}


def _given(kind: type[TypeEngine[Any]] | TypeEngine[Any], *names: str) -> list[Column[Any]]:
    return [Column(name, kind, nullable=False) for name in names]


def _nullable(kind: type[TypeEngine[Any]] | TypeEngine[Any], *names: str) -> list[Column[Any]]:
    return [Column(name, kind) for name in names]


def _job() -> list[Column[Any]]:
    return [*_given(Text, "stream_kind", "job_suffix", "job_name", "job_id"), *_given(Integer, "job_bucket")]


def _author() -> list[Column[Any]]:
    return _nullable(Text, "source", "host", "username")


def _event() -> list[Column[Any]]:
    return [
        *_given(BigInteger, "log_offset"),
        *_nullable(TIMESTAMP, "record_time"),
        *_given(Integer, "log_id", "key_id"),
    ]


def _message() -> list[Column[Any]]:
    return [*_event(), *_nullable(TIMESTAMP, "message_time"), *_nullable(JSONB, "body"), *_author()]


def _checkpoint() -> list[Column[Any]]:
    texts = _nullable(Text, "checkpoint_id", "offsets")
    return [*_event(), *_nullable(Integer, "layout_id"), *texts, *_nullable(ARRAY(Text), "offsets_odd")]


job_log = Table(
    "job_log",
    metadata,
    *_given(Integer, "log_id", "incarnation"),
    *_given(Text, "stream_name"),
    *_job(),
    *_given(Boolean, "is_current", "is_complete"),
    PrimaryKeyConstraint("log_id"),
    Index(None, "job_name", "job_id"),
    Index(None, "job_suffix"),
)

event_key = Table(
    "event_key",
    metadata,
    *_given(Integer, "log_id", "key_id"),
    *_nullable(Integer, "checkpoint_version", "partition_id", "key_bucket"),
    *_given(Boolean, "is_other", "is_sensitive"),
    *_nullable(Text, "message_type", "message_key", "grouper_factory", "system_name", "stream_name"),
    *_given(LargeBinary, "key_sha256"),
    PrimaryKeyConstraint("log_id", "key_id"),
    UniqueConstraint("log_id", "key_sha256"),
    # a key may be longer than an index entry, so its first characters stand in for it; so may an unknown type
    Index(
        "ix_event_key_log_id_message_type_start",
        "log_id",
        "message_type",
        literal_column('"left"(message_key, 100)').label("message_start"),
        postgresql_ops={"message_start": "text_pattern_ops"},
        postgresql_where=text("NOT is_other"),
    ),
)

startpoint_reading = Table(
    "startpoint_reading",
    metadata,
    *_given(Integer, "log_id", "key_id", "n", "partition_id"),
    *_given(Text, "system_name", "stream_name"),
    *_nullable(Text, "task_name"),
    PrimaryKeyConstraint("log_id", "key_id", "n"),
)

message_event = Table("message_event", metadata, *_message(), PrimaryKeyConstraint("log_id", "key_id", "log_offset"))

message_current = Table(
    "message_current", metadata, *_message(), PrimaryKeyConstraint("log_id", "key_id"), postgresql_with=_FILLFACTOR
)

checkpoint_layout = Table(
    "checkpoint_layout",
    metadata,
    *_given(Integer, "log_id", "layout_id", "n"),
    *_nullable(Integer, "partition_id", "key_bucket"),
    *_given(Boolean, "is_state"),
    *_nullable(Text, "system_name", "stream_name", "factory_name", "store_name", "marker_prefix", "marker_suffix"),
    *_nullable(Integer, "input_count"),
    *_nullable(ARRAY(Text), "input_streams"),
    PrimaryKeyConstraint("log_id", "layout_id", "n"),
)

checkpoint_event = Table(
    "checkpoint_event",
    metadata,
    *_checkpoint(),
    *_nullable(TIMESTAMP, "other_version_time"),
    PrimaryKeyConstraint("log_id", "key_id", "log_offset"),
    postgresql_partition_by="RANGE (log_offset)",
)

checkpoint_current = Table(
    "checkpoint_current",
    metadata,
    *_checkpoint(),
    PrimaryKeyConstraint("log_id", "key_id"),
    postgresql_with=_FILLFACTOR,
)

suspect_checkpoint = Table(
    "suspect_checkpoint",
    metadata,
    *_given(BigInteger, "log_offset"),
    *_given(Integer, "log_id", "key_id"),
    *_given(Boolean, "may_be_lower", "may_be_unread"),
    PrimaryKeyConstraint("log_id", "log_offset", "key_id"),
)

checkpoint_envelope = Table(
    "checkpoint_envelope",
    metadata,
    *_given(BigInteger, "log_offset"),
    *_nullable(TIMESTAMP, "message_time"),
    *_given(Integer, "log_id"),
    *_author(),
    PrimaryKeyConstraint("log_id", "log_offset"),
)

log_time = Table(
    "log_time",
    metadata,
    *_given(BigInteger, "log_offset"),
    *_given(TIMESTAMP, "log_time"),
    *_given(Integer, "log_id"),
    PrimaryKeyConstraint("log_id", "log_offset"),
    Index(None, "log_id", "log_time", "log_offset"),
)

gap = Table(
    "gap",
    metadata,
    *_given(Integer, "log_id"),
    *_given(BigInteger, "first_offset", "last_offset"),
    PrimaryKeyConstraint("log_id", "first_offset"),
)

quarantine = Table(
    "quarantine",
    metadata,
    *_given(BigInteger, "log_offset"),
    *_nullable(TIMESTAMP, "record_time"),
    *_nullable(BigInteger, "resolved_by"),
    *_given(Integer, "log_id"),
    *_nullable(Integer, "key_id", "value_bytes"),
    *_given(Text, "reason", "detail"),
    *_nullable(Text, "key_text", "value_fingerprint"),
    PrimaryKeyConstraint("log_id", "log_offset"),
    Index(None, "log_id", "key_id", postgresql_where="resolved_by IS NULL"),
)

position = Table(
    "position",
    metadata,
    *_given(Integer, "log_id"),
    *_given(BigInteger, "next_offset"),
    *_nullable(BigInteger, "end_offset", "resync_from"),
    *_given(TIMESTAMP, "heartbeat_at"),
    *_nullable(TIMESTAMP, "read_at"),
    *_given(Text, "state", "fold_version"),
    *_nullable(Text, "state_detail"),
    Column("rebuilds", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("log_id"),
    postgresql_with=_FILLFACTOR,
)

refused_stream = Table(
    "refused_stream",
    metadata,
    *_given(Text, "stream_name"),
    *_job(),
    *_given(Text, "state_detail"),
    *_given(TIMESTAMP, "heartbeat_at"),
    PrimaryKeyConstraint("stream_name"),
)

stream_holder = Table(
    "stream_holder",
    metadata,
    *_given(Text, "stream_name"),
    *_given(Integer, "lock_id", "backend_pid"),
    *_nullable(Integer, "working_pid"),
    *_given(TIMESTAMP, "taken_at"),
    PrimaryKeyConstraint("stream_name"),
)
