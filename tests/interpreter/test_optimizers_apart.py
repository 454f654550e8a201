"""Several optimizers: which of them a backward fills, a step uses and a clear concerns."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "an optimizer that is passed in, or else built": """
        def fit(model: nn.Module, loader, optimizer=None):
            if optimizer is None:
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                nn.functional.cross_entropy(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "an attack wants the gradient of its input, and clears with an optimizer that holds it": """
        def attack(model: nn.Module, x, y, turns):
            changed = x.clone().requires_grad_()
            for _ in range(turns):
                optimizer = torch.optim.SGD([changed], lr=1e-3)
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(changed), y)
                loss.backward()
                changed = (changed.data + 0.1 * changed.grad.data.sign()).requires_grad_()
            return changed
        """,
    "an attack clears with the optimizer of the model": """
        def attack(model: nn.Module, optimizer, x, y, turns):
            changed = x.clone().requires_grad_()
            for _ in range(turns):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(changed), y).backward()
                with torch.no_grad():
                    changed = changed + 0.1 * changed.grad.sign()
                changed.requires_grad_()
            return changed
        """,
    "two optimizers are told apart by the backwards that their steps use": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                loss = critic(generator(real).detach()).mean() - critic(real).mean()
                loss.backward()
                critic_optimizer.step()
                generator_optimizer.zero_grad()
                (-critic(generator(real)).mean()).backward()  # expect: LL102
                generator_optimizer.step()
        """,
    "one loss is for two optimizers, of which one clears too late": """
        def train(encoder: nn.Module, decoder: nn.Module, encoder_optimizer, decoder_optimizer, loader):
            for x in loader:
                encoder_optimizer.zero_grad()
                loss = nn.functional.mse_loss(decoder(encoder(x)), x)
                loss.backward()
                decoder_optimizer.zero_grad()  # expect: LL101
                encoder_optimizer.step()
                decoder_optimizer.step()
        """,
    "two optimizers that are passed in with their models are cleared and stepped in turn": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, real in enumerate(loader):
                critic_optimizer.zero_grad()
                loss = critic(generator(real).detach()).mean() - critic(real).mean()
                loss.backward()
                critic_optimizer.step()
                if i % 5 == 0:
                    generator_optimizer.zero_grad()
                    (-critic(generator(real)).mean()).backward()
                    generator_optimizer.step()
        """,
    "which of two optimizers is cleared and stepped depends on the phase": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, real in enumerate(loader):
                of_critic = i % 2 == 0
                if of_critic:
                    critic_optimizer.zero_grad()
                    loss = critic(generator(real).detach()).mean() - critic(real).mean()
                else:
                    generator_optimizer.zero_grad()
                    loss = -critic(generator(real)).mean()
                loss.backward()
                if of_critic:
                    critic_optimizer.step()
                else:
                    generator_optimizer.step()
        """,
    "the models clear for the optimizers that are passed in with them": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                critic.zero_grad()
                (critic(generator(real).detach()).mean() - critic(real).mean()).backward()
                critic_optimizer.step()
                generator.zero_grad()
                (-critic(generator(real)).mean()).backward()
                generator_optimizer.step()
        """,
    "one optimizer steps on the gradients of many batches, another on each": """
        def train(net: nn.Module, head: nn.Module, slow, fast, loader):
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(head(net(x)), y)
                loss.backward()  # expect: LL108
                fast.step()
                fast.zero_grad()
                if i % 4 == 3:
                    slow.step()
                    slow.zero_grad()
        """,
    "gradients of many batches are for the one that steps at their end": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, x in enumerate(loader):
                loss = critic(x).mean() / 4
                loss.backward()
                critic_optimizer.zero_grad()  # expect: LL101
                if i % 4 == 3:
                    critic_optimizer.step()
            for x in loader:
                generator_optimizer.zero_grad()
                (-critic(generator(x)).mean()).backward()
                generator_optimizer.step()
        """,
    "or for those that do": """
        def train(encoder: nn.Module, decoder: nn.Module, encoder_optimizer, decoder_optimizer, loader):
            for i, x in enumerate(loader):
                (nn.functional.mse_loss(decoder(encoder(x)), x) / 4).backward()
                decoder_optimizer.zero_grad()  # expect: LL101
                if i % 4 == 3:
                    encoder_optimizer.step()
                    decoder_optimizer.step()
                    encoder_optimizer.zero_grad()
        """,
    "or for the one of several that the program has": """
        class Solver:
            def __init__(self, model, judge, optimizer, judge_optimizer):
                self.model, self.judge, self.optimizer, self.judge_optimizer = model, judge, optimizer, judge_optimizer
            def of_model(self, loader, steps):
                for i, (x, y) in enumerate(loader, 1):
                    self.optimizer.zero_grad()  # expect: LL101
                    (nn.functional.mse_loss(self.model(x), y) / steps).backward()
                    if i % steps == 0:
                        self.optimizer.step()
            def of_judge(self, loader):
                for x, y in loader:
                    self.judge_optimizer.zero_grad()
                    nn.functional.mse_loss(self.judge(self.model(x).detach()), y).backward()
                    self.judge_optimizer.step()
        """,
    "and they are cleared at the end": """
        def of_critic(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, x in enumerate(loader):
                (critic(x).mean() / 4).backward()
                if i % 4 == 3:
                    critic_optimizer.step()
                    critic_optimizer.zero_grad()
            for x in loader:
                generator_optimizer.zero_grad()
                (-critic(generator(x)).mean()).backward()
                generator_optimizer.step()
        def of_both(encoder: nn.Module, decoder: nn.Module, encoder_optimizer, decoder_optimizer, loader):
            for i, x in enumerate(loader):
                (nn.functional.mse_loss(decoder(encoder(x)), x) / 4).backward()
                if i % 4 == 3:
                    encoder_optimizer.step()
                    decoder_optimizer.step()
                    encoder_optimizer.zero_grad()
                    decoder_optimizer.zero_grad()
        """,
    "one of two steps on a condition, and the other on its opposite": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, real in enumerate(loader):
                critic_optimizer.zero_grad()
                loss = critic(real).mean() - critic(generator(real)).mean()
                loss.backward()
                if i % 5:
                    critic_optimizer.step()
                    generator_optimizer.zero_grad()
                else:
                    generator_optimizer.step()
                    generator_optimizer.zero_grad()
        """,
    "a step of the batch before, at the top of the loop": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                critic_optimizer.step()
                critic_optimizer.zero_grad()
                (critic(generator(real).detach()).mean() - critic(real).mean()).backward()
                generator_optimizer.zero_grad()
                (-critic(generator(real)).mean()).backward()
                generator_optimizer.step()
        """,
    "a model and an optimizer that are passed in belong together": """
        def fit(model: nn.Module, optimizer, loader, held_out):
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
                total = 0.0
                with torch.no_grad():
                    for x, y in held_out:
                        total += nn.functional.mse_loss(model(x), y).item()  # expect: LL302
                print(total)
        """,
    "a network that losses only go through is not taken for the trained one": """
        def fit(model: nn.Module, judge: nn.Module, optimizer, loader, held_out):
            judge.eval()
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(judge(model(x)), y).backward()
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    print(sum(nn.functional.mse_loss(judge(model(x)), y).item() for x, y in held_out))
        """,
    "the step of what a factory makes may clear": """
        from mylib.build import build_optimizer
        def train(model: nn.Module, cfg, loader):
            optimizer = build_optimizer(cfg, model)
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "what is made of parameters is an optimizer as torch has them": """
        from mylib.build import build_optimizer
        def train(model: nn.Module, cfg, loader):
            optimizer = build_optimizer(cfg, model.parameters())
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "an optimizer that is wrapped is one still, and its step may clear": """
        from mylib.parallel import wrap
        def train(model: nn.Module, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            optimizer = wrap(optimizer)
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "an optimizer that settings have, or else one that is built": """
        import acme
        def fit(path, loader):
            config = acme.load(path)
            model = config.model
            optimizer = getattr(config, "optimizer", torch.optim.RAdam(model.parameters()))
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                optimizer.zero_grad()
        def fit_wrongly(path, loader):
            config = acme.load(path)
            model = config.model
            optimizer = getattr(config, "optimizer", torch.optim.RAdam(model.parameters()))
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "each turn of a loop has one optimizer of a list": """
        class Agent:
            def __init__(self, nets, lr):
                self.critics = nets
                self.opts = [torch.optim.Adam(net.parameters(), lr=lr) for net in self.critics]
            def update(self, batches):
                for x, y in batches:
                    for net, opt in zip(self.critics, self.opts):
                        loss = nn.functional.mse_loss(net(x), y)
                        loss.backward()
                        opt.zero_grad()  # expect: LL101
                        opt.step()
            def early(self, batches):
                for x, y in batches:
                    for net, opt in zip(self.critics, self.opts):
                        loss = nn.functional.mse_loss(net(x), y)
                        opt.zero_grad()
                        opt.step()  # expect: LL105
                        loss.backward()
        class Idle:
            def __init__(self, nets, lr):
                self.opts = [torch.optim.Adam(net.parameters(), lr=lr) for net in nets]
                self.nets = nets
            def update(self, batches):
                for x, y in batches:
                    for net, opt in zip(self.nets, self.opts):
                        opt.zero_grad()
                        nn.functional.mse_loss(net(x), y).backward()  # expect: LL106
        """,
    "optimizers of a list, each by its number or in a loop of its own": """
        class Agent:
            def __init__(self, nets, lr):
                self.critics = nets
                self.opts = [torch.optim.Adam(net.parameters(), lr=lr) for net in self.critics]
            def by_number(self, batches):
                for x, y in batches:
                    self.opts[0].zero_grad()
                    nn.functional.mse_loss(self.critics[0](x), y).backward()
                    self.opts[1].zero_grad()
                    self.opts[0].step()
                    nn.functional.mse_loss(self.critics[1](x), y).backward()
                    self.opts[1].step()
            def in_loops(self, batches):
                for x, y in batches:
                    for opt in self.opts:
                        opt.zero_grad()
                    for net in self.critics:
                        nn.functional.mse_loss(net(x), y).backward()
                    for opt in self.opts:
                        opt.step()
            def alternating(self, batches):
                for x, y in batches:
                    for k, (net, opt) in enumerate(zip(self.critics, self.opts)):
                        if k % 2:
                            opt.zero_grad()
                        nn.functional.mse_loss(net(x), y).backward()
                        if not k % 2:
                            opt.step()
                            opt.zero_grad()
                        else:
                            opt.step()
        """,
    "a layer that is built after an optimizer is none of its": """
        class Agent(nn.Module):
            def __init__(self, lr, device):
                super().__init__()
                self.policy = nn.Linear(3, 3).to(device)
                self.optimizer = torch.optim.Adam(self.parameters(), lr)
                self.reward = nn.Sequential(nn.Linear(3, 1), nn.ReLU()).to(device)
                self.optimizer = torch.optim.Adam(self.parameters(), lr)
            def update(self, x, y):
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.reward(self.policy(x)), y).backward()
                self.optimizer.step()
        def run(loader, device):
            agent = Agent(0.1, device)
            for x, y in loader:
                agent.update(x, y)
        """,
    "clipped between the step and the next backward": """
        from mylib.build import build_optimizer
        def train(model: nn.Module, cfg, loader):
            optimizer = build_optimizer(cfg, model)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL104
        """,
    "gradients that are cleared by hand, of parameters met by their names only": """
        class Search:
            def __init__(self, net: nn.Module, data):
                self.net, self.data = net, data
                self.opt = torch.optim.Adam([m.alpha for m in net.edges])

            def update(self):
                for x in self.data:
                    for m in self.net.edges:
                        if m.alpha.grad is not None:
                            m.alpha.grad.data.zero_()
                    loss = self.net(x).mean()
                    loss.backward()
                    self.opt.step()

            def run(self):
                for epoch in range(9):
                    self.update()
        """,
    "and not cleared": """
        class Search:
            def __init__(self, net: nn.Module, data):
                self.net, self.data = net, data
                self.opt = torch.optim.Adam([m.alpha for m in net.edges])

            def update(self):
                for x in self.data:
                    for m in self.net.edges:
                        if m.alpha.grad is not None:
                            pass
                    loss = self.net(x).mean()
                    loss.backward()  # expect: LL102
                    self.opt.step()

            def run(self):
                for epoch in range(9):
                    self.update()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
