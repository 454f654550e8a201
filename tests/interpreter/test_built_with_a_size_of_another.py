"""What code out of sight builds with a size of a model has no part of that model: what happens to the one does not happen to the other."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        import library
        def main(coder: nn.Module, loader):
            coder = coder.to("cuda")
            prior = library.build({given}).to("cuda")
            optimizer = prior.get_optimizer(lr=1e-3)
            for x, y in loader:
                optimizer.zero_grad()
                latent = library.encode(coder, x)
                loss = prior.get_loss(y, latent)
                {first}{marked}
                {second}
"""
EARLY = {"first": "optimizer.step()", "second": "loss.backward()"}
SIZES = ["coder.latent_dim", "width=coder.hidden_size", "coder.vocab_size, coder.embed_dim", "{'dim': coder.output_dim}"]


@pytest.mark.parametrize("given", SIZES)
def test_with_a_size(given: str) -> None:
    assert_marked(LOOP.format(given=given, marked="  # expect: LL105", **EARLY))
    assert_marked(LOOP.format(given=given, marked="", first="loss.backward()", second="optimizer.step()"))


@pytest.mark.parametrize("given", ["coder", "coder.body", "coder.parts[0]"])
def test_with_a_part(given: str) -> None:
    assert_marked(LOOP.format(given=given, marked="", **EARLY))
