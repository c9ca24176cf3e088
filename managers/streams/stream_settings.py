"""The settings of the streams that a job creates, which its own config keys or those of a system set."""

from managers.job_names import Config


def setting_key(config: Config, system: str | None, setting: str, *own_keys: str) -> str:
    """The config key that decides a setting of a stream to create (KafkaConfig of Samza).

    The first of the stream's own keys that config has, otherwise the key for all streams created in the system.
    """
    return next((key for key in own_keys if key in config), f"systems.{system}.default.stream.{setting}")
