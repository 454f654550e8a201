"""What a moved tensor would meet: a conversion whose result is dropped hides that the rest of its function computes with tensors on the other side.

`y.cuda()` moves nothing, so `y * torch.ones(n)` works; where its result is assigned, that line raises. Each function is read once from above, with
the side that each name is known to be on, or likely to be on.

So it is told too whether anything wants the tensor moved: a model, a tensor that is there, code out of sight. Where all that it meets stays with it,
the run is the same without the line.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from looplint.domain.objects import TorchModule
from looplint.domain.values import External, Ref, Tensor
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.pytorch import CONVERSIONS, FACTORIES, FETCHING, TENSOR_METHODS
from looplint.semantics.tensor_uses import value_at
from looplint.syntax import ir

# Where a tensor may be; `moved` is on what the dropped conversion would have moved, and on what is computed of that.
Place = Literal["cpu", "device", "moved"]
Places = frozenset[Place]
_NOWHERE: Places = frozenset()
_ON_CPU: Places = frozenset({"cpu"})
_ON_DEVICE: Places = frozenset({"device"})
_MOVES = frozenset({"to", "cuda", "cpu", "xpu", "npu"})
_MADE = FACTORIES | {"Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "ByteTensor", "BoolTensor"}
# What an attribute or a method says about a tensor, and is none.
_ABOUT = frozenset({"shape", "dtype", "device", "requires_grad", "is_cuda", "size", "dim", "ndim", "numel", "stride", "nelement"})
# Methods that keep what they get, side by side.
_WRITING = frozenset({"log", "save", "write", "info", "debug"})
_KEEPING = _WRITING | {"append", "extend", "insert", "add", "update", "put", "setdefault"}


class Meetings(NamedTuple):
    """What a tensor meets after a call that would move it.

    Attributes:
        elsewhere: whether it meets a tensor that is known to stay on the other side, or is likely to.
        wanted: whether it may meet something that wants it moved.
    """

    elsewhere: bool
    wanted: bool


def meetings(interp: Interpreter, call: ir.Call) -> Meetings:
    """What a tensor meets in a function after a call that would move it."""
    function = interp.frame.function
    reading = _Reading(interp, call)
    top = interp.frame.module.lowered()
    if top is not None and function is not top.top:
        reading.read(stmt for stmt in top.top.body if not isinstance(stmt, ir.FunctionDef | ir.ClassDef))
    if interp.frame.owner is not None and not any(isinstance(a, Ref) and isinstance(a.obj, TorchModule) for a in interp.frame.instance):
        constructor = interp.frame.owner.cls.methods.get("__init__")
        if constructor is not None and constructor is not function:
            reading.read(constructor.body)
            reading.forget_names()
    reading.read(function.body)
    return Meetings(reading.met, reading.wanted or _is_read_elsewhere(interp, call))


def _is_read_elsewhere(interp: Interpreter, call: ir.Call) -> bool:
    """Whether what is moved lies in something else, is an item that its loop moves alone, or may be read by another function of the file."""
    assert isinstance(call.func, ir.Attr)
    receiver, function = call.func.value, interp.frame.function
    if not isinstance(receiver, ir.Name) or function.declared.get(receiver.id):
        return True
    for stmt in ir.statements(function.body):
        if isinstance(stmt, ir.For) and receiver.id in ir.binds(stmt):
            inside = (expr for each in ir.statements(stmt.body) for expr in ir.expressions(each))
            if not any(expr is not call and receiver.id in ir.paths_in(expr) for expr in inside):
                return True  # `for x in batch: x.to(device)`
    code = interp.frame.module.lowered()
    if code is None:
        return False
    readers = (each for each in code.functions if each is not function and _may_see(code, function, each))
    return any(_mentions(each, receiver.id) for each in readers)


def _mentions(function: ir.Function, name: str) -> bool:
    return any(name in ir.paths_in(expr) for stmt in ir.statements(function.body) for expr in ir.expressions(stmt))


def _may_see(code: ir.ModuleCode, function: ir.Function, other: ir.Function) -> bool:
    """Whether another function may read the names of one: all may read those of a file, and a function's inner ones read its own."""
    return function is code.top or other.qualname.startswith(function.qualname + ".")


