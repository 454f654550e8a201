"""The classes of PyTorch Geometric hold data or read it; its functions are taken for no data: a loss that one of them gives goes backward."""

from __future__ import annotations

import pytest

from programs import assert_marked

OUT_OF_SIGHT = """
    from torch_geometric.graphgym.loss import compute_loss

    def train_epoch(loader, model, optimizer):
        {training}
        for batch in loader:
            optimizer.zero_grad()
            pred, true = model(batch){trained}
            {loss}
            loss.backward({retain}){kept}
            optimizer.step()

    def eval_epoch(loader, model):
        model.eval()
        for batch in loader:
            pred, true = model(batch)
            loss, score = compute_loss(pred, true)
            print(loss.item(), score.shape)

    def train(loaders, model, optimizer, epochs):
        for epoch in range(epochs):
            train_epoch(loaders[0], model, optimizer)
            if epoch % 5 == 0:
                eval_epoch(loaders[1], model)
"""
LOSSES = {"a pair": "loss, score = compute_loss(pred, true)", "an item": "loss = compute_loss(pred, true)[0]"}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_loss_out_of_sight_goes_backward(loss: str) -> None:
    right = {"training": "model.train()", "trained": "", "loss": loss, "retain": "", "kept": ""}
    assert_marked(OUT_OF_SIGHT.format(**right))
    assert_marked(OUT_OF_SIGHT.format(**{**right, "training": "pass", "trained": "  # expect: LL304"}))
    assert_marked(OUT_OF_SIGHT.format(**{**right, "retain": "retain_graph=True", "kept": "  # expect: LL110"}))


def test_what_graphgym_creates_is_known_by_its_use() -> None:
    assert_marked("""
        from torch_geometric import seed_everything
        from torch_geometric.graphgym.model_builder import create_model
        from torch_geometric.graphgym.optim import create_optimizer
        from torch_geometric.graphgym.config import cfg
        from torch_geometric.graphgym.loss import compute_loss
        from torch_geometric.graphgym.utils.comp_budget import params_count

        def main(loader):
            seed_everything(cfg.seed)
            model = create_model()
            optimizer = create_optimizer(model.parameters(), cfg.optim)
            cfg.params = params_count(model)
            model.train()
            for batch in loader:
                pred, true = model(batch)
                loss, score = compute_loss(pred, true)
                loss.backward()  # expect: LL102
                optimizer.step()
    """)


def test_functions_of_tensors_keep_the_graph() -> None:
    assert_marked("""
        from torch_geometric.utils import scatter, softmax

        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.score, self.embed = nn.Linear(8, 1), nn.Linear(8, 8)

            def forward(self, x, index):
                weights = softmax(self.score(x), index)
                return scatter(weights * self.embed(x), index, reduce="sum")

        def main(loader):
            model = Attention()
            optimizer = torch.optim.Adam(model.parameters())
            for batch in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(batch.x, batch.batch), batch.y)
                loss.backward(retain_graph=True)  # expect: LL110
                optimizer.step()
    """)


def test_classes_hold_data() -> None:
    assert_marked("""
        from torch_geometric.data import Batch, Data

        def main(graphs, loader):
            model = nn.Linear(8, 2)
            optimizer = torch.optim.Adam(model.parameters())
            for x, edges, y in loader:
                data = Batch.from_data_list([Data(x=x, edge_index=edges)])
                data.to("cuda")
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(data.x), y).backward()
                optimizer.step()
    """)
