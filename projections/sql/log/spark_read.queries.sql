-- Which receipts did reads of this job leave?
-- May find nothing.
select distinct spark_read_id, read_at, read_by, application, relation_name, row_count
from coordinator.spark_read
where job_name = 'wordcount_pv' and job_id = '1'
order by spark_read_id desc;

-- How many events have been added to each log since the newest receipt?
-- May find nothing.
select r.spark_read_id, r.stream_name, p.next_offset - r.next_offset as newer_events
from coordinator.spark_read r
join coordinator.log_position p using (job_name, job_id, stream_name, incarnation)
where r.spark_read_id = (select max(spark_read_id) from coordinator.spark_read)
order by r.stream_name;

-- Which receipts can no longer be read again because of a retention?
-- May find nothing.
select distinct r.spark_read_id, r.relation_name, r.stream_name, r.next_offset, p.horizon_offset
from coordinator.spark_read r
join coordinator.log_position p using (job_name, job_id, stream_name, incarnation)
where p.horizon_offset >= r.next_offset
order by r.spark_read_id;
