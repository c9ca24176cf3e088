"""The relations of the schema ``coordinator`` for SQLAlchemy, each under its name.

After ``from coordstream.relations import checkpoint``, use ``select(checkpoint.c.task_name)`` and ``join``. Types
are `Text`, `BigInteger`, `Integer`, `Boolean` and `DateTime` with a time zone. The relations are views, so they are
table clauses without a `MetaData`: `create_all` cannot create tables in their place. docs/relations.md describes each
relation and column.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Integer,
    TableClause,
    TableValuedAlias,
    Text,
    column,
    func,
    literal,
    table,
)
from sqlalchemy.types import TypeEngine

SCHEMA: Final = "coordinator"
RELATIONS: Final[dict[str, TableClause]] = {}
"""Every relation by its name."""

_JOB: Final = "job_name job_id job_bucket"
_INPUT: Final = "system_name stream_name partition_id key_bucket"
_EVENT: Final = "record_time message_time source host username stream_kind incarnation log_offset"
_VALID: Final = "valid_from valid_to from_log_offset to_log_offset incarnation"
_LOG: Final = "stream_name stream_kind incarnation"
_TIME: Final = DateTime(timezone=True)
_BIGINTS: Final = (
    "age_seconds arriving_per_hour arriving_per_second checkpoint_log_offset commits_since_change config_count "
    "container_count end_offset first_log_offset first_missing_offset from_log_offset horizon_offset "
    "input_offset_number lag last_log_offset last_missing_offset last_records_behind log_offset next_offset "
    "oldest_offset processed_per_hour processed_per_second records_again records_behind records_lost "
    "records_skipped seconds_behind seconds_to_catch_up startpoint_log_offset task_count to_log_offset"
)
_INTEGERS: Final = (
    "changelog_partition checkpoint_version deployment_number incarnation job_bucket key_bucket keys_changed "
    "keys_deleted keys_set partition_count partition_id run_number value_bytes"
)
_BOOLEANS: Final = "is_ambiguous is_expired is_lower_bound is_preferred is_resolved is_sensitive"
_TIMES: Final = (
    "changed_at created_at end_record_time expires_at fanned_out_at first_record_time heartbeat_at horizon_time "
    "last_known_at last_record_time log_time message_time observed_at record_time valid_from valid_to"
)
_TYPES: Final[dict[str, TypeEngine[Any]]] = {
    **dict.fromkeys(_BIGINTS.split(), BigInteger()),
    **dict.fromkeys(_INTEGERS.split(), Integer()),
    **dict.fromkeys(_BOOLEANS.split(), Boolean()),
    **dict.fromkeys(_TIMES.split(), _TIME),
}
"""The type of a column by its name, which is the same in every relation; `Text` where it is not named."""


def _relation(name: str, columns: str) -> TableClause:
    names = f"{_JOB} {columns}".split()
    RELATIONS[name] = table(name, *(column(each, _TYPES.get(each, Text())) for each in names), schema=SCHEMA)
    return RELATIONS[name]


_CHECKPOINT: Final = f"task_name {_INPUT} input_offset input_offset_number checkpoint_id checkpoint_version origin"
_STATE: Final = (
    "task_name store_name factory_name marker changelog_system changelog_stream changelog_partition changelog_offset "
    "checkpoint_id checkpoint_version"
)
_METADATA: Final = "cluster_type epoch_id config_id job_model_id"

anomaly = _relation("anomaly", f"anomaly subject detail {_EVENT}")
changelog_mapping = _relation("changelog_mapping", f"task_name changelog_partition {_EVENT}")
changelog_mapping_history = _relation("changelog_mapping_history", f"task_name changelog_partition operation {_EVENT}")
checkpoint = _relation("checkpoint", f"{_CHECKPOINT} {_EVENT}")
checkpoint_history = _relation("checkpoint_history", f"{_CHECKPOINT} grouper_factory operation is_preferred {_EVENT}")
commit_history = _relation(
    "commit_history", f"task_name checkpoint_version checkpoint_id is_preferred partition_count {_EVENT}"
)
config = _relation("config", f"config_key config_value is_sensitive {_EVENT}")
config_change = _relation("config_change", f"config_key previous_value config_value operation {_EVENT}")
config_deployment = _relation(
    "config_deployment",
    "deployment_number source host username first_record_time last_record_time first_log_offset last_log_offset "
    "keys_set keys_changed keys_deleted run_number incarnation",
)
config_history = _relation("config_history", f"config_key config_value is_sensitive operation {_EVENT}")
config_validity = _relation("config_validity", f"config_key config_value is_sensitive {_VALID}")
container_execution = _relation("container_execution", f"container_id execution_container_id {_EVENT}")
container_execution_history = _relation(
    "container_execution_history", f"container_id execution_container_id operation {_EVENT}"
)
container_host = _relation("container_host", f"container_id host_name jmx_url jmx_tunneling_url {_EVENT}")
container_host_history = _relation(
    "container_host_history", f"container_id host_name jmx_url jmx_tunneling_url operation {_EVENT}"
)
container_host_validity = _relation(
    "container_host_validity", f"container_id host_name jmx_url jmx_tunneling_url {_VALID}"
)
event = _relation(
    "event",
    "message_type message_key operation value_bytes "
    "record_time log_time message_time source host username stream_kind incarnation log_offset",
)
input_bound = _relation(
    "input_bound",
    "system_name stream_name partition_id oldest_offset end_offset end_record_time observed_at",
)
job = _relation(
    "job",
    "coordinator_stream checkpoint_stream config_count task_count container_count first_record_time last_record_time",
)
job_coordinator_metadata = _relation("job_coordinator_metadata", f"{_METADATA} {_EVENT}")
job_coordinator_metadata_history = _relation("job_coordinator_metadata_history", f"{_METADATA} operation {_EVENT}")
log_gap = _relation("log_gap", f"{_LOG} first_missing_offset last_missing_offset reason")
log_position = _relation(
    "log_position",
    f"{_LOG} next_offset end_offset lag state state_detail heartbeat_at fold_version horizon_offset horizon_time",
)
other_message = _relation("other_message", f"message_type message_key message_value {_EVENT}")
quarantine = _relation(
    "quarantine", f"stream_name reason detail key_text value_bytes value_fingerprint is_resolved {_EVENT}"
)
rewind = _relation(
    "rewind",
    f"task_name {_INPUT} startpoint_type startpoint_value created_at fanned_out_at status previous_offset input_offset "
    f"records_again records_skipped {_EVENT}",
)
starting_offset = _relation(
    "starting_offset",
    f"task_name {_INPUT} decided_by startpoint_type startpoint_value starting_offset startpoint_log_offset "
    "checkpoint_log_offset ignored_reason assigned_by",
)
startpoint = _relation(
    "startpoint",
    f"{_INPUT} task_name startpoint_type startpoint_value created_at expires_at is_expired is_ambiguous {_EVENT}",
)
startpoint_fan_out = _relation(
    "startpoint_fan_out", f"task_name {_INPUT} startpoint_type startpoint_value created_at fanned_out_at {_EVENT}"
)
startpoint_history = _relation(
    "startpoint_history", f"{_INPUT} task_name startpoint_type startpoint_value created_at status {_EVENT}"
)
state_checkpoint = _relation("state_checkpoint", f"{_STATE} {_EVENT}")
state_checkpoint_history = _relation("state_checkpoint_history", f"{_STATE} operation is_preferred {_EVENT}")
state_lag = _relation(
    "state_lag",
    "task_name store_name factory_name marker changelog_system changelog_stream changelog_partition changelog_offset "
    f"commits_since_change changed_at age_seconds {_EVENT}",
)
task_container = _relation("task_container", f"task_name container_id {_EVENT}")
task_container_history = _relation("task_container_history", f"task_name container_id operation {_EVENT}")
task_container_validity = _relation("task_container_validity", f"task_name container_id {_VALID}")
task_lag = _relation(
    "task_lag",
    f"task_name {_INPUT} input_offset end_offset records_behind records_lost seconds_behind is_lower_bound "
    "processed_per_second arriving_per_second processed_per_hour arriving_per_hour seconds_to_catch_up observed_at "
    "last_records_behind last_known_at",
)
task_mode = _relation("task_mode", f"task_name task_mode {_EVENT}")
task_mode_history = _relation("task_mode_history", f"task_name task_mode operation {_EVENT}")
task_partition = _relation("task_partition", f"{_INPUT} task_name {_EVENT}")
task_partition_history = _relation("task_partition_history", f"{_INPUT} task_name operation {_EVENT}")
task_partition_validity = _relation("task_partition_validity", f"{_INPUT} task_name {_VALID}")


def as_of(relation: TableClause, job_name: str, job_id: str, at: datetime) -> TableValuedAlias:
    """The rows of a relation for one job as they were at a time: its ``_as_of`` function.

    Raises:
        ValueError: the time has no zone.
    """
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone: expected one, such as datetime(2026, 1, 31, tzinfo=UTC)")
    return _rows_of(f"{relation.name}_as_of", relation, job_name, job_id, literal(at, _TIME))


def as_of_offset(
    relation: TableClause,
    job_name: str,
    job_id: str,
    log_offset: int,
    stream_kind: str | None = None,
    incarnation: int | None = None,
) -> TableValuedAlias:
    """The rows of a relation for one job as they were after the event at an offset: its ``_as_of_offset`` function.

    ``stream_kind`` None is the log that the relation is made from, ``incarnation`` None the current one.
    """
    given = (literal(log_offset, BigInteger()), literal(stream_kind, Text()), literal(incarnation, Integer()))
    return _rows_of(f"{relation.name}_as_of_offset", relation, job_name, job_id, *given)


def _rows_of(function: str, relation: TableClause, *arguments: object) -> TableValuedAlias:
    rows = getattr(getattr(func, SCHEMA), function)(*arguments)
    alias: TableValuedAlias = rows.table_valued(*(column(each.name, each.type) for each in relation.c))
    return alias.alias(relation.name)
