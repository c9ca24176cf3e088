"""What is done with a startpoint, a method a kind (StartpointVisitor of Samza, seed 004)."""

from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from eventlog.errors import EventLogError

if TYPE_CHECKING:
    from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp, StartpointUpcoming

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class StartpointNotSupported(EventLogError, NotImplementedError):
    """A visitor does not know what to do with a kind of startpoint; to go on without it would lose an order."""

    def __init__(self, kind: str, visitor: str, given: object) -> None:
        self.kind = kind
        self.visitor = visitor
        super().__init__(f"{kind} is not supported by {visitor} for {given}: ask for another kind of startpoint")


class StartpointVisitor(Generic[In_contra, Out_co]):
    """A base for visitors; a kind whose method is left as it is here raises `StartpointNotSupported`.

    ``startpoint.apply(given, visitor)`` calls the method of its kind.
    """

    def visit_specific(self, given: In_contra, startpoint: "StartpointSpecific") -> Out_co:
        """Asked for by `StartpointSpecific`."""
        self._refuse(given, startpoint)

    def visit_timestamp(self, given: In_contra, startpoint: "StartpointTimestamp") -> Out_co:
        """Asked for by `StartpointTimestamp`."""
        self._refuse(given, startpoint)

    def visit_oldest(self, given: In_contra, startpoint: "StartpointOldest") -> Out_co:
        """Asked for by `StartpointOldest`."""
        self._refuse(given, startpoint)

    def visit_upcoming(self, given: In_contra, startpoint: "StartpointUpcoming") -> Out_co:
        """Asked for by `StartpointUpcoming`."""
        self._refuse(given, startpoint)

    def _refuse(self, given: object, startpoint: object) -> NoReturn:
        raise StartpointNotSupported(type(startpoint).__name__, type(self).__name__, given)
