"""Classes of named values: `dataclasses.dataclass`, as far as what `apply` loads makes use of it.

`apply` runs at every install, and the original costs it more than all its own work: it imports
`inspect`, and compiles the methods of each class anew at every start. This must stay a drop-in:
type checkers take it for the original, and the original's functions work on what it makes.
"""

from __future__ import annotations

# As in `typing`, whose import is spared as well: type checkers know this name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    import functools
    import operator

    class field:
        """A default that is made anew for each object."""

        def __init__(self, *, default_factory):
            self.make = default_factory

    def dataclass(*, slots, frozen=False, kw_only=False, order=False):
        """A decorator; `slots` must be true."""
        assert slots  # noqa: S101

        def decorate(plain):
            own = tuple(plain.__annotations__)
            body = {
                name: value
                for name, value in vars(plain).items()
                if name not in (*own, "__dict__", "__weakref__")
            }
            names = (*_names(plain), *own)
            defaults = {name: vars(plain)[name] for name in own if name in vars(plain)}
            if len(names) > len(own):
                defaults = plain.__mro__[1].__dict__["__dataclass_fields__"].defaults | defaults
            key = operator.attrgetter(*names)
            methods = {"__eq__": _equal(key), "__hash__": None}
            methods |= {"__repr__": _repr, "__reduce__": _reduce}
            if frozen:
                methods["__hash__"] = lambda self: hash(key(self))
                methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
            if order:
                methods |= {f"__{name}__": _compare(name, key) for name in ("lt", "le", "gt", "ge")}
            fields = {"__slots__": own, "__dataclass_fields__": _Fields(names, defaults, kw_only)}
            body |= {"__qualname__": plain.__qualname__} | methods | fields
            made = type(plain)(plain.__name__, plain.__bases__, body)
            made.__init__ = _init(made, names, defaults, kw_only)
            return made

        return decorate

    def replace(value, **changes):
        """A copy of the value with some of its fields changed."""
        made = type(value)
        return made(**({name: getattr(value, name) for name in _names(made)} | changes))

    @functools.cache
    def _names(made):
        slots = (vars(each).get("__slots__", ()) for each in reversed(made.__mro__))
        return tuple(name for names in slots for name in names)

    def _init(made, names, defaults, kw_only):
        places = [(name, getattr(made, name).__set__) for name in names]
        factories = {name: it.make for name, it in defaults.items() if isinstance(it, field)}

        def __init__(self, *given, **values):
            if given:
                if kw_only or len(given) > len(names):
                    raise TypeError(f"{made.__name__}() takes no so many positional arguments")
                values.update(zip(names, given, strict=False))
            if len(values) < len(names):
                values = defaults | values
                for name, make in factories.items():
                    if values[name] is defaults[name]:
                        values[name] = make()
            try:
                for name, put in places:
                    put(self, values[name])
            except KeyError as error:
                raise TypeError(f"{made.__name__}() misses the argument {error}") from None
            if len(values) > len(names):
                extra = next(name for name in values if name not in names)
                raise TypeError(f"{made.__name__}() got an unexpected argument {extra!r}")

        return __init__

    def _equal(key):
        def __eq__(self, other):
            return key(self) == key(other) if type(other) is type(self) else NotImplemented

        return __eq__

    def _compare(name, key):
        compare = getattr(operator, name)

        def method(self, other):
            return compare(key(self), key(other)) if type(other) is type(self) else NotImplemented

        return method

    def _repr(self):
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(type(self)))
        return f"{type(self).__qualname__}({values})"

    def _reduce(self):
        return _remade, (type(self), {name: getattr(self, name) for name in _names(type(self))})

    def _remade(made, values):
        return made(**values)

    def _refuse(self, name, *value):  # noqa: ARG001
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot change the field {name!r}")

    class _Fields:
        """What the original's functions ask a class for; made by the original, when they do."""

        def __init__(self, names, defaults, kw_only):
            self._names, self.defaults, self._kw_only = names, defaults, kw_only

        def __get__(self, value, owner):
            import dataclasses

            fields = []
            for name in self._names:
                given = self.defaults.get(name, dataclasses.MISSING)
                default = (
                    {"default_factory": given.make}
                    if isinstance(given, field)
                    else {"default": given}
                )
                fields.append((name, object, dataclasses.field(**default, kw_only=self._kw_only)))
            return dataclasses.make_dataclass(owner.__name__, fields).__dataclass_fields__
