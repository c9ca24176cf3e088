"""Follows logs as they grow: attaches streams, catches up, reads them live, and survives outages.

The loop: `session` polls the source and applies what `tail` buffers. If a stream's log was re-created or truncated, the
poll raises OffsetLost: the stream is detached and attached again (`attacher`), `resume` finds where to continue by
comparing the log with what is stored (`continuity`), and a new incarnation replaces the old one once it has been read.
"""
