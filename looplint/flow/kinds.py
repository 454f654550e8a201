"""The vocabulary of both front ends: what happens in a training loop.

The static side emits these events for every path of a program, the recorder for the one path that ran.
"""

from __future__ import annotations

from typing import Literal, get_args

FlowKind = Literal[
    "construct",  # an optimizer, scheduler or scaler is built
    "clear",  # optimizer.zero_grad(), model.zero_grad(), p.grad = None
    "forward",  # a module is called
    "backward",  # loss.backward() or what stands for it
    "unscale",  # scaler.unscale_(optimizer)
    "clip",  # clip_grad_norm_, clip_grad_value_, accelerator.clip_grad_norm_
    "step",  # optimizer.step(), scaler.step(optimizer)
    "update",  # scaler.update()
    "schedule",  # scheduler.step()
    "train",  # module.train()
    "eval",  # module.eval()
    "mode",  # module.train(flag), where the flag is not known
    "freeze",  # parameters take no gradients any more: p.requires_grad = False
    "thaw",  # parameters take gradients (again): p.requires_grad = True
    "move",  # module.to / cuda / half / to_empty
    "replace",  # a submodule or parameter is assigned on a module
    "keep",  # a value is stored where it outlives the iteration (a history list, a metric dict)
    "accumulate",  # total += value across iterations
    "snapshot",  # a state_dict is taken
    "save",  # torch.save
    "load",  # torch.load, load_state_dict
    "switch",  # a global setting of PyTorch is set
    "iterator",  # an iterator over parameters is made, and kept
    "exhaust",  # such an iterator is gone through to its end
    "copy",  # the object becomes a copy of another one, in whatever state that is
    "escape",  # the object reaches code that cannot be followed
]
# Judged where they stand, whatever came before: noted beside the graph, where no automaton sees them.
RemarkKind = Literal[
    "discard",  # a tensor's copy on another device or in another type is made, and not used
    "shelve",  # a list, tuple or dict becomes an attribute of a module
    "unready",  # a part is given to a module before the constructor of torch's base class has run
    "unregistered",  # a parameter is moved or converted where it is built, and a module keeps the result
    "drop",  # a forward drops numbers by a function that is not told the mode of its module
    "bypass",  # module.forward(...) is called in place of the module
    "withdraw",  # something is taken out of a list or a dict, or all of it
    "mix",  # a state gets other entries than those of its owner
    "read-entry",  # an entry of a file is asked for: checkpoint["model"]
    "spread",  # a module is wrapped to compute on several devices: DataParallel
    "attach",  # something comes to stand around the calls of a module: a hook, a norm of its weights
    "transfer",  # a part of a batch goes to a device
    "fetch",  # the value of a forward's result is read, or the program waits for the device explicitly
    "differentiate",  # torch.autograd.grad goes through what forwards put out
    "export",  # a tensor becomes an array as it is, which torch refuses where it has a graph
    "release",  # the device's cached memory is given back
    "show",  # a tensor becomes text: it is printed or put into a string
    "loader",  # a data loader is built
    "sampler",  # a sampler is built
    "drive",  # a framework gets a loader to train on, or to evaluate
    "seed",  # the random numbers of torch start over
    "initialize",  # parameters get their first values again
    "reset-statistics",  # the running statistics of a batch norm are begun anew
    "ask-place",  # where a scheduler is in its schedule is read
    "ask-rate",  # the rate that is in force is read, from an optimizer or a scheduler
    "set-rate",  # the rate of an optimizer is set by hand
    "set-epoch",  # the epoch of a sampler is set
    "outdated",  # a name of torch is called that has another one now
    "average",  # a sum of the mean losses of batches is divided
    "score",  # a loss is computed of a prediction of which it matters what it came out of
    "objective",  # a loss is computed of parameters themselves, by no module's call
    "entrust",  # a call out of sight gets a loss with its graph
]
EventKind = Literal[FlowKind, RemarkKind]

EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
_FLOWING, _REMARKED = get_args(FlowKind), get_args(RemarkKind)
# What may follow a kind in the arrow of an automaton, `backward:scaled`; a move has the type, a switch the setting.
_VARIANTS = {
    "forward": ("half",),
    "backward": ("scaled", "maybe-scaled", "accelerator", "engine", "optimizer", "scaler", "framework", "output"),
    "step": ("scaler",),
    "escape": ("restoring",),
}
_OPEN = ("move", "switch")


class Misspelt(ValueError):
    """What an automaton or a rule names, and what there is not."""

    def __init__(self, word: str, message: str) -> None:
        super().__init__(message)
        self.word = word


def check_flowing(word: str) -> None:
    """Hold the event of an arrow to what there is.

    Raises:
        Misspelt: no automaton ever sees such an event.
    """
    kind, _, variant = word.partition(":")
    if kind in _REMARKED:
        raise Misspelt(word, f"automata do not see {kind!r}, which is a remark; ask program.of() for it")
    if kind not in _FLOWING:
        raise Misspelt(word, no_such_event(kind))
    if variant and kind not in _OPEN and variant not in _VARIANTS.get(kind, ()):
        known = ", ".join(_VARIANTS.get(kind, ())) or "none"
        raise Misspelt(word, f"the event {kind!r} has no variant {variant!r}; its variants: {known}")


def no_such_event(word: str) -> str:
    """What is said of an event that there is not."""
    from difflib import get_close_matches

    near = get_close_matches(word, EVENT_KINDS, 1)
    return f"there is no event {word!r}; " + (f"did you mean {near[0]!r}?" if near else f"the events are {', '.join(EVENT_KINDS)}")
