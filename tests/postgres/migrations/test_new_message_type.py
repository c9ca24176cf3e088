"""A message type with a relation of its own touches six files: they are changed in a copy of the product."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from coordstream.database import migrations_folder

PACKAGES: Final = ("eventlog", "projections", "coordstream", "managers", "spark_jobs", "migrations")
CHANGES: Final = {
    "eventlog/messages.py": {
        "class SetTaskPartitionMapping(": """class SetTaskOwner(NamedMessage, type="set-task-owner", key="task_name"):
    task_name: str
    owner: str


class SetTaskPartitionMapping(""",
        "    | SetTaskModeMapping\n": "    | SetTaskModeMapping\n    | SetTaskOwner\n",
        "        SetTaskModeMapping,\n": "        SetTaskModeMapping,\n        SetTaskOwner,\n",
    },
    "eventlog/wire/coordinator.py": {
        "    SetTaskModeMapping,\n": "    SetTaskModeMapping,\n    SetTaskOwner,\n",
        "        _text(SetTaskMode": '        _text(SetTaskOwner, "owner", "owner"),\n        _text(SetTaskMode',
    },
    "projections/relations.py": {'    "task_mode": (': '    "task_owner": ("key_id",),\n    "task_mode": ('},
}
ADDED: Final = {
    "migrations/versions/0002_task_owner.py": '''
from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


def upgrade() -> None:
    op.execute("""
        create table projection.task_owner (
            log_offset bigint not null, record_time timestamptz, message_time timestamptz,
            log_id integer not null, key_id integer not null, task_name text not null, owner text,
            source text, host text, username text, constraint pk_task_owner primary key (log_id, key_id))""")
''',
    "projections/sql/assignment/task_owner.sql": """
create function projection.task_owner_at(log_id integer, cut bigint, keys integer[])
returns setof projection.task_owner language sql stable as $$
  select m.log_offset, m.record_time, m.message_time, m.log_id, m.key_id, m.message_key, m.body ->> 'owner',
    m.source, m.host, m.username
  from projection.message_head($1, $2, 'set-task-owner', $3) m
$$;
create view coordinator.task_owner as
select j.job_name, j.job_id, j.job_bucket, r.task_name, r.owner,
  r.record_time, r.message_time, r.source, r.host, r.username, j.stream_kind, j.incarnation, r.log_offset
from projection.job_log j join projection.task_owner r on r.log_id = j.log_id
where j.is_current;
""",
    "projections/sql/assignment/task_owner.queries.sql": "-- Who owns a task?\nselect * from coordinator.task_owner;\n",
}
USE: Final = """
import json, sys
from coordstream.migrate import upgrade
from eventlog.postgres.connection import connect
from eventlog.messages import SetTaskOwner
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.builders import message, recorded
from tests.fixtures.properties.importing import SETTINGS, import_events

url, stream_name = sys.argv[1], "__samza_coordinator_orders_1"
upgrade(url)
with connect(url) as connection:
    events = [message(SetTaskOwner(task_name="Partition 0", owner=owner)) for owner in ("ann", "bob")]
    import_events(connection, stream_name, recorded(events))
    shown = [
        connection.execute(query).fetchall()
        for query in (
            "select task_name, owner from coordinator.task_owner",
            "select owner from coordinator.task_owner_as_of_offset('orders', '1', 0)",
        )
    ]
    verified = verify_log(connection, logs_of(connection, stream_name)[0], SETTINGS)
print(json.dumps([*shown, verified.is_equal]))
"""


def test_a_message_type_with_a_relation_touches_six_files(empty_database_url: str, tmp_path: Path) -> None:
    assert len(CHANGES) + len(ADDED) == 6
    product = migrations_folder().parent
    for package in PACKAGES:
        shutil.copytree(product / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, changes in CHANGES.items():
        text = (tmp_path / name).read_text()
        for old, new in changes.items():
            assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
    for name, text in ADDED.items():
        (tmp_path / name).write_text(text)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(product)))}
    command = [sys.executable, "-c", USE, empty_database_url]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[["Partition 0", "bob"]], [["ann"]], True]
