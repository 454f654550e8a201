"""LL503: what a name gets above the conversion is a tensor where only tensors give it: computed in a function of the program, or known by another name."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL503"
COMPUTED = """
        from elsewhere import Graph, stats

        def flatten(data, mask):
            {body}

        def collect(tracer, loader, device):
            for batch in loader:
                feats = flatten(tracer.trace(batch), batch["mask"])
                feats.to(device){mark}
                stats.add(feats)
"""
NAMED = """
        from elsewhere import Graph, layers

        def run(embeds):
            count = {use}
            hidden = embeds
            {then}
            for layer in layers:
                hidden.to(layer.device){mark}
                out = layer(hidden, count)
                hidden = out[0]
            return hidden
"""


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        pytest.param(
            "flat = data.view(-1, data.size(-1)); return flat[mask.view(-1).nonzero()[:, 0]]", FOUND, id="entries of what is computed"
        ),
        pytest.param("data = data.unsqueeze(0); data = data.float(); return data", FOUND, id="converted on the way"),
        pytest.param("return data.permute(1, 0, 2).contiguous().view(-1).cpu()", FOUND, id="one method after the other"),
        pytest.param("return data[mask]", "", id="entries of what is handed in, which may be a batch"),
        pytest.param("return Graph(data) if data.dense else data.view(-1)", "", id="one of both"),
        pytest.param("flat = data.view(-1); flat = Graph(flat); return flat", "", id="made into something else"),
        pytest.param("for flat in data.view(-1, 2): yield flat", "", id="a generator"),
    ],
)
def test_computed_in_a_function(body: str, mark: str) -> None:
    assert_marked(COMPUTED.format(body=body, mark=mark))


@pytest.mark.parametrize(
    ("use", "then", "mark"),
    [
        pytest.param("embeds.shape[1]", "pass", FOUND, id="of a shape"),
        pytest.param("(embeds * 2).sum()", "hidden = hidden.float()", FOUND, id="computed with, and converted"),
        pytest.param("len(embeds)", "pass", "", id="of a length"),
        pytest.param("embeds.edge_index.shape[1]", "pass", "", id="with fields of its own"),
        pytest.param("embeds.shape[1]", "hidden = Graph(hidden)", "", id="made into something else"),
    ],
)
def test_another_name(use: str, then: str, mark: str) -> None:
    assert_marked(NAMED.format(use=use, then=then, mark=mark))
