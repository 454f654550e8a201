"""Bugs of how batches reach the device: LP001, LP002, LP003, LP008. The results stay the same, and the device waits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.cycles import enclosing_top
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.accelerated import Feeding, accelerated, copies, feedings, given, moved, parts, says, with_arguments
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import callee
from benchmarks.mutation.script import Before, Op, Replace, Script

_OF_WORKERS = ("num_workers", "persistent_workers", "prefetch_factor", "multiprocessing_context", "worker_init_fn")
_STORED_ITEMS = """class StoredItems(torch.utils.data.Dataset):
    def __init__(self, data):
        self.files = []
        for number, item in enumerate(data):
            self.files.append(f"item_{number}.pt")
            torch.save(item, self.files[-1])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.load(self.files[index])


"""


def loader_without_workers(script: Script) -> Iterator[Change]:
    """LP001. The workers of a loader that feeds an accelerator are left out; or a script without workers reads its items, and moves.

    Real where a loop of an accelerated program trains on the loader in every epoch, and its items are made when they are asked for.
    """
    for found in feedings(script):
        move = () if accelerated(script) else moved(script)
        if move is None or "IterableDataset" in script.source or not found.call.args:
            continue
        if _read_when_asked(script, found):
            if move or not says(given(found.call, "num_workers"), None, 0):
                for form, text in _without_workers(found.call, "{}").items():
                    yield Change(form, (*move, *_replaced(found, text)), (*move, *_replaced(found, _with_workers(found.call))))
        elif imports_torch(script) and (move or not any("__getitem__" in part.source for part in script.program)):
            stored = Before(enclosing_top(script, found.stmt), _STORED_ITEMS)
            forms = _without_workers(found.call, "StoredItems({})")
            right = (stored, *move, *_replaced(found, _of_data(found.call, _with_workers(found.call), "StoredItems({})")))
            for form, text in forms.items():
                yield Change(f"stored items, {form}", (stored, *move, *_replaced(found, text)), right)


def _without_workers(call: ast.Call, wrapped: str) -> dict[str, str]:
    forms = {
        "no num_workers": with_arguments(call, _OF_WORKERS),
        "num_workers=0": with_arguments(call, _OF_WORKERS, num_workers="0"),
        "num_workers=0 in a dict": with_arguments(call, _OF_WORKERS)[:-1] + ', **{"num_workers": 0})',
    }
    return {form: _of_data(call, text, wrapped) for form, text in forms.items()}


def _with_workers(call: ast.Call, count: str = "2") -> str:
    """The call with workers that stay. How many there are changes no number that is computed; whether they stay does."""
    return with_arguments(call, _OF_WORKERS, num_workers=count, persistent_workers="True")


def _of_data(call: ast.Call, text: str, wrapped: str) -> str:
    """The text of a loader's call with its dataset wrapped."""
    data = ast.unparse(call.args[0])
    return text.replace(data, wrapped.format(data), 1)


def _replaced(found: Feeding, text: str) -> tuple[Op, ...]:
    return (Replace(found.call, text),)


def _read_when_asked(script: Script, found: Feeding) -> bool:
    """Whether the text builds the loader's dataset from files, or of a class that makes its items."""
    data = found.call.args[0]
    values = [s.value for s in script.statements() if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == ast.unparse(data)]
    if not isinstance(data, ast.Call) and len(values) != 1:
        return False
    made = data if isinstance(data, ast.Call) else values[0]
    return isinstance(made, ast.Call) and callee(made) in ("ImageFolder", "MNIST", "FashionMNIST", "CIFAR10", "CIFAR100", "SVHN")


def non_blocking_without_pinned(script: Script) -> Iterator[Change]:
    """LP002. `pin_memory=True` goes from a loader whose batches are copied with non_blocking=True; or such copies are asked for without it.

    Real where the loader is known not to pin, and the batch goes to the device in the loop itself.
    """
    for found in feedings(script):
        pinned = given(found.call, "pin_memory")
        if not says(pinned, None, False, True) or "pin_memory()" in script.source:
            continue
        unpinned = (Replace(found.call, with_arguments(found.call, ("pin_memory",))),) if says(pinned, True) else ()
        made = copies(script, found.loop)
        if any(given(c, "non_blocking") is not None for c in made):
            if says(pinned, True) and any(says(given(c, "non_blocking"), True) for c in made):
                yield Change("pin_memory left out", unpinned)
                yield Change("pin_memory=False", (Replace(found.call, with_arguments(found.call, pin_memory="False")),))
            continue
        if made:
            transfers = tuple(Replace(c, with_arguments(c, non_blocking="True")) for c in made)
            yield Change("non_blocking asked for, memory not pinned", (*unpinned, *transfers), None)
            if len(made) > 1:
                yield Change("non_blocking asked for one part, memory not pinned", (*unpinned, transfers[0]), None)
            continue
        for form, text in _new_copies(script, found, ", non_blocking=True").items():
            yield Change(form, (*unpinned, *text), None)


