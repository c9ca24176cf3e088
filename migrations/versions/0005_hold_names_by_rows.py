"""hold names by rows."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Advisory locks ask for no privilege, so any login of the database could hold one that we wait for. Rows do.
HOLD = """
create table eventlog.held_name (
    name text not null,
    constraint pk_held_name primary key (name)
);
create function eventlog.hold(held_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    insert into eventlog.held_name (name) values (held_name) on conflict do nothing;
    perform from eventlog.held_name h where h.name = held_name for update;
end $$;
comment on function eventlog.hold is
    'Waits until no other transaction holds a name, and holds it until the end of this one.';
revoke all on function eventlog.hold from public;
"""

STREAM_HOLDER = """
create table projection.stream_holder (
    stream_name text not null,
    lock_id integer not null,
    backend_pid integer not null,
    working_pid integer,
    taken_at timestamptz not null,
    constraint pk_stream_holder primary key (stream_name)
);
comment on column projection.stream_holder.lock_id is 'second key of the advisory lock that the session holds';
comment on column projection.stream_holder.backend_pid is 'the session that took the stream last; it may have ended';
comment on column projection.stream_holder.working_pid is 'the session that writes its rows; null: the same one';
"""

# to_regclass may answer from a cache that misses what another session just made, hence the second look.
ENSURE_PARTITION = """
create or replace function eventlog.ensure_partition(schema_name text, table_name text, first_offset bigint)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    width constant bigint := 10000000;
    partition_name constant text := format('%s_from_%s', table_name, first_offset);
    upper_bound constant text := case when first_offset > 9223372036854775807 - width then 'maxvalue'
                                      else (first_offset + width)::text end;
begin
    if to_regclass(format('%I.%I', schema_name, partition_name)) is not null then
        return;
    end if;
    LOCK
    if exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where n.nspname = schema_name and c.relname = partition_name) then
        return;
    end if;
    execute format('create table %1$I.%2$I (like %1$I.%3$I including all)', schema_name, partition_name, table_name);
    execute format('alter table %1$I.%3$I attach partition %1$I.%2$I for values from (%4$s) to (%5$s)',
                   schema_name, partition_name, table_name, first_offset, upper_bound);
    if schema_name = 'eventlog' then
        execute format('create trigger no_truncate before truncate on %I.%I for each statement '
                       'execute function eventlog.refuse()', schema_name, partition_name);
    end if;
end $$;
"""
BY_TABLE = "execute format('lock table %I.%I in share update exclusive mode', schema_name, table_name);"
BY_NUMBER = "perform pg_advisory_xact_lock(1885434484);"


def upgrade() -> None:
    """Let rows and tables be held where anybody could hold an advisory lock, and write down who holds a stream."""
    op.execute(HOLD)
    op.execute(STREAM_HOLDER)
    op.execute(ENSURE_PARTITION.replace("LOCK", BY_TABLE))


def downgrade() -> None:
    """Go back to advisory locks."""
    op.execute(ENSURE_PARTITION.replace("LOCK", BY_NUMBER))
    op.execute("drop table projection.stream_holder; drop function eventlog.hold; drop table eventlog.held_name")
