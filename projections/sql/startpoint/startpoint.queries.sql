-- Which startpoints will the next start fan out?
select system_name, stream_name, partition_id, coalesce(task_name, 'every task') as for_task, startpoint_type, startpoint_value,
  created_at, is_expired
from coordinator.startpoint
where job_name = 'wordcount_pv' and job_id = '1'
order by stream_name, partition_id, for_task;

-- Which requested startpoints have no effect, because no task reads their partition?
select s.system_name, s.stream_name, s.partition_id, s.task_name, s.created_at
from coordinator.startpoint s
where s.job_name = 'wordcount_pv' and s.job_id = '1' and not exists (
  select from coordinator.task_partition p
  where (p.job_name, p.job_id, p.system_name, p.stream_name, p.partition_id)
      = (s.job_name, s.job_id, s.system_name, s.stream_name, s.partition_id)
    and (s.task_name is null or p.task_name = s.task_name))
order by s.stream_name, s.partition_id;

-- Which startpoints were pending at a given time, and when would they expire?
select stream_name, partition_id, task_name, startpoint_type, startpoint_value, expires_at
from coordinator.startpoint_as_of('wordcount_pv', '1', '2026-11-21 09:17:01+00')
where not is_expired
order by stream_name, partition_id, task_name;
