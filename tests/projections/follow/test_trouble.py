"""What is done when following a stream fails."""

import psycopg
import pytest

from eventlog.source import OffsetLost, StreamMissing, StreamRefused
from projections.errors import FoldVersionDiffers, NothingFolded, OtherCluster, PositionBeyondEnd, PositionMoved
from projections.follow.trouble import Reaction, reaction_to, trouble_sentence


@pytest.mark.parametrize(
    ("error", "reaction", "at_the_end"),
    [
        (OffsetLost("s", 7), Reaction.ATTACH_AGAIN, Reaction.ATTACH_AGAIN),
        (StreamMissing("s", "Kafka"), Reaction.TRY_LATER, Reaction.GIVE_UP),
        (psycopg.errors.InsufficientPrivilege(), Reaction.TRY_LATER, Reaction.GIVE_UP),
        (StreamRefused("s", "why"), Reaction.TRY_LATER, Reaction.GIVE_UP),
        (NothingFolded("s"), Reaction.TRY_LATER, Reaction.GIVE_UP),
        (PositionBeyondEnd("s", 2, 1), Reaction.TRY_LATER, Reaction.GIVE_UP),
        (FoldVersionDiffers("s", "1", "2"), Reaction.GIVE_UP, Reaction.GIVE_UP),
        (OtherCluster("s", "a", "b"), Reaction.GIVE_UP, Reaction.GIVE_UP),
        (PositionMoved("s", 7), Reaction.LEAVE, Reaction.LEAVE),
    ],
)
def test_each_error_has_its_reaction(error: Exception, reaction: Reaction, at_the_end: Reaction) -> None:
    assert (reaction_to(error, has_end=False), reaction_to(error, has_end=True)) == (reaction, at_the_end)


def test_an_error_in_words() -> None:
    assert trouble_sentence("s", StreamRefused("s", "why")) == "s cannot be followed: why"


def test_what_postgres_says_is_told_without_values(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("create temporary table t (a text primary key)")
        with pytest.raises(psycopg.errors.UniqueViolation, match="secret") as refused:
            connection.execute("insert into t values ('secret'), ('secret')")
    sentence = trouble_sentence("s", refused.value)
    assert sentence == (
        's cannot be followed on: the database refuses (duplicate key value violates unique constraint "t_pkey")'
    )
