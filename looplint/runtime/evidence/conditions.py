"""What a run has to come to before it can speak against a finding of a rule.

A finding is refuted only where the run came to the very thing and did not do what the finding says: not by a run that ended before, not by one
without the device that shows it, and not where the line never ran.
"""

from __future__ import annotations

# For each rule that a single run can judge, the observation that refutes a finding where it does not show it; the witnesses look for it.
TELLS: dict[str, str] = {
    "LL101": "a clear of gradients that a backward filled",
    "LL102": "a backward after a step of the same optimizer",
    "LL103": "a clip and a backward in the same iteration",
    "LL104": "a clip and a backward in the same iteration",
    "LL105": "a backward in the same iteration as the step, or a step that finds gradients",
    "LL106": "a backward into parameters of an optimizer, and its step",
    "LL107": "a step",
    "LL108": "several backwards for one step, or a second step",
    "LL109": "a second step of the same optimizer",
    "LL110": "a backward",
    "LL111": "the end of the script",
    "LL201": "a schedule step after an optimizer step",
    "LL202": "several optimizer steps before a schedule step, or both in the same loop",
    "LL203": "a schedule step, and an optimizer step before or after it",
    "LL204": "a schedule step",
    "LL205": "a second epoch, or the end of the script",
    "LL206": "an optimizer step between two schedule steps",
    "LL301": "a forward after an eval() whose gradients a step uses",
    "LL302": "a forward whose iteration is over",
    "LL303": "a forward whose iteration is over",
    "LL304": "a forward after an eval() whose gradients a step uses",
    "LL306": "two batches of a pass over a loader that get the same tensor",
    "LL401": "a value that is kept",
    "LL402": "a value that is kept",
    "LL403": "two training batches",
    "LL501": "a move that changes a device or a type, and a later step",
    "LL502": "an assignment, and a later step",
    "LL503": "a conversion to another type, or to one of two devices",
    "LL504": "a direct forward",
    "LL506": "a module that is used before it is built",
    "LL507": "a step, or a backward that fails for want of a graph",
    "LL601": "a clip of gradients of a loss that a scaler scaled",
    "LL602": "a step through a scaler, and an update or another step after it",
    "LL603": "a backward through a forward in float16",
    "LL604": "a step on gradients of a loss that a scaler scaled",
    "LL605": "a scaler that gets at gradients",
    "LL701": "an input of the loss",
    "LL702": "an input of the loss",
    "LL703": "an input of the loss",
    "LL801": "a state that is taken and later restored",
    "LL802": "a state that is restored, and a later step",
    "LL803": "a file that is loaded",
    "LL805": "an optimizer's state that is restored, and later steps of it and of its scheduler or scaler",
    "LL901": "a backward on a batch of the loader",
    "LL902": "both flags at the end",
    "LL903": "two passes over a distributed sampler",
    "LL904": "a seed",
    "LP001": "a backward on a batch of the loader",
    "LP002": "a copy to an accelerator",
    "LP003": "a copy to an accelerator",
    "LP004": "two training batches",
    "LP005": "two training batches",
    "LP006": "a clear of gradients that are there",
    "LP007": "a warning",
    "LP008": "two passes over a loader with workers",
    "LP009": "two steps, and a forward through layers with running statistics",
}
# Rules whose observation a script for a GPU makes only there: on a CPU scalers are off, autocast takes bfloat16, and nothing moves.
NEEDS_CUDA = frozenset({"LL501", "LL503", "LL601", "LL603", "LL604", "LL902", "LP002", "LP003"})
