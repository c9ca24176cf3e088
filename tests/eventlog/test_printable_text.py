from eventlog.printable_text import printable_text


def test_what_steers_a_terminal_or_ends_a_line_is_escaped() -> None:
    assert printable_text("Partition 0 – ü") == "Partition 0 – ü"
    assert printable_text("a\tb\n\x1b[2J") == r"a\tb\n\x1b[2J"
