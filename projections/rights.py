"""Who may read and call what: the roles, and which of their rights a database lacks.

Rights are judged by asking Postgres for them, since a dump may have been restored without its grants or its roles.
"""

from typing import Final

from eventlog.postgres.connection import Connection

READER: Final = "coordstream_reader"

_CREATE_ROLES: Final = """
do $$ -- roles belong to the cluster, so another database may have made them already, or be making them at this moment
declare
  missing constant text[] := array(
    select wanted from unnest(array['coordstream_reader', 'coordstream_replayer', 'coordstream_writer']) as wanted
    where not exists (select from pg_roles where rolname = wanted) order by wanted);
  wanted text;
begin
  foreach wanted in array missing loop
    begin
      execute format('create role %I nologin', wanted);
    exception when duplicate_object or unique_violation then null;
    end;
  end loop;
exception when insufficient_privilege then
  raise insufficient_privilege using message = format(
    'the roles %s are missing and this user may not create roles: let an administrator run "%s", then migrate '
    'again', array_to_string(missing, ', '),
    (select string_agg(format('create role %I nologin admin %I;', m, current_user), ' ') from unnest(missing) as m));
end $$
"""

_MISSING: Final = """
with granted (role, schema) as (values
  ('coordstream_reader', 'projection'), ('coordstream_reader', 'coordinator'), ('coordstream_replayer', 'projection'),
  ('coordstream_replayer', 'coordinator'), ('coordstream_replayer', 'eventlog'), ('coordstream_writer', 'eventlog')
), relation as (
  select n.nspname as schema, c.oid, format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'p', 'v')
     or n.nspname = 'coordinator' and format('view %I.%I', n.nspname, c.relname) in (table eventlog.relation_object)
), called as (
  select n.nspname as schema, p.oid, o.identity as name, p.provolatile <> 'v' as is_reading, p.proname,
    has_function_privilege('public', p.oid, 'execute') as is_public
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  cross join pg_identify_object('pg_proc'::regclass, p.oid, 0) o
  where n.nspname in ('eventlog', 'projection')
     or n.nspname = 'coordinator' and format('%s %s', o.type, o.identity) in (table eventlog.relation_object)
)
select format('revoke all on schema %I from public', s.schema) from (select distinct g.schema from granted g) s
where has_schema_privilege('public', s.schema, 'usage, create')
union all
select format('grant usage on schema %I to %I', g.schema, g.role) from granted g
where not has_schema_privilege(g.role, g.schema, 'usage')
union all
select format('grant select on %s to %I', r.name, g.role) from relation r join granted g using (schema)
where not has_table_privilege(g.role, r.oid, 'select')
union all
select format('revoke all on function %s from public', c.name) from called c where c.is_public
union all -- those of the projection that write are for followers only, who own them
select format('grant execute on function %s to %I', c.name, g.role) from called c join granted g using (schema)
where (c.schema = 'coordinator' or c.schema = 'projection' and c.is_reading
       or c.schema = 'eventlog' and c.proname = 'append' and g.role = 'coordstream_writer')
  and (c.is_public or not has_function_privilege(g.role, c.oid, 'execute'))
union all -- of partitions that are made later
select format('alter default privileges for role %I in schema %I grant select on tables to %I',
              o.rolname, g.schema, g.role)
from granted g join pg_class e on e.oid = 'eventlog.event'::regclass join pg_roles o on o.oid = e.relowner
where g.schema <> 'coordinator' and not exists (
  select from pg_default_acl d cross join aclexplode(d.defaclacl) a
  where d.defaclrole = o.oid and d.defaclnamespace = to_regnamespace(g.schema) and d.defaclobjtype = 'r'
    and a.grantee = to_regrole(g.role) and a.privilege_type = 'SELECT')
union all -- who has created a role may grant it, but not take it, as `serve` does
select format('grant coordstream_reader to %I with inherit false, set true', current_user)
where not pg_has_role('coordstream_reader', 'set') and pg_has_role('coordstream_reader', 'member with admin option')
order by 1
"""


def grant_missing_rights(connection: Connection) -> bool:
    """Create the roles, and grant them what they lack of their rights; whether anything was missing.

    Objects of a user in the schema ``coordinator`` are left alone. Raises InsufficientPrivilege: something is missing,
    and this user may not grant it.
    """
    connection.execute(_CREATE_ROLES)
    statements = [statement for (statement,) in connection.execute(_MISSING).fetchall()]
    if statements:
        connection.execute("; ".join(statements).encode())
    return bool(statements)
