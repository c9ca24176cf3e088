"""A coordinator stream as messages: read, written and made."""