class _Reading:
    """A function that is read from above.

    Attributes:
        met: whether what is moved has met a tensor on the other side.
        wanted: whether it has met something that may want it moved.
    """

    def __init__(self, interp: Interpreter, call: ir.Call) -> None:
        assert isinstance(call.func, ir.Attr)
        self.met = False
        self.wanted = False
        self._interp = interp
        self._call = call
        self._name = ir.render(call.func.value)
        self._places: dict[str, Places] = {}
        self._in_a_loop = False
        self._in_a_branch = False

    def read(self, body: Iterable[ir.Stmt]) -> None:
        for stmt in body:
            if isinstance(stmt, ir.For):
                self._bind(stmt.target, stmt.iter)
            for expr in ir.expressions(stmt):
                self._of(expr)
            match stmt:
                case ir.Assign(targets=targets, value=value):
                    for target in targets:
                        self._bind(target, value)
                case ir.AugAssign(target=target, value=value):
                    self._set(target, self._together([target, value]))
                case ir.ExprStmt(value=value):
                    self._drop(value)
                case ir.Return(value=value) if value is not None:
                    self._want(self._of(value))
            # What a turn leaves behind meets what the next one begins with; the loops in a loop are read again with it.
            again = isinstance(stmt, ir.For | ir.While) and not self._in_a_loop
            branched, self._in_a_branch = self._in_a_branch, self._in_a_branch or isinstance(stmt, ir.If)
            self._in_a_loop = self._in_a_loop or again
            for _ in range(2 if again else 1):
                for inner in ir.bodies(stmt):
                    self.read(inner)
            self._in_a_loop = self._in_a_loop and not again
            self._in_a_branch = branched

    def forget_names(self) -> None:
        """Keep the attributes alone: the names were those of another function."""
        self._places = {name: places for name, places in self._places.items() if "." in name}

    def _want(self, places: Places) -> None:
        self.wanted = self.wanted or "moved" in places

    def _drop(self, expr: ir.Expr) -> None:
        """Take what a dropped conversion should have moved for moved; another one is repaired with it."""
        for item in expr.items if isinstance(expr, ir.Display) else [expr]:
            match item:
                case ir.Call(func=ir.Attr(value=receiver, attr=method)) if method in _MOVES:
                    name = ir.render(receiver)
                    if item is self._call or self._places.get(name) or self._is_tensor(receiver):
                        self._places[name] = _moved_to(item) | {"moved"}

    def _bind(self, target: ir.Expr, value: ir.Expr) -> None:
        match target, value:
            case ir.Display(items=targets), ir.Display(items=values) if len(targets) == len(values):
                places = [self._of(each) for each in values]
                for inner, there in zip(targets, places, strict=True):
                    self._set(inner, there)
            case ir.Display(items=[_, inner]), ir.Call(func=ir.Name(id="enumerate"), args=[ir.Arg(value=iterated), *_]):
                self._bind(inner, iterated)
            case ir.Display(items=items), _:
                # What comes with it in a batch is on the processor, as loaders put batches together.
                beside = any(ir.render(item) == self._name for item in items) and _is_batch(value)
                for item in items:
                    self._bind(item, value) if isinstance(item, ir.Display) else self._set(item, _ON_CPU if beside else _NOWHERE)
            case _:
                self._set(target, self._of(value))

    def _set(self, target: ir.Expr, places: Places) -> None:
        if not isinstance(target, ir.Name):
            self._want(places)
        if isinstance(target, ir.Subscript) and ir.render(target) not in self._places:
            return  # what is copied into a tensor leaves it where it is
        name = ir.render(target)
        # Where a branch is not taken, the name still stands for what was not moved.
        left = self._places.get(name, _NOWHERE) & {"moved"} if self._in_a_branch else _NOWHERE
        self._places[name] = places | left

    def _together(self, operands: Iterable[ir.Expr]) -> Places:
        """Where the result of an operation on some tensors is; they meet there."""
        placed = [(operand, self._of(operand)) for operand in operands]
        for _, there in placed:
            if "moved" in there:
                other = "cpu" if "device" in there else "device"
                unmoved = [(operand, each) for operand, each in placed if "moved" not in each]
                self.met = self.met or any(other in each for _, each in unmoved)
                self.wanted = self.wanted or any(other not in each and not _is_no_tensor(operand) for operand, each in unmoved)
        return _NOWHERE.union(*(each for _, each in placed))

    def _of(self, expr: ir.Expr) -> Places:
        match expr:
            case ir.Name() | ir.Attr() | ir.Subscript() if (known := self._places.get(ir.render(expr))) is not None:
                return known
            case ir.Attr(value=inner, attr=attr):
                within = self._of(inner)
                return _NOWHERE if attr in _ABOUT or ir.path_of(inner) == "self" else within
            case ir.Subscript(value=inner, index=index):
                within, chosen = self._of(inner), self._of(index)
                # The processor's indices choose from a tensor anywhere; those of a device choose on it alone.
                return self._together([inner, index]) if "cpu" in within and "moved" in chosen else within
            case ir.Binary(left=left, right=right):
                return self._together([left, right])
            case ir.Compare(left=left, rights=rights, ops=ops):
                return self._together([left, *rights]) if not {"is", "is not", "in", "not in"} & set(ops) else _NOWHERE
            case ir.Call():
                return self._of_call(expr)
            case ir.IfExp(test=test, body=body, orelse=orelse):
                self._of(test)
                return self._of(body) | self._of(orelse)
        places = _NOWHERE.union(*map(self._of, ir.children(expr)))
        if isinstance(expr, ir.Comprehension | ir.Lambda | ir.Yield | ir.Walrus):
            self._want(places)  # who gets it, or under which name, is not followed
        return places

    def _of_call(self, call: ir.Call) -> Places:
        operands = list(_operands(call))
        name = ir.called_name(call)
        path = ir.path_of(call.func)
        receiver = call.func.value if isinstance(call.func, ir.Attr) else None
        there = self._of(receiver) if receiver is not None else _NOWHERE
        if there and (name in _ABOUT or (name in FETCHING and name != "cpu") or TENSOR_METHODS.get(name) == "number"):
            if name == "numpy" and "device" not in there:
                self._want(there)
            return _NOWHERE
        if receiver is not None and name in CONVERSIONS:
            return _moved_to(call) or there
        of_torch = path is not None and self._is_of_torch(path)
        if of_torch and name in _MADE:
            told = next((arg.value for arg in call.args if arg.keyword == "device"), None)
            number = name == "tensor" and isinstance(call.args[0].value if call.args else None, ir.Const)
            return _at(told) if told is not None else _NOWHERE if number else _ON_CPU
        if (receiver is None and hasattr(builtins, name)) or name in _KEEPING or (name[:1].isupper() and not of_torch):
            kept = _NOWHERE.union(*map(self._of, operands))
            if receiver is not None or not hasattr(builtins, name):
                self._want(_NOWHERE if name in _WRITING else kept)
            return kept
        places = self._together([*([receiver] if receiver is not None and there else []), *operands])
        if not of_torch and not there:
            self._want(places)
        # A function out of sight may move what it gets; what is computed of the moved tensor is there in all likelihood.
        return places if of_torch or there or "moved" in places else _NOWHERE

    def _is_tensor(self, receiver: ir.Expr) -> bool:
        found = value_at(self._interp, receiver.id) if isinstance(receiver, ir.Name) else frozenset()
        return bool(found) and all(isinstance(a, Tensor) for a in found)

    def _is_of_torch(self, path: str) -> bool:
        found = value_at(self._interp, path)
        return bool(found) and all(isinstance(a, External) and a.qualname.startswith("torch.") for a in found)


