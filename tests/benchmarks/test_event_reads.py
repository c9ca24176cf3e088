from benchmarks.event_reads import JDBC, RAW, event_reads_report


def test_the_report_compares_each_way_with_jdbc_in_the_same_round() -> None:
    lines = event_reads_report({JDBC: [100.0, 200.0], RAW: [150.0, 200.0]}, 1_000, "a machine")
    assert lines[-2:] == [
        "| JDBC, raw columns | 150 (100 to 200) | 1.00 (1.00 to 1.00) |",
        "| data source, raw columns | 175 (150 to 200) | 1.25 (1.00 to 1.50) |",
    ]
