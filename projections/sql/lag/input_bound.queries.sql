-- How many records does each input partition of a job hold?
-- May find nothing.
select distinct on (system_name, stream_name, partition_id) stream_name, partition_id, end_offset - oldest_offset as records, observed_at
from coordinator.input_bound
where job_name = 'wordcount_pv' and job_id = '1'
order by system_name, stream_name, partition_id, observed_at desc;

-- How many records did each input of a job get per hour?
-- May find nothing.
select stream_name, date_trunc('hour', observed_at) as hour, sum(grown) as records
from (
  select stream_name, observed_at,
    end_offset - lag(end_offset) over (partition by system_name, stream_name, partition_id order by observed_at) as grown
  from coordinator.input_bound where job_name = 'wordcount_pv' and job_id = '1') bound
group by stream_name, hour
order by stream_name, hour;

-- Which inputs could not be asked last time?
-- May find nothing.
select distinct job_name, job_id, system_name, stream_name, observed_at
from coordinator.input_bound b
where end_offset is null
  and observed_at = (select max(m.observed_at) from coordinator.input_bound m where m.job_name = b.job_name and m.job_id = b.job_id);
