"""A conversion to what a tensor is already gives that tensor: nothing is thrown away with its result."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def train(model, optimizer, device):
            for x, y in torch.utils.data.DataLoader(read(), shuffle=True):
                x = torch.cat([x, x])
                CONVERTED
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """


@pytest.mark.parametrize("converted", ["x.to(x.device)", "x.to(dtype=x.dtype)", "x.type_as(x)", "x.to(x.device, x.dtype)"])
def test_to_its_own_device_or_type(converted: str) -> None:
    assert_marked(PROGRAM.replace("CONVERTED", converted))


@pytest.mark.parametrize("converted", ["x.to(y.device)", "x.to(device)", "x.to(x.device, y.dtype)"])
def test_to_that_of_another(converted: str) -> None:
    assert_marked(PROGRAM.replace("CONVERTED", f"{converted}  # expect: LL503"))


MADE = """
        def show(model, rows):
            latent = MADE
            image = model(latent.to("cuda"))
            MOVED
            plot(latent.sum())
            return image
        """


@pytest.mark.parametrize(
    "made", ["torch.tensor(rows)", "torch.zeros(len(rows), 4)", "torch.from_numpy(rows).float()", "torch.randn(4)[None]"]
)
@pytest.mark.parametrize("moved", ['latent.to("cpu")', "latent.cpu()"])
def test_to_the_cpu_where_it_was_made(made: str, moved: str) -> None:
    assert_marked(MADE.replace("MADE", made).replace("MOVED", moved))


@pytest.mark.parametrize(
    ("made", "moved"), [("torch.tensor(rows)", "latent.cuda()"), ("torch.zeros(4, device=model.device)", "latent.cpu()")]
)
def test_to_another_than_where_it_was_made(made: str, moved: str) -> None:
    assert_marked(MADE.replace("MADE", made).replace("MOVED", f"{moved}  # expect: LL503"))
