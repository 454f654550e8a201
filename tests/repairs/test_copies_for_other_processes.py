"""A tensor that is moved may go to another process with what is computed of it, and a process that was forked cannot take it: unsafe (LL503)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import concurrent.futures
import multiprocessing
import torch
from safetensors.torch import save_file

WORKERS

def quantized(weight):
    scale = weight.abs().max() / 448
    return (weight / scale).to(torch.float8_e4m3fn), scale

def convert(rows, device):
    for name, row in rows.items():
        weight = torch.cat([row, row])
        weight.MOVED
        small, scale = quantized(weight)
        HANDED
"""


def _repair(workers: str, handed: str, moved: str = "cuda()") -> str | None:
    found = looplint.lint(PROGRAM.replace("WORKERS", workers).replace("HANDED", handed).replace("MOVED", moved), isolated=True)
    (fix,) = [f.fix for f in found if f.code == "LL503"]
    return fix and fix.applicability


@pytest.mark.parametrize(
    ("workers", "handed"),
    [
        ("pool = concurrent.futures.ProcessPoolExecutor(4)", "pool.submit(save_file, {name: small.cpu(), 'scale': scale}, name)"),
        ("queue = multiprocessing.Queue()", "queue.put((name, scale))"),
        ("pool = multiprocessing.Pool(4)", "pool.map(print, [scale])"),
        ("pool = multiprocessing.get_context('fork').Pool(4)", "pool.apply_async(print, (scale,))"),
        ("", "multiprocessing.Process(target=print, args=(scale,)).start()"),
        ("", "print(scale.numpy())"),
    ],
)
@pytest.mark.parametrize("moved", ["cuda()", "to(device)"])
def test_what_is_moved_may_go_to_another_process(workers: str, handed: str, moved: str) -> None:
    assert _repair(workers, handed, moved) == "unsafe"


@pytest.mark.parametrize(
    ("workers", "handed"),
    [
        ("", "save_file({name: small, 'scale': scale}, name)"),
        ("", "print(list(map(print, [scale])))"),
        ("print(multiprocessing.cpu_count())", "print(scale)"),
        ("", "print(scale.cpu().numpy())"),
    ],
)
def test_what_stays_in_the_process(workers: str, handed: str) -> None:
    assert _repair(workers, handed) == "safe"


def test_a_conversion_moves_nothing() -> None:
    assert _repair("queue = multiprocessing.Queue()", "queue.put((name, scale))", "double()") == "safe"
