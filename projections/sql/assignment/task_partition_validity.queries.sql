-- Which tasks have read a partition, and when?
select task_name, valid_from, valid_to
from coordinator.task_partition_validity
where job_name = 'wordcount_pv' and job_id = '1' and stream_name = 'page-views' and partition_id = 0
order by incarnation, from_log_offset;

-- What did a task read at a given time?
select system_name, stream_name, partition_id, valid_from
from coordinator.task_partition_validity
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0'
  and valid_from <= '2026-11-21 09:17:01+00' and (valid_to > '2026-11-21 09:17:01+00' or valid_to is null)
order by system_name, stream_name, partition_id;

-- In which container was each partition read, and when?
select p.system_name, p.stream_name, p.partition_id, c.container_id,
  greatest(p.valid_from, c.valid_from) as read_from, least(p.valid_to, c.valid_to) as read_to
from coordinator.task_partition_validity p
join coordinator.task_container_validity c using (job_name, job_id, incarnation, task_name)
where p.job_name = 'wordcount_pv' and p.job_id = '1'
  and p.valid_from < coalesce(c.valid_to, 'infinity') and c.valid_from < coalesce(p.valid_to, 'infinity')
order by p.system_name, p.stream_name, p.partition_id, read_from;
