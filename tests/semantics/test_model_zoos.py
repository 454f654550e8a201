"""A library's collection of models is none of its data sets: what it builds is trained."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        {imported}
        def main(loader, kind):
            {built}
            optimizer = torch.optim.AdamW(model.parameters())
            kept = []
            for epoch in range(9):
                for graph, y in loader:
                    optimizer.zero_grad()
                    out = model(graph)
                    nn.functional.mse_loss(out, y).backward()
                    optimizer.step()
                    kept.append(out)  # expect: LL401
            print(torch.cat(kept).detach().mean())
        """
CASES = {
    "a class": ("from dgl import model_zoo", "model = model_zoo.chem.GCNClassifier(in_feats=3)"),
    "a function": ("from dgl import model_zoo", "model = model_zoo.chem.load_pretrained('GCN_Tox21')"),
    "either": (
        "import dgl",
        "model = dgl.model_zoo.chem.load_pretrained('GCN_Tox21') if kind else dgl.model_zoo.chem.GATClassifier(in_feats=3)",
    ),
    "imported": ("from dgl.model_zoo.chem import GCNClassifier as Net", "model = Net(3)"),
}


@pytest.mark.parametrize(("imported", "built"), CASES.values(), ids=CASES)
def test_a_model_of_a_collection(imported: str, built: str) -> None:
    assert_marked(LOOP.format(imported=imported, built=built))
