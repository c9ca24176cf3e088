"""The behaviours of Samza that tests show: ``@pytest.mark.scenario("CON-01")`` marks the test of one.

A group of ids is a subject; after it stand the classes of Samza that have the behaviour.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
SCENARIOS: Final = {
    # Messages: CoordinatorStreamMessage, CoordinatorStreamKeySerde, CoordinatorStreamValueSerde
    "MSG-01": "A new message has version 1, a user and a time, and a message made from its parts equals it.",
    "MSG-02": "A message without a map is a delete, and can be constructed.",
    "MSG-03": "A SetConfig has its type, key, value and version 1, and is no delete.",
    "MSG-04": "A Delete has the key of what it deletes and a null value.",
    "MSG-05": "Messages are equal if delete flag, key and values are; time, host and source do not count.",
    "MSG-07": "A typed message over a tombstone has no value, and raises nothing.",
    "MSG-08": "Key bytes are compact JSON: version, type, key, without white space.",
    "MSG-09": "Key bytes escape what Samza escapes; other characters are UTF-8, slashes and HTML included.",
    "MSG-10": "Control characters in a key are escaped with upper-case hexadecimal digits.",
    "MSG-12": "The values of each message type have Samza's names, and are texts.",
    "MSG-13": "The documented names partition and hostname are read too; only Partition and host are written.",
    "MSG-20": "The source of a message tells which program wrote it, Unknown if it did not say.",
    # The consumer of the coordinator stream: CoordinatorStreamSystemConsumer
    "CON-01": "Config after a bootstrap has no deleted key, and its reader is registered, started and stopped once.",
    "CON-02": "Config before the bootstrap is an error.",
    "CON-03": "Registering again after the start does not read from the oldest offset again.",
    "CON-04": "A message that is written again moves to the end: the last one of a key is the current one.",
    "CON-05": "A missing topic, stream or partition 0 is an error of its own, and nothing is read.",
    "CON-07": "A second start does nothing.",
    "CON-08": "Each read of a type catches up with the log first; the type's case does not matter.",
    # The producer and the writer: CoordinatorStreamSystemProducer, CoordinatorStreamWriter
    "PRO-01": "Messages are sent in order to partition 0; a delete has the key of its message and no value.",
    "PRO-02": "Writing a config flushes once, after its last record.",
    "PRO-04": "The writer refuses an unknown message type and writes nothing for it.",
    "PRO-05": "What the writer wrote is on the log when it has stopped, even if the process is killed then.",
    "PRO-06": "Wrong use of the command line explains itself, exits with an error and writes nothing.",
    "PRO-08": "A producer can be started twice, and stopped without a start.",
    # Stores: CoordinatorStreamStore, NamespaceAwareCoordinatorStreamStore, MetadataStore
    "CSS-01": "A store returns what was just written, under the plain key of its namespace.",
    "CSS-02": "A deleted key is absent.",
    "CSS-03": "Reading or deleting a key that was never written raises nothing.",
    "CSS-04": "The last value of a key counts.",
    "CSS-05": "put_all does what as many puts do.",
    "CSS-06": "All entries of a namespace have plain keys.",
    "CSS-07": "A namespace contains no entry of another that begins like it.",
    "CSS-08": "A view of a namespace neither starts nor stops the store that it shares.",
    "CSS-09": "A namespaced key survives a round trip, whatever characters it contains.",
    "CSS-11": "A second init neither registers nor reads again.",
    "CSS-15": "Changing the returned entries does not change the store.",
    # Config and names of topics: CoordinatorStreamUtil, JobConfig
    "CFG-01": "An empty config value is kept; a null value is absent.",
    "CFG-02": "A deployment writes its keys before it deletes old ones.",
    "CFG-04": "Keys of auto-sizing survive a deployment that enables auto-sizing.",
    "CFG-05": "The launch config has the keys of auto-sizing if auto-sizing is enabled, else nothing.",
    "CFG-06": "The config of the coordinator stream has the job's name and id and that system's keys only.",
    "CFG-07": "Underscores of the job's name and id become dashes in names of topics.",
    "CFG-09": "The job id is 1 by default; a missing job name is an error.",
    "CFG-10": "A missing coordinator system is an error; none is guessed from the inputs.",
    "CFG-11": "The coordinator topic has one partition and is compacted; creating it again changes nothing.",
    # Checkpoints and their serdes: CheckpointV1, CheckpointV2, CheckpointV1Serde, CheckpointV2Serde
    "CKS-01": "A version 1 checkpoint returns its offset as text.",
    "CKS-02": "The JSON of version 1 has Samza's labels and fields, with the partition as text.",
    "CKS-03": "Version 1 reads a null as no checkpoint.",
    "CKS-04": "Version 1 reads the fields of an entry, not its label, and rejects a value that lacks one.",
    "CKS-05": "A null offset survives a round trip.",
    "CKS-07": "Version 2 keeps state markers by factory and store.",
    "CKS-08": "Version 2 without markers has an empty map.",
    "CKS-09": "The JSON of version 2 has Samza's names; unknown fields are ignored, a missing one is named.",
    "CKS-11": "A damaged version 2 is an error that shows the bytes.",
    "CKS-13": "A version 2 checkpoint needs offsets and markers.",
    "CKS-14": "A checkpoint id has milliseconds and a nano id, and survives a round trip.",
    "CKS-15": "The nano id is written without leading zeros.",
    "CKS-19": "Checkpoints of different versions differ; the order of offsets does not matter.",
    "CKS-20": "The key of a checkpoint record has sorted fields and no white space.",
    "CKS-21": "Keys of version 2 and of unknown types can be decoded.",
    # Checkpoints on the coordinator stream: CheckpointManager (SAMZA-465)
    "CKM-02": "Every read catches up with the log first.",
    "CKM-03": "A task that is not registered gets no other task's checkpoint.",
    "CKM-04": "A registered task without a record has no checkpoint.",
    "CKM-05": "A checkpoint is a set-checkpoint message with the manager's source.",
    "CKM-09": "Task names of any form are kept exactly.",
    "CKM-10": "Writing after stop is an error.",
    # Checkpoints on a topic: KafkaCheckpointManager, KafkaCheckpointManagerFactory
    "KCM-01": "An empty topic has no checkpoint.",
    "KCM-02": "The topic is read once for all tasks, to its end.",
    "KCM-04": "Reading for a task that is not registered is an error that names it.",
    "KCM-05": "By default only version 1 is read.",
    "KCM-06": "Version 2 is read if it is listed and there is no version 1.",
    "KCM-07": "The first of the listed versions wins, in whatever order the log has them.",
    "KCM-08": "Tasks move to the preferred version as soon as they have it.",
    "KCM-09": "Another version wins only if it is more than ten minutes newer than the preferred one.",
    "KCM-10": "The age at which another version wins can be set to zero.",
    "KCM-11": "Versions to read are 1 by default and may have blanks; versions to write are 1 and 2.",
    "KCM-12": "Both versions of a task live beside each other after compaction; each write is flushed.",
    "KCM-13": "A write whose producer fails is repeated with a new one.",
    "KCM-14": "A write that fails for too long is an error that names the task.",
    "KCM-16": "An unreadable value is an error with topic and offset, or skipped if validation is off.",
    "KCM-17": "A record of another grouper is an error with both names, or taken if validation is off.",
    "KCM-19": "A record of an unknown type is skipped.",
    "KCM-20": "The topic is read once by default; if that is turned off, each read catches up.",
    "KCM-21": "A start registers the reader at the oldest offset; missing metadata is an error.",
    "KCM-22": "Resources are created, validated if that is on, and the admin is closed in any case.",
    "KCM-23": "The topic is compacted, with a retention time for batch jobs, and has one partition.",
    "KCM-24": "A key without a configured grouper has the default one.",
    "KCM-25": "Checkpoints of both places are visible; those of the topic win.",
    # Starting offsets and commits: OffsetManager
    "OFF-01": "Without a checkpoint, a task starts at the default offset.",
    "OFF-02": "The starting offset follows the checkpoint and never changes; commits write the last processed offset.",
    "OFF-03": "A reset starts at the default and leaves the checkpoint unchanged.",
    "OFF-05": "A default of the stream beats one of the system, which beats upcoming; case does not matter.",
    "OFF-06": "The default fail is refused at construction.",
    "OFF-07": "Partitions with a checkpoint follow it; others start at the default.",
    "OFF-08": "Missing settings or metadata of a stream are an error that names it.",
    "OFF-11": "The gauge has the offset of the last commit.",
    "OFF-12": "A commit writes a snapshot, which later updates do not change.",
    "OFF-13": "A startpoint beats the checkpoint, and is the offset to read, not the processed one.",
    "OFF-14": "A startpoint that cannot be resolved leaves the checkpoint in force, visibly.",
    "OFF-15": "Startpoints are read per task.",
    "OFF-16": "A fan-out of a partition is removed at the first commit after the partition was processed.",
    "OFF-17": "When the last fan-out is used, the startpoint manager is stopped.",
    "OFF-18": "Without any fan-out, the startpoint manager is stopped at the start.",
    "OFF-20": "The end of a stream is no offset, but counts as use of a startpoint.",
    "OFF-21": "A listener gets the committed offsets of its own system's registered partitions.",
    "OFF-22": "A listener may change offsets of its own system before a commit.",
    # The checkpoint tool: CheckpointTool
    "CKT-01": "Without new offsets, the tool prints the current ones as properties and writes nothing.",
    "CKT-02": "The tool writes exactly the named tasks.",
    "CKT-03": "With version 2, tasks get new checkpoint ids and keep their state markers.",
    "CKT-04": "Lines of one task are one checkpoint, and offsets stay text.",
    "CKT-05": "A line that names no partition is ignored with a warning; a file without a valid one changes nothing.",
    "CKT-07": "The config is that of the stream, with the user's keys over it; a missing factory is an error.",
    "CKT-10": "After an error, everything is closed and the exit code says so.",
    "CKT-12": "Tasks are those of the rewritten config.",
    # Changelog partitions: ChangelogStreamManager, ChangelogPartitionManager
    "CLG-01": "A mapping of changelog partitions is one message per task and reads back as numbers.",
    "CLG-02": "Without messages the mapping is empty.",
    "CLG-03": "New tasks get the partitions after the highest one, by sorted names.",
    "CLG-04": "Without a mapping, partitions begin with 0.",
    "CLG-05": "An unordered mapping is kept.",
    "CLG-08": "Task names are sorted as text: Partition 10 before Partition 2.",
    "CLG-09": "A null partition deletes a task's mapping.",
    "CLG-10": "A task's previous partition beats a new one.",
    "CLG-12": "The number of partitions is the highest one plus 1.",
    "CLG-13": "Changelog streams are created and validated, with their access logs; a missing system is an error.",
    # Hosts and ids of containers: LocalityManager, ExecutionContainerIdManager
    "LOC-01": "A container's host reads back, with empty JMX addresses.",
    "LOC-02": "The last host of a container counts, and each write is flushed.",
    "LOC-03": "A deleted container is absent, and an empty host is none.",
    "LOC-05": "A container's id in its execution environment reads back.",
    "LOC-06": "A null key or value is refused.",
    # Tasks and partitions: TaskAssignmentManager, TaskPartitionAssignmentManager, JobModelHelper
    "TAM-01": "Containers and modes of tasks read back from two messages each.",
    "TAM-02": "The keys that the manager itself returned can be deleted.",
    "TAM-03": "Without messages there are no assignments.",
    "TAM-04": "A null container deletes a task's assignment and mode.",
    "TAM-05": "Standby reads back; an unknown mode is an error that names the task.",
    "TAM-06": "Tasks of a partition read back in order.",
    "TAM-07": "The last list of a partition counts, until it is deleted.",
    "TAM-08": "An empty list deletes.",
    "TAM-10": "A partition without a key bucket equals one with -1; the order of fields does not matter.",
    "TAM-11": "A new number of tasks deletes old assignments first; the same number deletes nothing.",
    "TAM-13": "Tasks without a mode count as active when groups are kept.",
    # Job models: JobModelManager, JobModel, TaskModel, SamzaObjectMapper
    "JMM-01": "A job model has Samza's containers, tasks and changelog partitions, and is served as JSON.",
    "JMM-02": "The JSON of a job model has Samza's names.",
    "JMM-03": "A task without a mode is active.",
    "JMM-05": "A container is named by its processor id or its container id; one of them must be there.",
    "JMM-06": "The old form with offsets beside partitions is read.",
    "JMM-08": "The server answers 200, 404 or 500 and counts them.",
    "JMM-09": "Port 0 is a free port, and the address has the machine's name.",
    "JMM-10": "Containers of two models can be compared; a blank processor id is an error.",
    "JMM-11": "A matcher limits the partitions of a job.",
    "JMM-12": "A monitor counts partitions and reports changed streams, also if another stream fails.",
    "JMM-14": "Tasks are sorted as text.",
    # Metadata of the job coordinator: JobCoordinatorMetadataManager
    "JCM-01": "Another epoch is a new deployment.",
    "JCM-02": "Another config or job model is a change; none counts as an attempt.",
    "JCM-03": "The first metadata is a new deployment with everything changed.",
    "JCM-06": "The same job has the same ids, those of Samza 1.8.0.",
    "JCM-07": "The config id is a CRC-32 of the keys that start with job.autosizing.",
    "JCM-09": "The job model id is a CRC-32C of the model's JSON.",
    "JCM-12": "A missing or strange container id is an error, and counted.",
    "JCM-13": "Metadata read back from one message per cluster type.",
    "JCM-14": "A failed write is an error with its cause, and counted.",
    "JCM-17": "A blank id is refused with the name of its field.",
    "JCM-18": "Metadata with the same ids are equal.",
    "JCM-20": "The job model id iterates containers in the order of Samza's hash map.",
    # Startpoints: StartpointManager, Startpoint, StartpointObjectMapper
    "SPM-01": "Each kind of startpoint calls its own method of a visitor.",
    "SPM-02": "A visitor that does not support a kind says so.",
    "SPM-03": "The JSON of each kind has Samza's names.",
    "SPM-04": "An unreadable startpoint is an error with its key, and others can still be read.",
    "SPM-05": "Startpoints of a partition and of a task on it are independent; the last one counts.",
    "SPM-06": "A startpoint expires after 12 hours.",
    "SPM-08": "A manager that is not started refuses every call.",
    "SPM-09": "A fan-out gives each task the startpoints of its partitions and deletes the requests.",
    "SPM-10": "The newer of a partition's and a task's startpoint wins; the others are deleted too.",
    "SPM-11": "With equal times, a task's own startpoint wins.",
    "SPM-14": "A fan-out without tasks is refused; a task without partitions is skipped.",
    "SPM-15": "A second fan-out keeps what was not used yet.",
    "SPM-17": "Fan-outs can be removed by partition; the last one deletes the task's message.",
    "SPM-18": "All fan-outs, or all requests, can be removed, without the others.",
    "SPM-19": "Keys and namespaces of startpoints are Samza's.",
    "SPM-22": "A missing or blank part of a startpoint is refused.",
    "SPM-26": "A fan-out reads the store once, however many tasks there are.",
    "SPM-27": "A coordinator fans out at its start, unless containers go on running without a change.",
    # Resolving startpoints: KafkaSystemAdmin, StartpointVisitor
    "SPR-01": "A specific offset is itself; the broker is not asked.",
    "SPR-02": "A timestamp is the first offset at or after it.",
    "SPR-03": "A timestamp after the last record is the end offset.",
    "SPR-04": "Oldest is the first offset and upcoming the next to be written.",
    "SPR-05": "A job without checkpoints reads from each kind of startpoint on.",
    "SPR-08": "A missing partition or timestamp is refused.",
    # State markers: StateCheckpointMarkerSerde, KafkaStateCheckpointMarker, KafkaChangelogSSPOffset
    "SCM-01": "A marker's text is version, class and payload.",
    "SCM-04": "A Kafka marker's text has five fields, with null for an empty changelog.",
    "SCM-06": "The JSON of a Kafka marker has Samza's names; both forms are read.",
    "SCM-07": "Kafka markers give the offsets of changelogs; other factories' markers are ignored.",
    "SCM-09": "A changelog offset of version 1 is a checkpoint id and an offset; other texts are refused.",
    "SCM-11": "A container's changelog partitions are those of its tasks and stores.",
    # Commits of state: TaskStorageCommitManager, TaskInstance, TaskBackupManager
    "TCM-01": "Every backup manager starts with the last checkpoint.",
    "TCM-02": "Each backup manager gets its own stores' markers.",
    "TCM-03": "All stores are flushed; only durable ones on disk are checkpointed, before any backup.",
    "TCM-04": "If a store cannot be checkpointed, nothing is backed up.",
    "TCM-05": "Clean-up ignores markers of unknown factories.",
    "TCM-06": "A commit flushes, backs up and writes the checkpoint in Samza's order, in both versions.",
    "TCM-07": "Offsets and markers of a commit are one record, with the markers of the upload.",
    "TCM-08": "An empty changelog has a marker without an offset; stores without a changelog have none.",
    "TCM-11": "A commit during an earlier one is skipped, and counted.",
    "TCM-12": "After the longest delay, a commit waits for the earlier one until the timeout.",
    "TCM-14": "Failed uploads may be skipped up to a limit, which a success resets.",
    "TCM-15": "A slow upload fails at the configured limits only.",
    "TCM-19": "A Kafka backup's marker is the newest offset; missing metadata are an error.",
    "TCM-20": "Offset files are written for durable stores on disk; an error names task, store and id.",
    "TCM-22": "A crash before the checkpoint repeats input, and no checkpoint is ahead of its state.",
    # Restores of state: ContainerStorageManager, TransactionalStateTaskRestoreManager
    "CSM-01": "With a version 1 checkpoint, stores with a changelog are restored from Kafka.",
    "CSM-02": "Without a checkpoint, a store is restored by its first configured factory.",
    "CSM-03": "With version 2, the first configured factory with a marker restores a store.",
    "CSM-04": "Without a checkpoint, logged state on disk is deleted first.",
    "CSM-05": "A checkpointed changelog offset decides between trimming, a restore and a full restore.",
    "CSM-08": "Recovering a deleted blob makes a new checkpoint for the task.",
    # Bugs that Samza has fixed, and details of its running code
    "HRD-01": "A thousand keys are read in the order of the log.",
    "HRD-02": "Deploying the same config again adds no current messages.",
    "HRD-03": "A second manager on a started consumer does not read again.",
    "HRD-04": "The memory of a reader depends on live keys, not on the length of the log.",
    "HRD-06": "Readers see whole snapshots while another thread reads on.",
    "HRD-08": "Making a job model asks for no offsets.",
    "HRD-10": "Messages without an offset keep the earlier one.",
    "HRD-11": "An input that was removed and added again starts at the default.",
    "HRD-13": "Nothing is committed at the start.",
    "HRD-14": "All partitions that were processed are committed.",
    "HRD-16": "Several partitions in the tool's file are one checkpoint.",
    "HRD-19": "A broken broker fails a write after the configured time, with its cause.",
    "HRD-20": "A default grouper and the same one by name are equal.",
    "HRD-21": "A checkpoint topic with two partitions is an error, or partition 0 if validation is off.",
    "HRD-22": "Stopping after half a start closes what was opened.",
    "HRD-24": "Two containers can create the checkpoint topic at once.",
    "HRD-25": "The preferred version stays until another is more than ten minutes newer.",
    "HRD-28": "Messages without values are read, with their raw value.",
    "HRD-29": "Saving a large job model flushes few times.",
    "HRD-31": "Localities of processors have the ids of processors.",
    "HRD-32": "Assignments can be deleted while they are iterated.",
    "HRD-33": "Localities need no store of task assignments.",
    "HRD-35": "The launch config is read after an init, or is a clear error.",
    "HRD-36": "Another process sees what the command wrote before it ended.",
    "HRD-37": "Quiet partitions keep their startpoint over a restart.",
    "HRD-38": "A startpoint's key is flat: system, stream, partition and task with dots.",
    "HRD-39": "Consumers get offsets, never startpoints.",
    "HRD-42": "A startpoint for a job whose coordinator cannot fan out is refused.",
    "HRD-43": "Deleting everything needs a started manager too.",
    "HRD-44": "A listener changes only registered partitions of its system.",
    "HRD-45": "Nothing is committed after the consumers have stopped.",
    "HRD-46": "A checkpoint manager starts without tasks.",
    "HRD-47": "A standby that reads on sees the newest checkpoint, with one reader.",
    "HRD-48": "Markers of stores that are no longer configured are ignored.",
    "HRD-49": "A failed clean-up never loses the written checkpoint.",
    "HRD-50": "A checkpoint older than the compaction lag restores everything.",
    "HRD-52": "Key buckets are kept apart; none equals -1.",
    "HRD-53": "A job model is serialised once per version, not per request.",
    "HRD-54": "A new topic that matches is in the next job model; old tasks keep their changelog partitions.",
    "HRD-55": "Clusters other than YARN name their epoch in the environment.",
    "HRD-56": "Unchanged metadata of another attempt are not written again.",
    "HRD-57": "Commits log nothing each.",
}


def named(item: pytest.Item) -> set[str]:
    """The scenarios that a test shows."""
    return {name for mark in item.iter_markers("scenario") for name in mark.args}


@cache
def marked_in_sources() -> frozenset[str]:
    """The scenarios that any test of this folder names, whether it is run or not."""
    return frozenset(name for path in _sources() for name in _marked(ast.parse(path.read_text())))


def summary_line(shown: set[str]) -> str:
    """One line for the end of a test run: how many scenarios were shown."""
    return f"scenarios: {len(shown)} of {len(SCENARIOS)}"


def _sources() -> list[Path]:
    """What holds tests: files of them, and contracts, which such files inherit."""
    return sorted([*TESTS.rglob("test_*.py"), *(TESTS / "contracts").glob("*.py")])


def _marked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "scenario":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