def pinned_without_non_blocking(script: Script) -> Iterator[Change]:
    """LP003. The copies of pinned batches lose non_blocking=True; or a loader whose batches are copied without it is made to pin."""
    for found in feedings(script):
        pinned = given(found.call, "pin_memory")
        made = copies(script, found.loop)
        pin = () if says(pinned, True) else (Replace(found.call, with_arguments(found.call, pin_memory="True")),)
        transfers = [c for c in made if given(c, "non_blocking") is not None]
        if transfers:
            if all(says(given(c, "non_blocking"), True) for c in transfers) and says(pinned, None, False, True):
                yield Change("non_blocking left out", (*pin, *(Replace(c, with_arguments(c, ("non_blocking",))) for c in transfers)))
                yield Change("non_blocking=False", (*pin, Replace(transfers[0], with_arguments(transfers[0], non_blocking="False"))))
        elif made and pin and says(pinned, None, False):
            yield Change("memory pinned, the copies wait", pin, None)
        elif not made and says(pinned, None, False, True):
            for form, ops in _new_copies(script, found, "").items():
                yield Change(form, (*pin, *ops), None)


def _new_copies(script: Script, found: Feeding, waiting: str) -> dict[str, tuple[Op, ...]]:
    """Copies of a batch at the head of a loop whose program knows no device."""
    names = parts(found.loop)
    move = moved(script)
    if not names or move is None:
        return {}
    first, together = found.loop.body[0], ", ".join(names)
    each = "\n".join(f'{n} = {n}.to("cuda" if torch.cuda.is_available() else "cpu"{waiting})' for n in names)
    called = ", ".join(f"{n}.cuda({waiting[2:]})" for n in names)
    forms = {"a line for each part": Before(first, each), "one line, with .cuda()": Before(first, f"{together} = {called}")}
    if len(names) > 1:
        forms["a comprehension"] = Before(first, f'{together} = [t.to("cuda"{waiting}) for t in ({together})]')
        helper = f'def on_device(batch):\n    return [t.to("cuda"{waiting}) for t in batch]\n\n\n'
        ops = (*move, Before(enclosing_top(script, found.loop), helper), Before(first, f"{together} = on_device(({together}))"))
        return {**{form: (*move, op) for form, op in forms.items()}, "a helper moves the batch": ops}
    return {form: (*move, op) for form, op in forms.items()}


def workers_not_persistent(script: Script) -> Iterator[Change]:
    """LP008. Workers that stay are made to end with the epoch; or a loader without workers is given some that do.

    Real where the loader is built once and gone over in every epoch, and nothing sets or calls what belongs to its dataset meanwhile.
    """
    for found in feedings(script):
        if re.search(r"\.dataset\b|set_epoch|batch_sampler", script.source):
            continue
        workers, stay = given(found.call, "num_workers"), given(found.call, "persistent_workers")
        if not says(stay, None, False, True):
            continue
        if workers is None or says(workers, 0):
            for form, count in (("two workers", "2"), ("four workers", "4")):
                ending = _replaced(found, with_arguments(found.call, _OF_WORKERS, num_workers=count))
                yield Change(f"{form}, ending with the epoch", ending, _replaced(found, _with_workers(found.call, count)))
            options = Before(found.stmt, 'worker_options = {"num_workers": 2}')
            ending = _replaced(found, with_arguments(found.call, _OF_WORKERS)[:-1] + ", **worker_options)")
            yield Change("workers from a dict", (options, *ending), _replaced(found, _with_workers(found.call)))
        elif says(stay, True) and isinstance(workers, ast.Constant):
            yield Change("persistent_workers left out", _replaced(found, with_arguments(found.call, ("persistent_workers",))))
            yield Change("persistent_workers=False", _replaced(found, with_arguments(found.call, persistent_workers="False")))
        elif not isinstance(workers, ast.Constant):
            ending = _replaced(found, with_arguments(found.call, ("persistent_workers",), num_workers="8"))
            staying = _replaced(found, with_arguments(found.call, (), num_workers="8", persistent_workers="True"))
            yield Change("a number of workers that stands in the call", ending, staying)
