"""The options of the command line: `argparse` gives each the default that the program writes, where no other is given."""

from __future__ import annotations

from looplint.domain.objects import Options
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Const, Number, Tuple, Value, constant_of, ref, refs
from looplint.interpreter.calls import build
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import methods_of, transfer
from looplint.semantics import devices
from looplint.syntax import ir

_ASKING = frozenset({"parse_args", "parse_known_args", "print_help", "print_usage", "format_help", "format_usage", "error", "exit"})


@transfer("options")
def _parser(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    built = build(interp, Options, qualname, args, expr)
    for obj in refs(built, Options):
        # What has other parsers' options, or takes some from files, has more than it is told here.
        obj.plain = (
            qualname == "argparse.ArgumentParser" and not args.starred and not {"parents", "fromfile_prefix_chars"} & args.keywords.keys()
        )
    return built


@methods_of(Options)
def _method(interp: Interpreter, obj: Options, name: str, args: Arguments, expr: ir.Call) -> Value:
    obj.plain = (
        obj.plain
        and (name in _ASKING or name.startswith("add_"))
        and name != "add_subparsers"
        and not (name == "parse_args" and args.get(1, "namespace"))
    )
    match name:
        case "add_argument":
            _declare(obj, args)
        case "parse_args":
            return ref(obj)
        case "parse_known_args":
            return frozenset({Tuple((ref(obj), UNKNOWN))})
        case "add_argument_group" | "add_mutually_exclusive_group":
            return ref(obj)
    return UNKNOWN


def _declare(obj: Options, args: Arguments) -> None:
    """Note an option whose default is a device that the machine decides on, or a dropout that is off: what else options hold is the user's choice."""
    default = args.keywords.get("default", NOTHING)
    names = [a.value for value in args.positional for a in value if isinstance(a, Const) and isinstance(a.value, str)]
    obj.plain = obj.plain and not args.starred and len(names) == sum(map(len, args.positional)) > 0
    if not names:
        return
    long = next((n for n in names if n.startswith("--")), names[0]).lstrip("-").replace("-", "_")
    known = constant_of(default)
    told = constant_of(args.keywords.get("dest", NOTHING))
    obj.plain = obj.plain and ("dest" not in args.keywords or told is not None)
    obj.declared |= {long if told is None else str(told.value)}
    if known is not None and type(known.value) is int:
        obj.defaults = {**obj.defaults, long if told is None else str(told.value): known.value}
    if devices.is_choice(default):
        obj.heap[long] = default
    elif "drop" in long and known is not None and isinstance(known.value, int | float) and not known.value:
        obj.heap[long] = default | {Number()}
