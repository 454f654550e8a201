"""What goes backward has a graph, whoever made it: where it is added up or kept before, the graphs stay."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a loss of code out of sight is added up before its backward": """
        from engine import compute
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                total += loss  # expect: LL402
                loss.backward()
                optimizer.step()
            return total
        """,
    "a loss that a trainer gives beside a count is added up before the scaler's backward": """
        def train(trainer, loader, optimizer):
            scaler = torch.amp.GradScaler()
            total = 0.0
            for batch in loader:
                optimizer.zero_grad()
                loss, count = trainer.forward_loss(batch)
                total += loss  # expect: LL402
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            return total
        """,
    "a loss of code out of sight is kept before an accelerator's backward": """
        from engine import compute
        def train(loader, optimizer, accelerator):
            history = []
            for batch in loader:
                optimizer.zero_grad()
                loss = compute(batch)
                history.append(loss)  # expect: LL401
                accelerator.backward(loss)
                optimizer.step()
            return history
        """,
    "what is computed from the output of a model out of sight is kept before its backward": """
        from nets import Generator
        def train(loader):
            net = Generator()
            optimizer = torch.optim.Adam(net.parameters())
            history = []
            for x, y in loader:
                optimizer.zero_grad()
                error = torch.mean(torch.abs(net(x) - y))
                total = 2 * error
                history.append(total)  # expect: LL401
                total.backward()
                optimizer.step()
            return history
        """,
    "a sum of errors of two models out of sight is added up before its backward": """
        from nets import Decoder, Encoder
        def train(loader):
            encoder, decoder = Encoder(), Decoder()
            optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
            summed = 0
            for x in loader:
                optimizer.zero_grad()
                code = encoder(x)
                loss = (decoder(code) - x).pow(2).mean() + code.abs().mean()
                summed += loss  # expect: LL402
                loss.backward()
                optimizer.step()
            return summed
        """,
    "only a term of what goes backward, of a model out of sight, is kept": """
        from nets import Generator, penalty
        def train(loader):
            net = Generator()
            optimizer = torch.optim.Adam(net.parameters())
            history = []
            for x, y in loader:
                optimizer.zero_grad()
                term = penalty(x)
                total = (net(x) - y).abs().mean() + term
                history.append(term)
                total.backward()
                optimizer.step()
            return history
        """,
    "what is added up is another value of the same name": """
        from engine import compute, penalty
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = penalty(x)
                total += loss
                loss = compute(x)
                loss.backward()
                optimizer.step()
            return total
        """,
    "what is added up is a number by then": """
        from engine import compute
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                total += float(loss)
                loss.backward()
                optimizer.step()
            return total
        """,
    "what a tensor's own backward is given is no loss": """
        from engine import compute, direction
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                gradient = direction(x)
                total += gradient
                compute(x).backward(gradient)
                optimizer.step()
            return total
        """,
    "a loss that comes beside an output is averaged over devices and divided before it is added up": """
        from engine import compute
        def train(loader, optimizer, n_gpu, steps):
            total = 0
            for step, x in enumerate(loader):
                loss, _ = compute(x)
                if n_gpu > 1:
                    loss = loss.mean()
                if steps > 1:
                    loss = loss / steps
                total += loss  # expect: LL402
                loss.backward()
                if (step + 1) % steps == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            return total
        """,
    "a loss is divided in place before it is kept": """
        from engine import compute
        def train(loader, optimizer):
            history = []
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                loss /= 4
                history.append(loss)  # expect: LL401
                loss.backward()
                optimizer.step()
            return history
        """,
    "a name gives up its loss after the step": """
        from engine import compute
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                total += loss  # expect: LL402
                loss.backward()
                optimizer.step()
                loss = None
            return total
        """,
    "the mean of the losses of all devices goes backward": """
        from engine import compute
        def train(loader, optimizer):
            scaler = torch.amp.GradScaler()
            history = []
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                history.append(loss)  # expect: LL401
                scaler.scale(loss.mean() / 2).backward()
                scaler.step(optimizer)
                scaler.update()
            return history
        """,
    "what is added up is only a part of what goes backward": """
        from engine import compute, penalty
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = penalty(x)
                total += loss
                loss = loss + compute(x)
                loss.backward()
                optimizer.step()
            return total
        """,
    "what is added up is a factor of what goes backward": """
        from engine import advantage, likelihood
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                reward = advantage(x)
                total += reward
                (reward * likelihood(x)).mean().backward()
                optimizer.step()
            return total
        """,
    "what is added up is multiplied by what has the graph": """
        from engine import advantage, likelihood
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = advantage(x)
                total += loss
                loss = (loss * likelihood(x)).mean()
                loss.backward()
                optimizer.step()
            return total
        """,
    "a loss that a model gives of what a library has made is a term of what goes backward": """
        from sparse import scatter
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)
            def forward(self, x, y=None):
                h = scatter(self.body(x), dim=0)
                return h, (h - y).pow(2).sum() if y is not None else None
        def train(loader, alpha):
            net, total, extra, seen = Net(), 0, 0, 0
            optimizer = torch.optim.Adam(net.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                out, aux_loss = net(x, y)
                out, code = out, net(x)[0].mean()
                aux_loss = aux_loss * alpha
                extra += aux_loss  # expect: LL402
                seen += code
                loss = nn.functional.mse_loss(out, y) + 0.1 * aux_loss + code
                loss.backward()
                optimizer.step()
                total += loss.item()
            return total, extra, seen
        """,
    "losses of one model are weighted and kept": """
        from sparse import scatter
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)
            def forward(self, x):
                h = scatter(self.body(x), dim=0)
                return h.mean(), h.std()
        def train(loader, args):
            net, first, second = Net(), [], []
            optimizer = torch.optim.Adam(net.parameters())
            for x in loader:
                optimizer.zero_grad()
                loss_a, loss_b = net(x)
                loss = loss_a * args.weight + loss_b.mean() / 2
                optimizer.zero_grad()
                loss.backward()
                first.append(loss_a)  # expect: LL401
                second.append(loss_b)  # expect: LL401
                optimizer.step()
            return first, second
        """,
    "what is called a loss is a factor of a term, has another value there, or is not added": """
        from sparse import scatter
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)
            def forward(self, x):
                h = scatter(self.body(x), dim=0)
                return h.mean(), h.std(), h.sum()
        def train(loader, likelihood):
            net, first, second, third = Net(), 0, 0, 0
            optimizer = torch.optim.Adam(net.parameters())
            for x in loader:
                optimizer.zero_grad()
                loss_a, loss_b, loss_c = net(x)
                first += loss_a
                second += loss_b
                third += loss_c
                loss_b = net(x)[0]
                loss = loss_a * likelihood(x) + loss_b
                loss.backward()
                optimizer.step()
            return first, second, third
        """,
    "one name in two loops, of code out of sight": """
        from engine import compute, other
        def train(loader, optimizer):
            first, second, third = [], [], []
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                first.append(loss)  # expect: LL401
                loss.backward()
                optimizer.step()
            for x in loader:
                loss = other(x)
                third.append(loss)
            for x in loader:
                optimizer.zero_grad()
                loss = other(x)
                second.append(loss)  # expect: LL401
                loss = loss / 2
                loss.backward()
                optimizer.step()
            return first, second, third
        """,
    "one name twice in a turn, and on either way": """
        from engine import compute, other, third
        def train(loader, critic, actor):
            of_critic, of_actor = 0, 0
            for x, y in loader:
                critic.zero_grad()
                loss = compute(x)
                of_critic += loss  # expect: LL402
                loss.backward()
                critic.step()
                actor.zero_grad()
                if y is None:
                    loss = other(x)
                else:
                    loss = third(x, y)
                of_actor += loss  # expect: LL402
                loss.backward()
                actor.step()
            return of_critic, of_actor
        """,
    "another value takes its place before the backward, or the turn ends": """
        from engine import compute, other
        def train(loader, optimizer):
            first, second = 0, 0
            for x, y in loader:
                optimizer.zero_grad()
                if y is None:
                    loss = other(x)
                    second += loss
                    continue
                loss = compute(x)
                first += loss
                for part in x:
                    loss = other(part)
                loss.backward()
                optimizer.step()
            return first, second
        """,
    "what one way makes a tensor may have been something else": """
        from engine import compute, reduce
        def train(loader, optimizer):
            first, second = [], []
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                first.append(loss)
                if isinstance(loss, dict):
                    loss = reduce(loss)
                    second.append(loss)  # expect: LL401
                loss.backward()
                optimizer.step()
            return first, second
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)