def _is_no_tensor(expr: ir.Expr) -> bool:
    """Whether an operand is no tensor by its words: a constant, a size, a number that was fetched."""
    match expr:
        case ir.Const() | ir.Format() | ir.Attr(attr="shape" | "dtype" | "device"):
            return True
        case ir.Unary(operand=operand):
            return _is_no_tensor(operand)
        case ir.Subscript(value=value):
            return _is_no_tensor(value)
        case ir.Call(func=ir.Name(id="len" | "int" | "float")) | ir.Call(func=ir.Attr(attr="size" | "dim" | "numel" | "item" | "tolist")):
            return True
    return False


def _operands(call: ir.Call) -> Iterator[ir.Expr]:
    """What a call gets, and the items of what it gets: `torch.cat([a, b])`."""
    for arg in call.args:
        yield from arg.value.items if isinstance(arg.value, ir.Display) else [arg.value]


def _moved_to(call: ir.Call) -> Places:
    """Where a conversion takes a tensor; nowhere else where it changes the type alone."""
    match call:
        case ir.Call(func=ir.Attr(attr="cuda" | "xpu" | "npu")):
            return _ON_DEVICE
        case ir.Call(func=ir.Attr(attr="cpu")):
            return _ON_CPU
        case ir.Call(func=ir.Attr(attr="to"), args=[ir.Arg(value=told, keyword=None | "device", star=""), *_]):
            return (
                _NOWHERE
                if "dtype" in ir.render(told) or ir.render(told).startswith("torch.") and not isinstance(told, ir.Call)
                else _at(told)
            )
    return _NOWHERE


def _at(device: ir.Expr) -> Places:
    """The place that an expression of a device names."""
    return _ON_CPU if ir.render(device) in ("'cpu'", "torch.device('cpu')") else _ON_DEVICE


def _is_batch(value: ir.Expr) -> bool:
    """Whether an expression may be a batch, or what gives one in each turn of a loop."""
    match value:
        case ir.Name() | ir.Attr() | ir.Subscript():
            return True
        case ir.Call(func=ir.Name(id="next" | "enumerate" | "tqdm") | ir.Attr(attr="next" | "__next__" | "tqdm")):
            return True
    return False
