#!/usr/bin/env bash
# The demo (`make demo`): Spark replays a recorded Samza job into SQL relations, verifies and reads them.
# The commands are those that a user would run, on a database of its own below the data folder.
set -euo pipefail

recordings=$(cd "$(dirname "$0")/coordstream/data" && pwd)
unset COORDSTREAM_DATABASE_URL
COORDSTREAM_HOME=$(python -c 'from coordstream.settings import load_settings; print(load_settings().home / "demo")')
export COORDSTREAM_HOME
cd / # where no coordstream.toml names another database
coordstream down >/dev/null 2>&1 || true
rm -rf "$COORDSTREAM_HOME/postgres" # the database of the last demo, perhaps of another version
trap 'coordstream down' EXIT

step() { # a title, what it shows, and a command
    printf '\n\e[1m── %s\e[0m\n%s\n\e[36m$%s\e[0m\n' "$1" "$2" "$(printf ' %q' "${@:3}")"
    "${@:3}"
}

job=wordcount_pv
run_1_ended=2026-11-21T09:16:49.184Z # its last commit
requested=2026-11-21T09:16:59.993Z   # the last request before run 2
fanned_out=2026-11-21T09:17:04.969Z  # the last fan-out of run 2

step "Start Postgres and migrate it" "Everything of the demo is in $COORDSTREAM_HOME." coordstream up
step "Replay the two topics of a recorded job on Spark" \
    "An executor archives and folds each log, in one transaction with its position." \
    coordstream spark replay --from "$recordings"
step "Config: who changed what" \
    "Each of the four runs wrote every key again; these are the latest real changes." \
    coordstream config history $job --changes --limit 12
step "Each task's checkpoint now" "What was processed last, by input partition." coordstream checkpoint show $job
step "Each task's checkpoint at the end of run 1" "The same question as of a time in the recording." \
    coordstream checkpoint show $job --as-of $run_1_ended
step "The history of one task" "Each commit once, though the job wrote it in two versions." \
    coordstream checkpoint history $job --task "Partition 1" --preferred
step "Startpoints requested before run 2" "An operator requested other starting offsets for these tasks." \
    coordstream startpoint show $job --as-of $requested
step "How they were fanned out when run 2 started" \
    "One request can reach many tasks; where two compete, the newer one wins." \
    coordstream startpoint show $job --as-of $fanned_out
step "Where each task would start, as of before run 2" \
    "In SQL: a startpoint overrides a checkpoint. No offset is shown if only Kafka knows it." \
    coordstream psql -- -P pager=off -c "
select task_name, stream_name, partition_id, decided_by, startpoint_type, startpoint_value, starting_offset
from coordinator.starting_offset_as_of('$job', '1', '$requested') order by task_name, stream_name"
step "Verify it on Spark" "Every log is folded again, and its rows are compared with the tables." \
    coordstream spark verify $job
step "Let Spark draw the job's progress" "Over JDBC, all partitions in one snapshot; the folder will have a picture." \
    coordstream spark checkpoint_progress $job --output "$COORDSTREAM_HOME/checkpoint_progress" --overwrite

cat <<END

Try more in \`make shell\`, with COORDSTREAM_HOME=$COORDSTREAM_HOME:

  coordstream config history $job --changes --key 'task.*'
  coordstream checkpoint history $job --task 'Partition 7' --preferred
  coordstream psql -- -c 'select * from coordinator.commit_history order by record_time desc limit 5'
  coordstream down

END
