"""Dataclasses that cost little to declare.

For type checkers they are the standard library's. At run time its decorator compiles the methods of a class when the class is declared, 0.4 ms
for each of some 150 classes: more than half of what starting the linter took beyond LibCST's own import. Here `__init__` is compiled when the
first instance is made, and the other methods are shared. That a frozen instance is never written to is proved by type checkers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace

    from _typeshed import DataclassInstance

    def names(of: DataclassInstance | type[DataclassInstance]) -> tuple[str, ...]:
        """The names of the fields of a dataclass."""
else:
    import operator
    from functools import cache

    _MISSING = object()

    class Field:
        """What `field()` says of one field."""

        __slots__ = ("default", "factory", "init", "repr")

        def __init__(self, default=_MISSING, factory=None, init=True, repr=True):
            self.default, self.factory, self.init, self.repr = default, factory, init, repr

    def field(*, default=_MISSING, default_factory=None, init=True, repr=True):
        return Field(default, default_factory, init, repr)

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, order=False):
        def declare(cls):
            own = {name: _own(cls.__dict__.get(name, _MISSING)) for name in cls.__annotations__}
            fields = {name: each for base in cls.__mro__[:0:-1] for name, each in base.__dict__.get("__fields__", {}).items()} | own
            added = {"__fields__": fields, "__dataclass_fields__": _StandardFields(), "__repr__": _repr}
            added["__match_args__"] = tuple(name for name, each in fields.items() if each.init)
            if eq:
                added |= _comparing(_values(fields), frozen, order)
                if cls.__dict__.get("__hash__"):
                    del added["__hash__"]
            left_out = {name for name, each in own.items() if name in cls.__dict__ and (slots or each.default is _MISSING)}
            added = {name: value for name, value in added.items() if name == "__hash__" or name not in cls.__dict__}
            cls = (_with_slots if slots else _in_place)(cls, own, added, left_out)
            if "__init__" not in cls.__dict__:
                _compile_later(cls)
            return cls

        return declare(cls) if cls is not None else declare

    def names(of):
        return tuple(of.__fields__)

    def replace(instance, **changes):
        taken, values = _taken(type(instance))
        return type(instance)(**(dict(zip(taken, values(instance), strict=True)) | changes))

    @cache
    def _taken(cls):
        """The names of what a class is made from, and what gives the values of these."""
        taken = tuple(name for name, each in cls.__fields__.items() if each.init)
        return taken, _getter(taken)

    def _own(value):
        return value if type(value) is Field else Field(value)

    def _values(fields):
        """What gives the fields of an instance as one tuple."""
        return _getter(tuple(fields))

    def _getter(names):
        if len(names) == 1:
            only = operator.attrgetter(*names)
            return lambda instance: (only(instance),)
        return operator.attrgetter(*names) if names else lambda instance: ()

    def _with_slots(cls, own, added, left_out):
        """The class again, as one whose instances hold their fields in slots; those of a class are fixed when it is made."""
        taken = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
        made = {name: value for name, value in cls.__dict__.items() if name not in {"__dict__", "__weakref__", *left_out}}
        made |= added | {"__slots__": tuple(name for name in own if name not in taken), "__qualname__": cls.__qualname__}
        return type(cls)(cls.__name__, cls.__bases__, made)

    def _in_place(cls, own, added, left_out):
        for name in left_out:
            delattr(cls, name)
        for name, value in added.items():
            setattr(cls, name, value)
        return cls

    def _comparing(values, frozen, order):
        """The methods by which instances of one class are compared, field by field."""

        def by(compare):
            return lambda one, other: compare(values(one), values(other)) if one.__class__ is other.__class__ else NotImplemented

        made = {"__eq__": by(operator.eq), "__hash__": (lambda instance: hash(values(instance))) if frozen else None}
        if order:
            made |= {f"__{name}__": by(getattr(operator, name)) for name in ("lt", "le", "gt", "ge")}
        return made

    def _repr(instance):
        shown = (f"{name}={getattr(instance, name)!r}" for name, each in instance.__fields__.items() if each.repr)
        return f"{type(instance).__qualname__}({', '.join(shown)})"

    def _compile_later(cls):
        def __init__(self, *args, **kwargs):
            cls.__init__ = _compiled(cls)
            cls.__init__(self, *args, **kwargs)

        cls.__init__ = __init__

    def _compiled(cls):
        """The `__init__` of a class, as the standard library writes it."""
        fields = cls.__fields__
        if all(each.init and not each.factory for each in fields.values()) and not hasattr(cls, "__post_init__"):
            return _renamed(tuple(fields), tuple(each.default for each in fields.values()))
        given = {"_MISSING": _MISSING}
        parameters, body = [], []
        for name, each in fields.items():
            given[f"_{name}"] = each.factory or each.default
            if each.init:
                default = "_MISSING" if each.factory else f"_{name}"
                parameters.append(name if each.default is _MISSING and not each.factory else f"{name}={default}")
            if each.factory:
                body.append(f"self.{name} = _{name}() if {name} is _MISSING else {name}" if each.init else f"self.{name} = _{name}()")
            elif each.init:
                body.append(f"self.{name} = {name}")
            elif each.default is not _MISSING:
                body.append(f"self.{name} = _{name}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        return _written(parameters, body, given)

    def _written(parameters, body, given):
        exec(f"def __init__({', '.join(('self', *parameters))}):\n " + "\n ".join(body or ["pass"]), given)
        return given["__init__"]

    @cache
    def _storing(count):
        """An `__init__` that stores so many values."""
        names = [f"value{n}" for n in range(count)]
        return _written(names, [f"self.{name} = {name}" for name in names], {})

    def _renamed(names, defaults):
        """The `__init__` that stores as many values, with other names: compiling one takes twenty times as long."""
        init = _storing(len(names))
        code = init.__code__.replace(co_varnames=("self", *names), co_names=names)
        return type(init)(code, init.__globals__, "__init__", tuple(each for each in defaults if each is not _MISSING))

    class _StandardFields:
        """What the functions of `dataclasses` look for in a class, made when one of them looks."""

        def __get__(self, instance, cls):
            import dataclasses

            kinds = {
                name: kind for base in cls.__mro__[:0:-1] for name, kind in base.__dict__.get("__annotations__", {}).items()
            } | cls.__annotations__
            fields = [(name, kinds[name], dataclasses.field(**_standard(each))) for name, each in cls.__fields__.items()]
            cls.__dataclass_fields__ = dataclasses.make_dataclass(cls.__name__, fields, kw_only=True).__dataclass_fields__
            return cls.__dataclass_fields__

    def _standard(each):
        if each.factory:
            return {"default_factory": each.factory, "init": each.init, "repr": each.repr}
        return {"init": each.init, "repr": each.repr} | ({} if each.default is _MISSING else {"default": each.default})


__all__ = ["dataclass", "field", "names", "replace"]
