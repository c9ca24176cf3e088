"""Text from a log as it may be printed."""


def printable_text(text: str) -> str:
    """The text on one line: characters that steer a terminal, line ends and tabs are escaped as in Python."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
