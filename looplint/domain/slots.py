"""What the attributes and elements of an object hold; and what was read and changed of all objects, by which it is known what would only be done again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar, overload

if TYPE_CHECKING:
    from _collections_abc import dict_items, dict_keys, dict_values

    from looplint.domain.values import Value

T = TypeVar("T")
# A slot of an object, by the object's number; "" for the object as a whole: which slots it has, and what they hold.
Place = tuple[int, str]
WHOLE = ""


class Moment(NamedTuple):
    """A moment of an analysis, by the changes and the objects so far."""

    changes: int
    objects: int


class Journal:
    """When each place was changed last, and which were read since somebody began to take notes."""

    def __init__(self) -> None:
        self._changes = 0
        self._objects = 0
        self._changed: dict[Place, int] = {}
        # What is read; None where nobody takes notes.
        self.read: set[Place] | None = None
        # And of which places it is asked or said what they hold on the present path.
        self.on_path: set[Place] = set()

    def number(self) -> int:
        """The number of a new object."""
        self._objects += 1
        return self._objects - 1

    def note_read(self, number: int, slot: str) -> None:
        """Somebody reads a slot of an object."""
        if self.read is not None:
            self.read.add((number, slot))

    def note_on_path(self, number: int, slot: str) -> None:
        """Somebody asks what a slot holds on the present path, or says so."""
        if self.read is not None:
            self.on_path.add((number, slot))

    def note_change(self, number: int, slot: str) -> None:
        """A slot holds something else than before."""
        self._changes += 1
        self._changed[number, slot] = self._changed[number, WHOLE] = self._changes

    def times(self, number: int, slots: Iterable[str]) -> dict[Place, int]:
        """When slots of an object were changed last."""
        return {(number, slot): self._changed.get((number, slot), 0) for slot in slots}

    def put_back(self, times: Mapping[Place, int]) -> None:
        """Places hold again what they held when they were last changed at these times."""
        self._changed.update(times)

    def now(self) -> Moment:
        """The present."""
        return Moment(self._changes, self._objects)

    def unchanged(self, places: Iterable[Place], begin: Moment, end: Moment) -> bool:
        """Whether what was read between two moments holds the same now.

        An object that was built meanwhile was new to what read it, so that it may have got all that it held by the end.
        """
        changed = self._changed
        return self._changes == begin.changes or all(
            changed.get(place, 0) <= (begin.changes if place[0] < begin.objects else end.changes) for place in places
        )


class Slots(dict[str, "Value"]):
    """The slots of one object, which notes what is read and changed of them."""

    __slots__ = ("_journal", "_number")

    def __init__(self, number: int, journal: Journal) -> None:
        super().__init__()
        self._number = number
        self._journal = journal

    # -- reading

    def look(self) -> None:
        """The object is looked at as a whole."""
        self._journal.note_read(self._number, WHOLE)

    def __getitem__(self, slot: str) -> Value:
        self._journal.note_read(self._number, slot)
        return dict.__getitem__(self, slot)

    @overload
    def get(self, slot: str, default: None = None, /) -> Value | None: ...
    @overload
    def get(self, slot: str, default: Value, /) -> Value: ...
    @overload
    def get(self, slot: str, default: T, /) -> Value | T: ...
    def get(self, slot: str, default: object = None, /) -> object:
        """What a slot holds, if there is one."""
        self._journal.note_read(self._number, slot)
        return dict.get(self, slot, default)

    def __contains__(self, slot: object) -> bool:
        self._journal.note_read(self._number, str(slot))
        return dict.__contains__(self, slot)

    def __iter__(self) -> Iterator[str]:
        self.look()
        return dict.__iter__(self)

    def keys(self) -> dict_keys[str, Value]:
        """The names of all slots."""
        self.look()
        return dict.keys(self)

    def values(self) -> dict_values[str, Value]:
        """What all slots hold."""
        self.look()
        return dict.values(self)

    def items(self) -> dict_items[str, Value]:
        """All slots, with what they hold."""
        self.look()
        return dict.items(self)

    # -- changing

    def change(self) -> None:
        """Something else is known of the object as a whole."""
        self._journal.note_change(self._number, WHOLE)

    def __setitem__(self, slot: str, value: Value) -> None:
        old = dict.get(self, slot)
        if old is not value and old != value:
            self._journal.note_change(self._number, slot)
        dict.__setitem__(self, slot, value)

    def saved(self) -> tuple[dict[str, Value], dict[Place, int]]:
        """The slots as they are, for `put_back`."""
        self.look()
        return dict(dict.items(self)), self._journal.times(self._number, (*dict.keys(self), WHOLE))

    def put_back(self, saved: tuple[dict[str, Value], dict[Place, int]]) -> None:
        """Let all be as it was saved: nothing of what was done since counts as a change."""
        values, times = saved
        added = dict.keys(self) - values.keys()
        dict.clear(self)
        dict.update(self, values)
        self._journal.put_back({**{(self._number, slot): 0 for slot in added}, **times})
