-- Which changelog partition belongs to which task?
select task_name, changelog_partition
from coordinator.changelog_mapping
where job_name = 'wordcount_pv' and job_id = '1'
order by changelog_partition, task_name;

-- Do two tasks share a changelog partition, and overwrite each other's state?
-- May find nothing.
select job_name, job_id, changelog_partition, string_agg(task_name, ', ' order by task_name) as tasks
from coordinator.changelog_mapping
group by job_name, job_id, changelog_partition
having count(*) > 1;

-- How many changelog partitions does each job need?
select job_name, job_id, max(changelog_partition) + 1 as partitions_needed
from coordinator.changelog_mapping
group by job_name, job_id
order by partitions_needed desc;
