-- How did a store's changelog grow with each commit?
select log_offset, record_time, checkpoint_id, changelog_offset
from coordinator.state_checkpoint_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0' and store_name = 'counts' and is_preferred
order by incarnation, log_offset;

-- Which commits of a task were made while its changelog was still empty?
select task_name, store_name, log_offset, record_time, checkpoint_id
from coordinator.state_checkpoint_history
where job_name = 'wordcount_pv' and job_id = '1' and changelog_stream is not null and changelog_offset is null and is_preferred
order by incarnation, log_offset;

-- What was the marker of a store at one commit, in both versions?
select checkpoint_version, log_offset, changelog_offset, marker
from coordinator.state_checkpoint_history
where job_name = 'wordcount_pv' and job_id = '1' and task_name = 'Partition 0' and checkpoint_id = '1795252692841-347394'
order by checkpoint_version;
