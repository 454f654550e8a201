"""Code out of sight may send backward the outputs that it gets (LL107), but not where a loss is computed of its result, or where it computes one by its name."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from operators import Solver, blend, compute_loss, dice_loss, fit_plane, nearest, update_loss
        def score(output, y):
            distance, flow = blend(output, y)
            return distance, flow.view(-1)
        def main(loader):
            net = nn.Linear(3, 4)
            criterion = nn.CrossEntropyLoss()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                output = net(x)
                {loss}
                optimizer.step(){marked}
"""
OF_PARAMETERS = """
        from operators import Solver
        def main(support, y):
            prototypes = nn.Parameter(support.mean(0).detach())
            optimizer = torch.optim.SGD([prototypes], lr=0.1)
            for _ in range(100):
                optimizer.zero_grad()
                similarity = torch.mm(support, prototypes)
                flow = Solver(verbose=-1)(1 - similarity, support)
                loss = nn.functional.cross_entropy({prediction}, y)
                {backward}
                optimizer.step(){marked}
"""
COMPUTED = {
    "a function between the model and the loss": "loss = criterion(blend(output), y)",
    "an object that is called, its result computed with": "_, flow = Solver(verbose=-1)(output, y); loss = criterion(flow.view(-1, 3) * 0.1, y)",
    "in a function that is followed": "distance, _ = score(output, y); loss = nn.functional.mse_loss(distance, y)",
    "an index that it has found": "near = nearest(output, y); loss = criterion(output[near.topk(2, dim=-1).indices], y)",
    "a target, beside the output": "loss = nn.functional.mse_loss(output, blend(output).detach())",
    "a weight on the processor": "rows, _ = nearest(output.sum(), output); loss = criterion(output * rows.detach().cpu(), y)",
    "one after another": "loss = criterion(blend(blend(output), x), y)",
    "a loss by its name": "loss = dice_loss(output, y); print(loss.item())",
    "a loss by its name and another": "loss = compute_loss(output, y) + criterion(output, y)",
}
MAY_GO_BACKWARD = {
    "no loss is computed of it": "loss = blend(output, y); print(loss.item())",
    "its values go into the loss": "loss = criterion(blend(output).detach(), y)",
    "its values go into another forward": "loss = criterion(net(blend(output).detach()), y)",
    "a loss is measured without gradients": "given = blend(output)\n                with torch.no_grad(): print(criterion(given, y))",
    "a training by its name": "loss = criterion(fit_plane(output), y)",
    "it gets the loss": "loss = criterion(blend(criterion(output, y)), y)",
    "it gets what is named a loss": "loss = dice_loss(output, y); loss = compute_loss(loss)",
    "another call beside it": "loss = criterion(blend(output), y); blend(output, y)",
    "the result of a loss by its name is dropped": "compute_loss(output, y)",
    "a loss that it updates": "loss = update_loss(output, y)",
    "the model is given too": "loss = criterion(blend(net, output), y)",
}
MARKED = "  # expect: LL107"


@pytest.mark.parametrize("loss", COMPUTED.values(), ids=COMPUTED.keys())
def test_what_a_loss_is_computed_of_has_not_gone_backward(loss: str) -> None:
    assert_marked(LOOP.format(loss=loss, marked=MARKED))
    assert_marked(LOOP.format(loss=f"{loss}; loss.backward()", marked=""))


@pytest.mark.parametrize("loss", MAY_GO_BACKWARD.values(), ids=MAY_GO_BACKWARD.keys())
def test_what_else_is_given_may_go_backward_out_of_sight(loss: str) -> None:
    assert_marked(LOOP.format(loss=loss, marked=""))


def test_a_loss_of_parameters_through_code_out_of_sight() -> None:
    assert_marked(OF_PARAMETERS.format(prediction="flow * similarity", backward="pass", marked=MARKED))
    assert_marked(OF_PARAMETERS.format(prediction="flow * similarity", backward="loss.backward()", marked=""))
    assert_marked(OF_PARAMETERS.format(prediction="similarity", backward="pass", marked=""))
