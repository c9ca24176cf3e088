"""Whether a text can be written as UTF-8."""


def is_utf8(text: str) -> bool:
    """Whether a text has no lone surrogates, which neither UTF-8 nor Postgres can represent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
