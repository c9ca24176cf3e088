-- The config keys that decide which task reads which partition, with what Samza takes where they are not set. Changelogs of stores
-- may be set only once too. The same list as managers.config.write_once.DEFAULTS.
create function projection.write_once_default() returns table (config_key text, config_value text) language sql immutable parallel safe as $$
  values ('job.elasticity.factor', '1'),
         ('job.system.stream.partition.mapper.factory', 'org.apache.samza.container.grouper.stream.HashSystemStreamPartitionMapperFactory'),
         ('job.systemstreampartition.grouper.factory', 'org.apache.samza.container.grouper.stream.GroupByPartitionFactory'),
         ('task.name.grouper.factory', 'org.apache.samza.container.grouper.task.GroupByContainerCountFactory')
$$;
