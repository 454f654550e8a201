"""What goes backward as an attribute of an object that is handed in is a loss, whatever else is known of that object."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "of a context that holds the optimizer too": """
        def on_batch_backward(ctx):
            ctx.loss.backward()
            ctx.optimizer.zero_grad()  # expect: LL101
            ctx.optimizer.step()
        """,
    "of a context of which nothing else is known": """
        def on_batch_backward(ctx, optimizer):
            ctx.loss.backward()
            optimizer.zero_grad()  # expect: LL101
            optimizer.step()
        """,
    "of an output, kept in a name first": """
        def train_step(get_output, batch, optimizer):
            output = get_output(batch)
            loss = output.losses.total
            loss.backward()
            optimizer.zero_grad()  # expect: LL101
            optimizer.step()
        """,
    "divided for accumulation": """
        def train(ctx, loader, optimizer):
            for step, batch in enumerate(loader):
                ctx.run(batch)
                (ctx.loss / 4).backward()
                if (step + 1) % 4 == 0:
                    optimizer.step()
                    optimizer.zero_grad()
        """,
    "clipped after it, and then replaced by noise of the same size": """
        def poison(ctx):
            ctx.optimizer.zero_grad()
            ctx.loss_task.backward()
            if ctx.grad_clip > 0:
                torch.nn.utils.clip_grad_norm_(ctx.model.parameters(), ctx.grad_clip)
            values = torch.cat([p.grad.view(-1) for p in ctx.model.parameters()])
            for name, param in ctx.model.named_parameters():
                if "bn" not in name:
                    param.grad = torch.normal(values.mean(), values.std(), param.grad.shape)
            ctx.optimizer.step()
        """,
    "of a function that was given more than it takes": """
        def of_gan(real, fake):
            return F.binary_cross_entropy(real, fake)

        def of_wgan(real, fake):
            return (fake - real).mean()

        def get_loss(kind="gan"):
            if kind in ("gan", "gan-gp"):
                return of_gan
            return of_wgan

        def train(model, loader, kind):
            optimizer = torch.optim.Adam(model.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                loss = get_loss(model(x), y, kind=kind)
                loss.backward()
                optimizer.step()
        """,
    "that is a function as far as one can see": """
        def train(model, loader, losses):
            optimizer = torch.optim.Adam(model.parameters())
            for x, y in loader:
                optimizer.zero_grad()
                out = model(x)
                def loss():
                    return F.mse_loss(out, y)
                loss.backward(retain_graph=True)
                optimizer.step()
        """,
    "and the order is right": """
        def on_batch_backward(ctx):
            ctx.optimizer.zero_grad()
            ctx.loss.backward()
            torch.nn.utils.clip_grad_norm_(ctx.model.parameters(), ctx.grad_clip)
            ctx.optimizer.step()
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loss_of_a_context(name: str) -> None:
    assert_marked(PROGRAMS[name])
