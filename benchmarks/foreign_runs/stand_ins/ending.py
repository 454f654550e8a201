"""Ends a script after some optimizer steps and notes what it has computed by then and how long that took, whether it is recorded or not.

The environment says after how many steps (LOOPLINT_STEPS; or after how many processor seconds, LOOPLINT_SECONDS) and where to write (LOOPLINT_ENDING).
"""

import gc
import hashlib
import json
import os
import pickle
import random
import time

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

_STEPS, _SECONDS = int(os.environ.get("LOOPLINT_STEPS", 0)), float(os.environ.get("LOOPLINT_SECONDS", 0))
_taken, _began = 0, 0.0


def _after_step(optimizer, args, kwargs):
    global _taken, _began
    _taken += 1
    if _taken == 1:
        _began = _waited()
        return
    if _taken == _STEPS or (_SECONDS and time.process_time() - _began > _SECONDS):
        seconds, tensors = _waited() - _began, _held()
        facts = {"steps": _taken, "seconds": seconds, "gpu": any(t.is_cuda for t in tensors), "computed": _computed(tensors)}
        with open(os.environ["LOOPLINT_ENDING"], "w") as file:
            json.dump(facts, file)
        raise SystemExit(0)


def _waited():
    """The processor time, when the GPU has done what it was asked for."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return time.process_time()


def _held():
    """All parameters, gradients, buffers and states of optimizers."""
    tensors = []
    for thing in gc.get_objects():
        if issubclass(type(thing), torch.nn.Module):
            own = [*thing._parameters.values(), *thing._buffers.values()]
            tensors += [t for t in own if t is not None]
        elif issubclass(type(thing), torch.optim.Optimizer):
            held = [p for group in thing.param_groups for p in group["params"]]
            states = [v for state in thing.state.values() if isinstance(state, dict) for v in state.values()]
            tensors += [*held, *(v for v in states if isinstance(v, torch.Tensor))]
    tensors = list({id(t): t for t in tensors}.values())
    return tensors + [t.grad for t in tensors if t.is_leaf and t.grad is not None]


def _computed(tensors):
    """Fingerprints of tensors, and of the random numbers that would come next."""
    values = sorted(_digest(t.detach().contiguous().reshape(-1).view(torch.uint8).cpu().numpy().tobytes()) for t in tensors if t.numel())
    of_gpu = torch.cuda.get_rng_state().tolist() if torch.cuda.is_initialized() else []
    drawn = pickle.dumps((random.getstate(), np.random.get_state(legacy=False), of_gpu))
    return [_digest("".join(values).encode()), _digest(torch.get_rng_state().numpy().tobytes()), _digest(drawn)]


def _digest(data):
    return hashlib.blake2b(data, digest_size=8).hexdigest()


register_optimizer_step_post_hook(_after_step)
