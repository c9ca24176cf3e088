"""The library's figures as Markdown."""

from benchmarks.bootstrap import Bootstrap
from benchmarks.library import Library
from benchmarks.library_report import library_report

PLAIN = Bootstrap(1000, 2.0, 0, 0, None)


def report(grown: int | None) -> str:
    store = Bootstrap(1000, 4.0, 10, 2_000_000, grown)
    puts = {"Kafka": [float(number) for number in range(1, 101)]}
    return "\n".join(library_report(Library({"plain": [PLAIN, PLAIN], "store": [store, store]}, puts), "a machine"))


def test_the_store_is_shown_beside_plain_iteration() -> None:
    text = report(5_000_000)
    assert "A topic of 1,000 events over 10 keys; rounds: 2." in text
    assert "| kafka-python's consumer, records thrown away | 1.00 (1.00 to 1.00) | 500 (500 to 500) |" in text
    assert "| store bootstrap | 0.50 (0.50 to 0.50) | 250 (250 to 250) |" in text
    assert "| 10 live keys | 2 MB | 5 MB | 2.5 |" in text
    assert "| Kafka | 50.00 | 99.00 | 100.00 |" in text


def test_unknown_memory_is_reported() -> None:
    assert "| 10 live keys | 2 MB | unknown | unknown |" in report(None)
