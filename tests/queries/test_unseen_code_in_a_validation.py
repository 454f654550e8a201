"""What code out of sight gets in each turn of a validation leaves the model in the eval mode that it was put into for that."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from solvers import Solver


        class Control:
            def __init__(self, model):
                self.model = model

            def __call__(self, x):
                return self.model(x)


        def main(data, held_out, solver):
            net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 1))
            opt = torch.optim.Adam(net.parameters())
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()MARK
                    opt.step()
                VALIDATION
        """
VALIDATIONS = {
    "under no_grad": """net.eval()
                with torch.no_grad():
                    for x, y in held_out:
                        print((solver.run(net, x) - y).abs().mean().item())""",
    "of what holds the model": """net.eval()
                control = Control(net)
                with torch.inference_mode():
                    for x, y in held_out:
                        print((solver.run(x, control=control) - y).abs().mean().item())""",
    "beside a forward": """net.eval()
                with torch.no_grad():
                    for x, y in held_out:
                        print((net(x) - y).abs().mean().item())
                        solver.draw(net, x)""",
    "in a function": """evaluate(net, held_out, Solver())


        @torch.no_grad()
        def evaluate(model, held_out, solver):
            model.eval()
            for x, y in held_out:
                print((solver.run(model, x) - y).abs().mean().item())""",
}
MAY_SWITCH = {
    "behind the pass": VALIDATIONS["beside a forward"]
    .replace("    solver.draw", "solver.draw")
    .replace("        solver.draw", "    solver.draw"),
    "gradients are on": VALIDATIONS["beside a forward"]
    .replace("with torch.no_grad():", "if epoch:")
    .replace("net(x) - y).abs().mean().item()", "x - y).sum().item()"),
    "it is put into eval mode in the pass": """with torch.no_grad():
                    for x, y in held_out:
                        net.eval()
                        print((net(x) - y).abs().mean().item())
                        solver.draw(net, x)""",
}


@pytest.mark.parametrize("validation", VALIDATIONS.values(), ids=VALIDATIONS)
def test_eval_mode_stays_on(validation: str) -> None:
    assert_marked(PROGRAM.replace("VALIDATION", validation).replace("MARK", "  # expect: LL301"))


@pytest.mark.parametrize("validation", VALIDATIONS.values(), ids=VALIDATIONS)
def test_train_mode_after_it(validation: str) -> None:
    program = PROGRAM.replace("VALIDATION", validation).replace("MARK", "")
    assert_marked(program.replace("for x, y in data:", "net.train()\n                for x, y in data:"))


@pytest.mark.parametrize("validation", MAY_SWITCH.values(), ids=MAY_SWITCH)
def test_other_code_may_switch_the_mode(validation: str) -> None:
    assert_marked(PROGRAM.replace("VALIDATION", validation).replace("MARK", ""))
