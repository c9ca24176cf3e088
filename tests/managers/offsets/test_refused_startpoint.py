"""What is said of a startpoint that could not be followed."""

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from managers.offsets.refused_startpoint import RefusedStartpoint

IN = SystemStreamPartition("kafka", "in", 3)


def test_a_sentence_names_task_partition_order_and_reason() -> None:
    said = str(RefusedStartpoint("t", IN, StartpointSpecific("23", 0), "its system knows no such place"))
    assert said == "task 't' can't start kafka.in.3 at its startpoint (specific 23): its system knows no such place"
    assert "(oldest): why" in str(RefusedStartpoint("t", IN, StartpointOldest(0), "why"))
