-- Which anomalies do the logs of this job have?
-- May find nothing.
select record_time, anomaly, subject, detail, log_offset
from coordinator.anomaly
where job_name = 'wordcount_pv' and job_id = '1'
order by record_time, log_offset;

-- The same since yesterday, reading only the new part of the logs.
-- May find nothing.
select record_time, anomaly, subject, detail
from coordinator.anomaly_between('wordcount_pv', '1', now() - interval '1 day', null)
order by record_time, log_offset;

-- How many anomalies of each kind has the fleet had recently?
-- May find nothing.
select anomaly, count(*) as times, max(record_time) as last_at
from coordinator.anomaly
group by anomaly
order by times desc;

-- Who wrote the events that show anomalies?
-- May find nothing.
select job_name, job_id, anomaly, subject, source, host, username, log_offset
from coordinator.anomaly
where source is not null
order by job_name, job_id, log_offset;
