"""Parameters that are picked from a whole need not be those of a part with an optimizer of its own: a clip of them is not one of its gradients."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAIN = """
class Scaling:
    def __init__(self):
        self._scaler = torch.amp.GradScaler("cuda")
    def __call__(self, loss, optimizer, parameters):
        self._scaler.scale(loss).backward()
        self._scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        self._scaler.step(optimizer)
        self._scaler.update()

def train(model, loader, args):
    opt = torch.optim.AdamW([p for n, p in model.named_parameters() if "critic" not in n], lr=args.rate)
    opt_critic = torch.optim.AdamW(model.critic.parameters(), lr=args.rate)
    scaling, scaling_critic = Scaling(), Scaling()
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        opt_critic.zero_grad()
        loss = model(x, y, which=step % 2)
        if step % 2 == 1:
            scaling_critic(loss, opt_critic, model.critic.parameters())
        else:
            {picked}
            scaling(loss, opt, picked)
"""
PICKED = {
    "in a loop": """picked = []
            for name, p in model.named_parameters():
                if "critic" not in name:
                    picked.append(p)""",
    "in a comprehension": """picked = [p for name, p in model.named_parameters() if not name.startswith("critic")]""",
    "by a filter": """picked = list(filter(lambda p: id(p) not in args.of_critic, model.parameters()))""",
}


@pytest.mark.parametrize("picked", PICKED.values(), ids=PICKED)
def test_what_is_picked_is_clipped_for_the_optimizer_that_unscales(picked: str) -> None:
    assert_marked(TRAIN.format(picked=picked))


def test_what_no_optimizer_unscales_is_clipped_scaled() -> None:
    program = TRAIN.format(picked=PICKED["in a comprehension"]).replace("        self._scaler.unscale_(optimizer)\n", "")
    assert_marked(program.replace("(parameters, 1.0)", "(parameters, 1.0)  # expect: LL601"))


def test_a_whole_that_is_clipped_is_that_of_its_parts() -> None:
    assert_marked("""
        def train(model, loader, args):
            opt = torch.optim.AdamW(model.head.parameters(), lr=args.rate)
            scaler = torch.amp.GradScaler("cuda")
            for x, y in loader:
                opt.zero_grad()
                scaler.scale(model(x, y)).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL601
                scaler.step(opt)
                scaler.update()
        """)
