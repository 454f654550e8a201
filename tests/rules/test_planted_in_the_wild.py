"""Bugs that were planted in repositories that nobody had read and not found, as small programs, beside what is right."""

from __future__ import annotations

import pytest

from programs import assert_marked

CONVERTED = {
    "graphs, of which the others are kept": """
        def main(net, loader, device):
            for batch in loader:
                names, left_graphs, right_graphs = batch
                left_graphs = left_graphs.to(device)
                {kept}right_graphs.to(device){marked}
                print(net(left_graphs, right_graphs))
        """,
    "data beside labels": """
        def main(net, loader):
            for data, labels in log(loader):
                {kept}data.cuda(non_blocking=True){marked}
                labels = labels.cuda(non_blocking=True)
                print(net(data), labels)
        """,
    "an entry of a state": """
        class Average(nn.Module):
            def update(self, model, fn):
                for old, new in zip(self.module.state_dict().values(), model.state_dict().values()):
                    if self.device is not None:
                        {kept}new.to(device=self.device){marked}
                    old.copy_(fn(old, new))
        """,
    "a detached one": """
        class Average(nn.Module):
            def update(self, model):
                state = model.state_dict()
                for key, old in self.module.state_dict().items():
                    new = state[key].detach()
                    if self.device:
                        {kept}new.to(device=self.device){marked}
                    old.mul_(0.9).add_(new, alpha=0.1)
        """,
}
NAMES = {
    "graphs, of which the others are kept": "right_graphs",
    "data beside labels": "data",
    "an entry of a state": "new",
    "a detached one": "new",
}
QUIET = {
    "a library whose batches change in place": """
        from torch_geometric.loader import DataLoader
        def main(net, loader, device):
            for names, left_graphs, right_graphs in loader:
                left_graphs = left_graphs.to(device)
                right_graphs.to(device)
                print(net(left_graphs, right_graphs))
        """,
    "a batch beside labels": """
        def main(net, loader, device):
            for batch, labels in loader:
                batch.to(device)
                labels = labels.to(device)
                print(net(batch), labels)
        """,
    "a module of a state's owner": """
        def main(nets, device):
            for name, net in nets.items():
                net.to(device)
                print(net.state_dict())
        """,
}
STEPPED = """
        def log_norms(net, accelerator):
            for name, p in net.named_parameters():
                if p.grad is not None:
                    grad = p.grad.detach().data
                    accelerator.log({name: (grad.norm(p=2) / grad.numel()).item()})
        def epoch(net, critic, optimizer, critic_optimizer, critic_schedule, accelerator, loader, check):
            net.train()
            for x in loader:
                with accelerator.accumulate([net, critic]):
                    y = net(x)
                    accelerator.backward(critic(x, y, "generator"))
                    optimizer.step()
                    optimizer.zero_grad()
                    loss = critic(x, y.detach(), "critic")
                    accelerator.backward(loss){marked}
                    {step}critic_schedule.step()
                    log_norms(critic, accelerator)
                    critic_optimizer.zero_grad()
                if accelerator.sync_gradients:
                    evaluate_all(net, critic)
        """
VALIDATED = """
        def validate(net, eval_loader, accelerator, evaluator, tokenizer):
            {mode}
            evaluator.reset()
            local = accelerator.unwrap_model(net)
            for batch in eval_loader:
                x = batch["image"].to(accelerator.device)
                text = tokenizer(batch["text"]).to(accelerator.device)
                {grad}
                    y = torch.clamp(local(x, text), 0.0, 1.0){marked}
                    evaluator.update(x, y.squeeze(2))
            net.train()
            return evaluator.result()
        def epoch(net, critic, optimizer, critic_optimizer, accelerator, loader, valid, evaluator, tokenizer):
            net.train()
            critic.train()
            for x in loader:
                y = net(x, x)
                optimizer.zero_grad()
                accelerator.backward(critic(y).mean())
                optimizer.step()
                critic_optimizer.zero_grad()
                accelerator.backward(critic(y.detach()).mean())
                critic_optimizer.step()
            validate(net, valid, accelerator, evaluator, tokenizer)
        """
UNFILLED = """
        class Trainer:
            def __init__(self, actor, loaders, optimizer):
                self.actor, self.loaders, self.optimizer = actor, loaders, optimizer
            def fit(self):
                for loader in self.loaders:
                    self.actor.train(loader.training)
                    torch.set_grad_enabled(loader.training)
                    for data in loader:
                        loss, stats = self.actor(data)
                        if loader.training:
                            self.optimizer.zero_grad()
                            {filled}
                            self.optimizer.step(){marked}
                        print(stats)
        """
RETAINED = """
        def epoch(net, loader, criterion, optimizer, margins):
            net.train()
            for step, (x, y) in enumerate(loader):
                margins.step(step)
                loss = criterion(net(x), y)
                optimizer.zero_grad()
                loss.backward({argument}){marked}
                optimizer.step()
                if step % 10 == 0:
                    print(margins.get_margin(), loss.item())
        """


@pytest.mark.parametrize("program", CONVERTED)
def test_a_conversion_whose_result_is_dropped(program: str) -> None:
    text = CONVERTED[program]
    assert_marked(text.replace("{kept}", "").replace("{marked}", "  # expect: LL503"))
    assert_marked(text.replace("{kept}", f"{NAMES[program]} = ").replace("{marked}", ""))


@pytest.mark.parametrize("program", QUIET.values(), ids=QUIET)
def test_what_may_change_in_place(program: str) -> None:
    assert_marked(program)


def test_an_optimizer_that_is_cleared_and_never_steps() -> None:
    assert_marked(STEPPED.replace("{step}", "").replace("{marked}", "  # expect: LL106"))
    assert_marked(STEPPED.replace("{step}", "critic_optimizer.step(); ").replace("{marked}", ""))


def test_an_evaluator_measures_what_it_is_given() -> None:
    right = VALIDATED.replace("{mode}", "net.eval()").replace("{grad}", "with torch.no_grad():")
    assert_marked(right.replace("{marked}", ""))
    assert_marked(right.replace("with torch.no_grad():", "if True:").replace("{marked}", "  # expect: LL303"))
    assert_marked(right.replace("net.eval()", "print()").replace("{marked}", "  # expect: LL302"))


def test_gradients_that_were_just_cleared() -> None:
    assert_marked(
        UNFILLED.replace("{filled}", "nn.utils.clip_grad_norm_(self.actor.net.parameters(), 1.0)").replace("{marked}", "  # expect: LL107")
    )
    assert_marked(UNFILLED.replace("{filled}", "loss.backward()").replace("{marked}", ""))


def test_a_graph_that_is_kept_for_nothing() -> None:
    assert_marked(RETAINED.replace("{argument}", "retain_graph=True").replace("{marked}", "  # expect: LL110"))
    assert_marked(RETAINED.replace("{argument}", "").replace("{marked}", ""))
