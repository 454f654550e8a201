"""A method that prints, saves or freezes a model by its name is no model, whatever it is called on."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    import lib

    def init_policy(cfg, device):
        if cfg.pretrained:
            policy = lib.instantiate(cfg.network).to(device)
        else:
            policy = lib.instantiate(cfg.other).to(device)
        policy.{method}()
        policy.to(device)
        return policy

    def train(model, loader, opt):
        for batch in loader:
            loss = model.compute_loss(batch)
            loss.backward()
            opt.zero_grad()
            opt.step()

    def run(cfg):
        policy = init_policy(cfg, "cuda")
        opt = torch.optim.Adam(policy.parameters())
        train(policy, lib.read(), opt)

    run(lib.config())
"""


@pytest.mark.parametrize("method", ["print_model_stats", "save_model", "freeze_encoder", "summarize_network", "_show_net"])
def test_what_it_is_called_on_is_followed(method: str) -> None:
    found = looplint.lint(dedent(PROGRAM.format(method=method)), isolated=True)
    assert [(f.code, f.location.row) for f in found if f.severity != "advice"] == [("LL101", 18)]
