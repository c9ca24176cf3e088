"""Tables of the schema ``projection``: the current and the past state, derived from ``eventlog`` only.

They contain no exact bytes and no secrets. Histories have one row per event and one index, their primary key
(log_id, key_id, log_offset): "as of" is one backward probe per key. Current tables have the same row per
live key. There are no foreign keys: the projector is the only writer of a log's rows.
"""

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

from eventlog.postgres.tables import NAMING_CONVENTION

metadata = MetaData(schema="projection", naming_convention=NAMING_CONVENTION)

TIMESTAMP = DateTime(timezone=True)

job_log = Table(
    "job_log",
    metadata,
    Column("log_id", Integer, primary_key=True, autoincrement=False),
    Column("stream_name", Text, nullable=False),
    Column("stream_kind", Text, nullable=False),
    Column("incarnation", Integer, nullable=False),
    Column("job_suffix", Text, nullable=False, comment="what follows the prefix of the stream: pairs a job's logs"),
    Column("job_name", Text, nullable=False),
    Column("job_id", Text, nullable=False),
    Column("job_bucket", Integer, nullable=False),
    Column("is_current", Boolean, nullable=False, comment="the incarnation that the current relations show"),
    Column("is_complete", Boolean, nullable=False, comment="false while a new incarnation is still being read"),
    Index(None, "job_name", "job_id"),
    Index(None, "job_suffix"),
)

event_key = Table(
    "event_key",
    metadata,
    Column("log_id", Integer, nullable=False),
    Column("key_id", Integer, nullable=False),
    Column("checkpoint_version", Integer, comment="0 set-checkpoint, 1, 2; null for other messages"),
    Column("partition_id", Integer),
    Column("key_bucket", Integer),
    Column("is_other", Boolean, nullable=False, comment="shown in other_message"),
    Column("is_sensitive", Boolean, nullable=False, comment="the key alone says that its value is a secret"),
    Column("message_type", Text, comment="null: the key's bytes cannot be read"),
    Column("message_key", Text, comment="one text for every spelling of the key"),
    Column("grouper_factory", Text),
    Column("system_name", Text),
    Column("stream_name", Text),
    Column("key_sha256", LargeBinary, nullable=False),
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
    Column("log_id", Integer, nullable=False),
    Column("key_id", Integer, nullable=False),
    Column("n", Integer, nullable=False),
    Column("partition_id", Integer, nullable=False),
    Column("system_name", Text, nullable=False),
    Column("stream_name", Text, nullable=False),
    Column("task_name", Text),
    PrimaryKeyConstraint("log_id", "key_id", "n"),
)


def _message_columns() -> list[Column[object]]:
    return [
        Column("log_offset", BigInteger, nullable=False),
        Column("record_time", TIMESTAMP),
        Column("message_time", TIMESTAMP, comment="the envelope's own timestamp"),
        Column("log_id", Integer, nullable=False),
        Column("key_id", Integer, nullable=False),
        Column("body", JSONB, comment="the decoded fields, secrets masked; null = delete"),
        Column("source", Text),
        Column("host", Text),
        Column("username", Text),
    ]


message_event = Table(
    "message_event", metadata, *_message_columns(), PrimaryKeyConstraint("log_id", "key_id", "log_offset")
)

message_current = Table(
    "message_current",
    metadata,
    *_message_columns(),
    PrimaryKeyConstraint("log_id", "key_id"),
    postgresql_with={"fillfactor": 50},
)

checkpoint_layout = Table(
    "checkpoint_layout",
    metadata,
    Column("log_id", Integer, nullable=False),
    Column("layout_id", Integer, nullable=False),
    Column("n", Integer, nullable=False, comment="place among the checkpoint's offsets, from 1"),
    Column("partition_id", Integer),
    Column("key_bucket", Integer),
    Column("is_state", Boolean, nullable=False),
    Column("system_name", Text),
    Column("stream_name", Text),
    Column("factory_name", Text),
    Column("store_name", Text),
    Column("marker_prefix", Text, comment="state marker = marker_prefix, offset, marker_suffix"),
    Column("marker_suffix", Text),
    Column("input_count", Integer, comment="in the row of place 1: how many of the offsets are of input partitions"),
    Column("input_streams", ARRAY(Text), comment="in the row of place 1: system.stream of each of these"),
    PrimaryKeyConstraint("log_id", "layout_id", "n"),
)


def _checkpoint_columns() -> list[Column[object]]:
    return [
        Column("log_offset", BigInteger, nullable=False),
        Column("record_time", TIMESTAMP),
        Column("log_id", Integer, nullable=False),
        Column("key_id", Integer, nullable=False),
        Column("layout_id", Integer, comment="names of the offsets; 0 = none, null = delete"),
        Column("checkpoint_id", Text),
        Column("offsets", Text, comment="U+001F between, U+001E = null"),
        Column("offsets_odd", ARRAY(Text), comment="instead of offsets where one of them holds these characters"),
    ]


