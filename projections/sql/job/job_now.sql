-- Every job with its current logs: a row a job.
create view projection.job_now as
select j.job_name, j.job_id, j.job_bucket, j.job_suffix,
       max(j.log_id) filter (where j.stream_kind = 'coordinator') as coordinator_log,
       max(j.incarnation) filter (where j.stream_kind = 'coordinator') as coordinator_incarnation,
       max(j.log_id) filter (where j.stream_kind = 'checkpoint') as checkpoint_log,
       max(j.incarnation) filter (where j.stream_kind = 'checkpoint') as checkpoint_incarnation
from projection.job_log j
where j.is_current
group by j.job_name, j.job_id, j.job_bucket, j.job_suffix;
