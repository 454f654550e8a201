"""A name stands for a tensor by what it is taken from: parameters, what only tensors give, a batch of which it is converted twice, and what gives tensors in turn."""

from __future__ import annotations

import pytest

from programs import assert_marked

TENSORS = {
    "parameters and buffers of two models": """
        def average(model: nn.Module, ema: nn.Module):
            with torch.no_grad():
                for held, p in zip(ema.parameters(), model.parameters()):
                    source = p.data
                    if source.device != held.device:
                        source.to(held.device)  # expect: LL503
                    held.data.mul_(0.9).add_(source, alpha=0.1)
                for held, b in zip(ema.buffers(), model.buffers()):
                    source = b.data
                    if source.device != held.device:
                        source.to(held.device)  # expect: LL503
                    held.data.copy_(source)
        def fit(model: nn.Module, ema: nn.Module, optimizer, loader):
            for x in loader:
                optimizer.zero_grad()
                model(x).mean().backward()
                optimizer.step()
                average(model, ema)
        """,
    "parameters in a loop of their own": """
        def fit(model: nn.Module, optimizer, loader, device):
            for p in model.parameters():
                p.to(device)  # expect: LL503
            for x in loader:
                optimizer.zero_grad()
                model(x).mean().backward()
                optimizer.step()
        """,
    "what torch 0.3 made of an array": """
        from torch.autograd import Variable
        def test(net: nn.Module, dataset):
            net.eval()
            with torch.no_grad():
                for i in range(100):
                    im, gt = dataset.pull_item(i)
                    x = Variable(im[None])
                    x.cuda()  # expect: LL503
                    print(net(x).argmax(1), gt)
        """,
    "what only a tensor's method gives": """
        def test(net: nn.Module, dataset):
            net.eval()
            with torch.no_grad():
                for i in range(100):
                    im, gt = dataset.pull_item(i)
                    x = im.unsqueeze(0)
                    x.cuda()  # expect: LL503
                    print(net(x).argmax(1), gt)
        """,
    "a part of a batch that is converted to its type and then moved": """
        def fit(policy: nn.Module, optimizer, batches, device):
            for step in range(1000):
                observation, actions = next(batches)
                actions.to(torch.float32)  # expect: LL503
                actions = actions.to(device)
                optimizer.zero_grad()
                policy({"observation": observation, "actions": actions}).mean().backward()
                optimizer.step()
        """,
    "what gives tensors in turn": """
        def test(model: nn.Module, loader, score):
            model.eval()
            with torch.no_grad():
                for images, sizes in loader:
                    outputs = model(images)
                    outputs.to(torch.float32)  # expect: LL503
                    for number, (output, size) in enumerate(zip(outputs, sizes)):
                        score(number, output.permute(1, 2, 0)[: int(size)])
        """,
    "an attribute of a batch out of sight": """
        def fit(model: nn.Module, optimizer, queue, device):
            for step in range(1000):
                batch = queue.take()
                batch.images.to(device)  # expect: LL503
                optimizer.zero_grad()
                model(batch.images).mean().backward()
                optimizer.step()
        """,
}
OTHERS = {
    "an average of parameters, which moves itself": """
        from torch_ema import ExponentialMovingAverage
        def fit(model: nn.Module, optimizer, loader, device):
            ema = ExponentialMovingAverage(model.parameters(), 0.99)
            ema.to(device)
            for x in loader:
                optimizer.zero_grad()
                model(x).mean().backward()
                optimizer.step()
                ema.update()
        """,
    "a graph that a batch out of sight holds": """
        def fit(model: nn.Module, optimizer, queue, device):
            for step in range(1000):
                batch = queue.take()
                batch.graph.to(device)
                batch.data.to(device)
                optimizer.zero_grad()
                model(batch.graph, batch.data).mean().backward()
                optimizer.step()
        """,
    "experts that are trained in turn": """
        def fit(experts, loaders, device):
            for expert, loader in zip(experts, loaders):
                expert = expert.to(device)
                expert.float()
                optimizer = torch.optim.SGD(expert.parameters(), 0.1)
                for x in loader:
                    optimizer.zero_grad()
                    expert(x).mean().backward()
                    optimizer.step()
        """,
    "what gives graphs in turn": """
        def test(model: nn.Module, loader, score, device):
            model.eval()
            with torch.no_grad():
                for items, labels in loader:
                    items.to(device)
                    for item, label in zip(items, labels):
                        score(item.edge_index, label)
        """,
    "a part that is named as what tokenizers give": """
        def fit(model: nn.Module, optimizer, batches, device):
            for step in range(1000):
                inputs, labels = next(batches)
                inputs.to(torch.float16)
                inputs = inputs.to(device)
                optimizer.zero_grad()
                model(**inputs).mean().backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in {**TENSORS, **OTHERS}.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