checkpoint_event = Table(
    "checkpoint_event",
    metadata,
    *_checkpoint_columns(),
    Column(
        "other_version_time",
        TIMESTAMP,
        comment="record time of the task's newest event of the other version before; -infinity = none, or a delete; "
        "infinity = not to be held; null = a set-checkpoint",
    ),
    PrimaryKeyConstraint("log_id", "key_id", "log_offset"),
    postgresql_partition_by="RANGE (log_offset)",
)

suspect_checkpoint = Table(
    "suspect_checkpoint",
    metadata,
    Column("log_offset", BigInteger, nullable=False),
    Column("log_id", Integer, nullable=False),
    Column("key_id", Integer, nullable=False),
    Column(
        "may_be_lower",
        Boolean,
        nullable=False,
        comment="an offset may be lower than in the checkpoint before under the same key",
    ),
    Column(
        "may_be_unread",
        Boolean,
        nullable=False,
        comment="more than 5 minutes newer than the task's newest checkpoint of the other version, and the one before "
        "under the same key by at most an hour",
    ),
    PrimaryKeyConstraint("log_id", "log_offset", "key_id"),
)

checkpoint_current = Table(
    "checkpoint_current",
    metadata,
    *_checkpoint_columns(),
    PrimaryKeyConstraint("log_id", "key_id"),
    postgresql_with={"fillfactor": 50},
)

checkpoint_envelope = Table(
    "checkpoint_envelope",
    metadata,
    Column("log_offset", BigInteger, nullable=False),
    Column("message_time", TIMESTAMP),
    Column("log_id", Integer, nullable=False),
    Column("source", Text),
    Column("host", Text),
    Column("username", Text),
    PrimaryKeyConstraint("log_id", "log_offset"),
)

log_time = Table(
    "log_time",
    metadata,
    Column("log_offset", BigInteger, nullable=False),
    Column("log_time", TIMESTAMP, nullable=False),
    Column("log_id", Integer, nullable=False),
    PrimaryKeyConstraint("log_id", "log_offset"),
    Index(None, "log_id", "log_time", "log_offset"),
)

stream_holder = Table(
    "stream_holder",
    metadata,
    Column("stream_name", Text, primary_key=True),
    Column("lock_id", Integer, nullable=False, comment="second key of the advisory lock that the session holds"),
    Column(
        "backend_pid",
        Integer,
        nullable=False,
        comment="the session that took the stream last; it may have ended",
    ),
    Column("working_pid", Integer, comment="the session that writes its rows; null: the same one"),
    Column("taken_at", TIMESTAMP, nullable=False),
)

position = Table(
    "position",
    metadata,
    Column("log_id", Integer, primary_key=True, autoincrement=False),
    Column("next_offset", BigInteger, nullable=False),
    Column("end_offset", BigInteger, comment="the log's end when last seen; null = unknown"),
    Column("heartbeat_at", TIMESTAMP, nullable=False),
    Column("state", Text, nullable=False, comment="catching-up, live, replacing, refused or stopped"),
    Column("fold_version", Text, nullable=False),
    Column("read_at", TIMESTAMP, comment="when the log was last read to its end, or reading it began; null = unknown"),
    Column("resync_from", BigInteger, comment="position where a resync began that is not done; null = none"),
    Column("state_detail", Text, comment="why a log is not followed now; null = nothing to say"),
    Column(
        "rebuilds",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="rebuilds of the log: a projector that loaded its state before the last one must load it again",
    ),
    postgresql_with={"fillfactor": 50},
)

refused_stream = Table(
    "refused_stream",
    metadata,
    Column("stream_name", Text, primary_key=True),
    Column("stream_kind", Text, nullable=False),
    Column("job_suffix", Text, nullable=False),
    Column("job_name", Text, nullable=False),
    Column("job_id", Text, nullable=False),
    Column("job_bucket", Integer, nullable=False),
    Column("state_detail", Text, nullable=False),
    Column("heartbeat_at", TIMESTAMP, nullable=False),
)

gap = Table(
    "gap",
    metadata,
    Column("log_id", Integer, nullable=False),
    Column("first_offset", BigInteger, nullable=False),
    Column("last_offset", BigInteger, nullable=False),
    PrimaryKeyConstraint("log_id", "first_offset"),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("log_offset", BigInteger, nullable=False),
    Column("record_time", TIMESTAMP),
    Column("resolved_by", BigInteger, comment="offset of the readable value or tombstone that came after"),
    Column("log_id", Integer, nullable=False),
    Column("key_id", Integer, comment="null: the record has no key"),
    Column("value_bytes", Integer),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("key_text", Text, comment="the key as text, masked"),
    Column("value_fingerprint", Text),
    PrimaryKeyConstraint("log_id", "log_offset"),
    Index(None, "log_id", "key_id", postgresql_where="resolved_by IS NULL"),
)
