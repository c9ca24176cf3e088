from threading import Thread

from eventlog.partition import SystemStreamPartition
from spark_jobs.observed.batch_thread import BatchQueue
from spark_jobs.observed.progress import CommittedBatch, SourceRange

PARTITION = SystemStreamPartition("kafka", "clicks", 0)


def batch(number: int) -> CommittedBatch:
    start = {PARTITION: number} if number else None
    return CommittedBatch("q", "r", number, "sink", (SourceRange(0, start, {PARTITION: number + 1}),))


def test_a_batch_stays_until_it_is_done() -> None:
    queue = BatchQueue()
    queue.put(batch(0))
    queue.put(batch(1))
    first = queue.next()
    assert first is not None
    assert first is queue.next()
    queue.done(first)
    queue.done(first)
    assert queue.next() == batch(1)


def test_the_oldest_batches_are_joined() -> None:
    queue = BatchQueue(most=2)
    for number in range(5):
        queue.put(batch(number))
    joined, last = queue.next(), batch(4)
    assert joined is not None
    assert (joined.batch_id, joined.sources) == (3, (SourceRange(0, None, {PARTITION: 4}),))
    queue.done(joined)
    assert queue.next() == last


def test_a_batch_that_was_joined_meanwhile_is_written_again() -> None:
    queue = BatchQueue(most=1)
    queue.put(batch(0))
    taken = queue.next()
    assert taken is not None
    queue.put(batch(1))
    queue.done(taken)
    assert queue.next() is not None


def test_a_closed_queue_gives_what_is_left_and_ends_a_wait() -> None:
    queue = BatchQueue()
    found: list[CommittedBatch | None] = []
    waiting = Thread(target=lambda: found.append(queue.next()))
    waiting.start()
    queue.close()
    waiting.join()
    queue.pause(1e9)
    assert found == [None]
    queue.put(batch(0))
    assert queue.next() == batch(0)
