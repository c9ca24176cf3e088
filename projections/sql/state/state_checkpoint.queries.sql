-- Up to which changelog offset would each store be restored?
select task_name, store_name, changelog_stream, changelog_partition, changelog_offset, record_time
from coordinator.state_checkpoint
where job_name = 'wordcount_pv' and job_id = '1'
order by task_name, store_name;

-- Which stores of the fleet are backed up by which backend?
select job_name, job_id, store_name, factory_name, count(*) as tasks
from coordinator.state_checkpoint
group by job_name, job_id, store_name, factory_name
order by job_name, job_id, store_name;

-- Do the checkpoint and the changelog mapping agree on each task's changelog partition?
select s.task_name, s.store_name, s.changelog_partition as committed, m.changelog_partition as mapped,
  s.changelog_partition = m.changelog_partition as do_agree
from coordinator.state_checkpoint s
left join coordinator.changelog_mapping m using (job_name, job_id, task_name)
where s.job_name = 'wordcount_pv' and s.job_id = '1'
order by do_agree, s.task_name;