WEIGHTED = """
    from collections import defaultdict

    def train(model, tasks, steps, optimizer):
        {history}
        for step in range(steps):
            optimizer.zero_grad()
            for name, (task, weight) in tasks.items():
                {loss} = task.get_train_loss(model)
                {kept}
                {sent}
            optimizer.step()
        return history
    """
FORM = {"history": "history = []", "loss": "loss", "kept": "history.append(loss)", "sent": "(loss * weight).backward()"}
WEIGHTS = [
    {},
    {"history": "history = defaultdict(list)", "kept": "history[name].append(loss)"},
    {"sent": "(task.weight * loss / 4).backward()"},
    {"sent": "loss = loss * task.weights[name] / 4; loss.backward()"},
    {"sent": "loss *= weight; loss.backward()"},
    {"history": "history = 0", "kept": "history += loss", "sent": "(loss * weight).backward()"},
]


@pytest.mark.parametrize("form", WEIGHTS)
def test_a_loss_that_goes_backward_with_a_weight(form: dict[str, str]) -> None:
    found = FORM | form
    code = "LL402" if "+=" in found["kept"] else "LL401"
    assert_marked(WEIGHTED.format(**found | {"kept": f"{found['kept']}  # expect: {code}"}))
    assert_marked(WEIGHTED.format(**found | {"kept": found["kept"].replace("loss)", "loss.item())").replace("+= loss", "+= loss.item()")}))


@pytest.mark.parametrize(
    "form",
    [
        {"loss": "score", "kept": "history.append(score)", "sent": "(score * task.reward).backward()"},
        {"sent": "(task.loss * loss_weight).backward()"},
        {"sent": "loss = weight * task.other(model); loss.backward()"},
    ],
)
def test_what_else_it_is_made_of_may_have_the_graph(form: dict[str, str]) -> None:
    assert_marked(WEIGHTED.format(**FORM | form))
