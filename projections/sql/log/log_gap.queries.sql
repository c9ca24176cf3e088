-- Which parts of this job's logs were lost before they were read?
-- May find nothing.
select stream_name, incarnation, first_missing_offset, last_missing_offset, reason
from coordinator.log_gap
where job_name = 'wordcount_pv' and job_id = '1' and reason = 'compacted'
order by stream_name, incarnation, first_missing_offset;

-- Which logs were truncated or re-created?
-- May find nothing.
select job_name, job_id, stream_name, incarnation, reason, first_missing_offset
from coordinator.log_gap
where reason in ('truncated', 'recreated')
order by job_name, job_id, stream_name, incarnation;

-- How many offsets are missing from each log?
-- May find nothing.
select stream_name, incarnation, sum(last_missing_offset - first_missing_offset + 1) as missing
from coordinator.log_gap
group by stream_name, incarnation
order by missing desc nulls first;
