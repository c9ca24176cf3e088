"""What the data source needs to reach logs and to mask secrets; it travels inside pickles, never in Spark's options."""

from dataclasses import dataclass, field

from eventlog.kafka.options import KafkaOptions, require_brokers
from eventlog.secret_policy import SecretPolicy
from spark_jobs.errors import SparkJobError


@dataclass(frozen=True)
class Access:
    """The database and the brokers, each None if unknown, and what is a secret. `repr` shows no secret."""

    secrets: SecretPolicy
    database_url: str | None = field(default=None, repr=False)
    kafka: KafkaOptions | None = None

    def require_database(self) -> str:
        """The database's URL. Raises SparkJobError if it is unknown."""
        if self.database_url is None:
            raise SparkJobError("No database URL. Set COORDSTREAM_DATABASE_URL.")
        return self.database_url

    def require_kafka(self) -> KafkaOptions:
        """How to reach the brokers. Raises BrokersMissing if they are unknown."""
        return require_brokers(self.kafka)
