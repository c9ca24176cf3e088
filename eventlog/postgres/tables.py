"""Tables of the schema ``eventlog``.

Triggers on ``event`` and ``observation`` refuse UPDATE, DELETE and TRUNCATE. ``event`` is partitioned by offset range:
that costs nothing when loading, and old ranges can be detached.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

NAMING_CONVENTION = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}

metadata = MetaData(schema="eventlog", naming_convention=NAMING_CONVENTION)

TIMESTAMP = DateTime(timezone=True)

log = Table(
    "log",
    metadata,
    Column("log_id", Integer, Identity(always=True), primary_key=True),
    Column("backend", Text, nullable=False, comment="kafka, postgres or recording"),
    Column("cluster_id", Text, comment="the Kafka cluster; null: a log of Postgres, or a recording"),
    Column("stream_name", Text, nullable=False),
    Column("stream_kind", Text, nullable=False, comment="coordinator or checkpoint"),
    Column("incarnation", Integer, nullable=False),
    Column("topic_id", Text, comment="changes when a topic is re-created; null: no topic"),
    Column("created_at", TIMESTAMP, nullable=False),
    UniqueConstraint("stream_name", "incarnation"),
)

log_head = Table(
    "log_head",
    metadata,
    Column("log_id", Integer, primary_key=True, autoincrement=False),
    Column("next_offset", BigInteger, nullable=False),
)

event = Table(
    "event",
    metadata,
    Column("log_offset", BigInteger, nullable=False),
    Column("record_time", TIMESTAMP, comment="null where timestamptz cannot hold the record's time"),
    Column("archived_at", TIMESTAMP, nullable=False),
    Column("unheld_timestamp", BigInteger, comment="the record's time in ms where record_time cannot hold it"),
    Column("log_id", Integer, nullable=False),
    Column("leader_epoch", Integer),
    Column("timestamp_type", SmallInteger, nullable=False, server_default=text("0")),
    Column("headers", JSONB, comment="list of [name, base64 of the value or null]"),
    Column("key", LargeBinary),  # n_distinct is 10 (revision 0011), which metadata cannot express
    Column("value", LargeBinary),
    PrimaryKeyConstraint("log_id", "log_offset"),
    postgresql_partition_by="RANGE (log_offset)",
)

observation = Table(
    "observation",
    metadata,
    Column("observation_id", BigInteger, Identity(always=True), primary_key=True),
    Column("log_id", Integer, nullable=False),
    Column("at_offset", BigInteger, nullable=False),
    Column("kind", Text, nullable=False, comment="gap, swept, truncated or recreated"),
    Column("key", LargeBinary),
    Column("from_offset", BigInteger),
    Column("to_offset", BigInteger),
    Column("observed_at", TIMESTAMP, nullable=False),
    Index(None, "log_id", "at_offset"),
)

held_name = Table("held_name", metadata, Column("name", Text, primary_key=True))

relation_object = Table(
    "relation_object",
    metadata,
    Column("object", Text, primary_key=True),
    comment="the views and functions that a migration created: the next one replaces these, and no others",
)

horizon = Table(
    "horizon",
    metadata,
    Column("log_id", Integer, nullable=False),
    Column(
        "retention_number",
        Integer,
        nullable=False,
        comment="the retention that detached events of the log; the names of its detached tables end with this number",
    ),
    Column(
        "horizon_offset",
        BigInteger,
        nullable=False,
        comment="below it, the archive has only what the state at this offset needs",
    ),
    Column("horizon_time", TIMESTAMP, nullable=False, comment="the time that was given as the horizon"),
    PrimaryKeyConstraint("log_id", "retention_number"),
)

retired_stream = Table(
    "retired_stream",
    metadata,
    Column("stream_name", Text, primary_key=True),
    Column("retired_at", TIMESTAMP, nullable=False),
    comment="streams whose logs are kept, but which nothing is expected to follow",
)

input_bound = Table(
    "input_bound",
    metadata,
    Column("job_suffix", Text, nullable=False, comment="as in job_log"),
    Column("system_name", Text, nullable=False),
    Column("stream_name", Text, nullable=False),
    Column("partition_id", Integer, nullable=False),
    Column("oldest_offset", BigInteger),
    Column("end_offset", BigInteger),
    Column("end_record_time", TIMESTAMP),
    Column("observed_at", TIMESTAMP, nullable=False),
    PrimaryKeyConstraint("job_suffix", "system_name", "stream_name", "partition_id", "observed_at"),
    Index(
        "ix_input_bound_end_offset",
        *("job_suffix", "system_name", "stream_name", "partition_id", "end_offset", "observed_at"),
    ),
)
