"""What a run has to reach before it can confirm or refute a finding of a rule: one table, which the verdicts and the tests are held to.

A finding is refuted only where the run came to the very thing and did not do what the finding says: not by a run that ended before, not by one
without the device that shows it, and not where the line never ran.
"""

from __future__ import annotations

from typing import NamedTuple

from looplint.runtime.recording.channels import Channel


class Condition(NamedTuple):
    """What the verdicts on one rule's findings rest on.

    Attributes:
        tells: the observation that refutes a finding where it does not show it.
        shows: the observation that confirms a finding.
        channels: the hooks that make these observations; where one of them failed, nothing is said.
        turns: the optimizer steps without which a run cannot refute a finding.
        cuda: whether a script for a GPU makes the observation only there: on a CPU scalers are off, and nothing moves.
        harm: whether the observation is itself the damage; else it says that the line did what the finding states.
        compared: whether the rule's measure beside the repaired run is the damage: other gradients or rates, memory that is held.
    """

    tells: str
    shows: str
    channels: tuple[Channel, ...]
    turns: int = 0
    cuda: bool = False
    harm: bool = False
    compared: bool = False


GRADIENTS: tuple[Channel, ...] = ("optimizers", "steps", "clears", "backwards")
CONDITIONS: dict[str, Condition] = {
    "LL101": Condition(
        "a clear of gradients that a backward filled",
        "a step that finds no gradients after the clear",
        GRADIENTS,
        turns=1,
        harm=True,
    ),
    "LL102": Condition(
        "a backward after a step of the same optimizer",
        "a backward that adds to gradients which a step has used, and a step that uses the sum",
        GRADIENTS,
        turns=2,
        harm=True,
    ),
    "LL103": Condition(
        "a clip and a backward in the same iteration",
        "a clip of no gradients, whose backward comes after it",
        (*GRADIENTS, "clips"),
        turns=1,
        compared=True,
    ),
    "LL104": Condition(
        "a clip and a backward in the same iteration",
        "a clip of no gradients, whose step came before it",
        (*GRADIENTS, "clips"),
        turns=1,
        compared=True,
    ),
    "LL105": Condition(
        "a backward in the same iteration as the step, or a step that finds gradients",
        "a step that finds no gradients, whose backward comes after it",
        GRADIENTS,
        turns=1,
        harm=True,
    ),
    "LL106": Condition(
        "a backward into parameters of an optimizer, and its step",
        "backwards into parameters of an optimizer that never steps",
        GRADIENTS,
        harm=True,
    ),
    "LL107": Condition(
        "a step",
        "steps that find no gradients, of an optimizer that no backward reaches",
        GRADIENTS,
        turns=1,
        harm=True,
    ),
    "LL108": Condition(
        "several backwards for one step, or a second step",
        "a step on the sum of several backwards whose losses were not divided",
        GRADIENTS,
        turns=1,
        compared=True,
    ),
    "LL109": Condition(
        "a second step of the same optimizer",
        "a step on gradients of earlier batches, while another optimizer is cleared",
        GRADIENTS,
        turns=2,
        harm=True,
    ),
    "LL110": Condition(
        "a backward",
        "a graph that is kept, and no second backward through it",
        GRADIENTS,
        compared=True,
    ),
    "LL111": Condition(
        "the end of the script",
        "a backward after the last step",
        GRADIENTS,
        harm=True,
    ),
    "LL112": Condition(
        "a step on gradients of several backwards",
        "a step on gradients that a backward left after which another optimizer stepped first",
        GRADIENTS,
        turns=1,
        harm=True,
    ),
    "LL201": Condition(
        "a schedule step after an optimizer step",
        "a schedule step in the loop over batches",
        ("optimizers", "steps", "schedules"),
        turns=1,
        compared=True,
    ),
    "LL202": Condition(
        "several optimizer steps before a schedule step, or both in the same loop",
        "several optimizer steps before a schedule step",
        ("optimizers", "steps", "schedules"),
        turns=1,
        compared=True,
    ),
    "LL203": Condition(
        "a schedule step, and an optimizer step before or after it",
        "a schedule step before its optimizer's first step",
        ("optimizers", "steps", "schedules"),
        turns=1,
        harm=True,
    ),
    "LL204": Condition(
        "a schedule step",
        "a TypeError in a schedule step, or a counter for its metric",
        ("schedules",),
    ),
    "LL205": Condition(
        "a second epoch, or the end of the script",
        "a scheduler that never steps while its optimizer does",
        ("optimizers", "steps", "schedules", "loaders"),
        turns=1,
        harm=True,
    ),
    "LL206": Condition(
        "an optimizer step between two schedule steps",
        "a schedule step after steps of other optimizers alone",
        ("optimizers", "steps", "schedules"),
        turns=1,
    ),
    "LL301": Condition(
        "a forward after an eval() whose gradients a step uses",
        "a forward in eval mode whose gradients a step uses",
        (*GRADIENTS, "forwards", "modes"),
        turns=1,
    ),
    "LL302": Condition(
        "a forward whose iteration is over",
        "a forward that no backward uses, with dropout or running statistics active",
        ("forwards", "backwards", "loaders"),
    ),
    "LL303": Condition(
        "a forward whose iteration is over",
        "a forward that builds a graph which no backward uses",
        ("forwards", "backwards", "loaders"),
        compared=True,
    ),
    "LL304": Condition(
        "a forward after an eval() whose gradients a step uses",
        "a forward in eval mode whose gradients a step uses",
        (*GRADIENTS, "forwards", "modes"),
        turns=1,
    ),
    "LL306": Condition(
        "two batches of a pass over a loader that get the same tensor",
        "a validation pass in which a forward or a loss gets the same tensor for each batch",
        ("forwards", "losses", "backwards", "loaders"),
    ),
    "LL401": Condition(
        "a value that is kept",
        "a value with its graph, where it is kept",
        ("probes", "loggers"),
        compared=True,
    ),
    "LL402": Condition(
        "a value that is kept",
        "a value with its graph, where it is kept",
        ("probes", "loggers"),
        compared=True,
    ),
    "LL403": Condition(
        "two training batches",
        "a text of a tensor in most training batches",
        ("costs", "backwards", "loaders"),
    ),
    "LL501": Condition(
        "a move that changes a device or a type, and a later step",
        "a step on parameters that no module uses, or with a state elsewhere",
        ("optimizers", "steps", "moves", "changes"),
        turns=1,
        cuda=True,
        harm=True,
    ),
    "LL502": Condition(
        "an assignment, and a later step",
        "gradients of parameters that no optimizer holds",
        ("optimizers", "steps", "parts", "changes"),
        turns=1,
        harm=True,
    ),
    "LL503": Condition(
        "a conversion to another type, or to one of two devices",
        "a conversion that gives another tensor",
        ("probes",),
        cuda=True,
    ),
    "LL504": Condition(
        "a direct forward",
        "a call of forward() itself",
        ("probes",),
    ),
    "LL506": Condition(
        "a module that is used before it is built",
        "the AttributeError of a module that is not built yet",
        (),
        harm=True,
    ),
    "LL507": Condition(
        "a step, or a backward that fails for want of a graph",
        "a step of parameters that are all frozen, or the error of a loss without a graph",
        ("steps",),
        harm=True,
    ),
    "LL601": Condition(
        "a clip of gradients of a loss that a scaler scaled",
        "a clip between the backward of a loss that went through a scaler and its unscaling",
        (*GRADIENTS, "scalers", "clips"),
        cuda=True,
    ),
    "LL602": Condition(
        "a step through a scaler, and an update or another step after it",
        "a step through a scaler, and no update before the next or the end",
        ("steps", "scalers"),
        turns=1,
    ),
    "LL603": Condition(
        "a backward through a forward in float16",
        "a backward of a loss that went through no scaler, through a forward in float16",
        ("forwards", "backwards", "scalers", "autocasts"),
        cuda=True,
    ),
    "LL604": Condition(
        "a step on gradients of a loss that a scaler scaled",
        "a step past the scaler on gradients of a loss that went through it",
        (*GRADIENTS, "scalers"),
        cuda=True,
    ),
    "LL605": Condition(
        "a scaler that gets at gradients",
        "the ValueError of a scaler that finds gradients in float16",
        (),
        harm=True,
    ),
    "LL701": Condition(
        "an input of the loss",
        "probabilities where logits belong",
        ("losses",),
    ),
    "LL702": Condition(
        "an input of the loss",
        "probabilities where logits belong",
        ("losses",),
    ),
    "LL703": Condition(
        "an input of the loss",
        "values that are no probabilities",
        ("losses",),
        harm=True,
    ),
    "LL801": Condition(
        "a state that is taken and later restored",
        "a restored state that is the model's own storage",
        ("states",),
        harm=True,
    ),
    "LL802": Condition(
        "a state that is restored, and a later step",
        "a first step without a state, after a model's was restored",
        ("states", "optimizers", "steps"),
        turns=1,
    ),
    "LL803": Condition(
        "a file that is loaded",
        "a torch.load without map_location",
        ("files",),
    ),
    "LL804": Condition(
        "a state that is taken, and the end of the script",
        "states of a model that are never given back to it",
        ("states",),
    ),
    "LL805": Condition(
        "an optimizer's state that is restored, and later steps of it and of its scheduler or scaler",
        "a scheduler or scaler that starts over after its optimizer's state was restored",
        ("states", "steps", "schedules", "scalers"),
        turns=1,
    ),
    "LL901": Condition(
        "a backward on a batch of the loader",
        "training batches in the stored order",
        ("loaders", "backwards"),
    ),
    "LL902": Condition(
        "both flags at the end",
        "both flags on at the end",
        ("final values",),
        cuda=True,
    ),
    "LL903": Condition(
        "two passes over a distributed sampler",
        "passes without set_epoch",
        ("loaders",),
    ),
    "LL904": Condition(
        "a seed",
        "parameters that are there before the first seed",
        ("seeds",),
    ),
    "LP001": Condition(
        "a backward on a batch of the loader",
        "training batches made in the training process",
        ("loaders", "backwards"),
    ),
    "LP002": Condition(
        "a copy to an accelerator",
        "a copy that is not to wait, from memory that is not pinned",
        ("costs", "loaders"),
        cuda=True,
    ),
    "LP003": Condition(
        "a copy to an accelerator",
        "a copy from pinned memory that is waited for",
        ("costs", "loaders"),
        cuda=True,
    ),
    "LP004": Condition(
        "two training batches",
        "a read of a tensor in most training batches",
        ("costs", "backwards", "loaders"),
    ),
    "LP005": Condition(
        "two training batches",
        "freed memory in most training batches",
        ("costs", "backwards", "loaders"),
    ),
    "LP006": Condition(
        "a clear of gradients that are there",
        "a clear that leaves gradients in memory",
        ("clears",),
        compared=True,
    ),
    "LP007": Condition(
        "a warning",
        "torch's warning of the old name",
        ("costs",),
    ),
    "LP008": Condition(
        "two passes over a loader with workers",
        "workers started anew for a later pass",
        ("loaders",),
    ),
    "LP009": Condition(
        "two steps, and a forward through layers with running statistics",
        "several updates of running statistics for each step",
        ("costs", "steps"),
        turns=2,
    ),
}
