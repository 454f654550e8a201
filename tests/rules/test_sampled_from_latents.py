"""LL303: a script that only samples records graphs in the autoencoder of a library, and in what is made around a model in eval mode."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL303"
LATENTS = """
        from torchvision.utils import save_image
        from diffusers.models import AutoencoderKL
        import diffusers
        from elsewhere import Codec

        def sample(args, dataset):
            vae = {made}
            {set_up}
            loader = torch.utils.data.DataLoader(dataset, batch_size=4)
            for number, image in enumerate(loader):
                {called}{mark}
                save_image(out, f"{{number}}.png")

        if __name__ == "__main__":
            sample(args, dataset)
"""
AROUND = """
        from torchvision.utils import save_image

        class Conditioned(nn.Module):
            def __init__(self, model, cond):
                super().__init__()
                self.model = model
                self.cond = cond
                {own}

            def forward(self, x):
                return self.model(torch.cat([x, self.cond], 1))

        class Flow(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(8, 4), nn.Dropout(0.1))

            def forward(self, x):
                return self.net(x)

        def sample(args, dataset):
            model = Flow()
            {set_up}
            flow = Conditioned(model, cond=None)
            {then}
            loader = torch.utils.data.DataLoader(dataset, batch_size=4)
            for number, x in enumerate(loader):
                flow.cond = x
                out = flow(torch.randn(4, 4)){mark}
                save_image(out, f"{{number}}.png")

        if __name__ == "__main__":
            sample(args, dataset)
"""
LOADED = "AutoencoderKL.from_pretrained(args.path)"


@pytest.mark.parametrize(
    ("made", "set_up", "called", "mark"),
    [
        pytest.param(LOADED, "pass", "out = vae.decode(image / 0.18).sample", FOUND, id="decoded"),
        pytest.param(f"{LOADED}.to('cuda')", "vae.eval()", "out = vae.encode(image).latent_dist.sample().mul_(0.18)", FOUND, id="encoded"),
        pytest.param(
            "diffusers.AutoencoderKL.from_pretrained(args.path)",
            "pass",
            "out = vae.decode(vae.encode(image).latent_dist.mode())[0]",
            FOUND,
            id="both",
        ),
        pytest.param(LOADED, "vae.requires_grad_(False)", "out = vae.decode(image / 0.18).sample", "", id="frozen"),
        pytest.param(LOADED, "torch.set_grad_enabled(False)", "out = vae.decode(image / 0.18).sample", "", id="without gradients"),
        pytest.param(LOADED, "vae.train(); vae.eval()", "out = vae.sample_images(image)", "", id="a method that is not known"),
        pytest.param(
            "Codec.from_pretrained(args.path)", "vae.eval()", "out = vae.decode(image / 0.18)", "", id="of a library that is not known"
        ),
    ],
)
def test_autoencoders_of_diffusers(made: str, set_up: str, called: str, mark: str) -> None:
    assert_marked(LATENTS.format(made=made, set_up=set_up, called=called, mark=mark))


@pytest.mark.parametrize(
    ("own", "set_up", "then", "mark"),
    [
        pytest.param("pass", "model.eval()", "pass", FOUND, id="around a model in eval mode"),
        pytest.param("self.count = 0", "model = model.eval()", "flow.to('cuda')", FOUND, id="moved with it"),
        pytest.param("self.model.eval()", "pass", "pass", FOUND, id="by its constructor"),
        pytest.param("pass", "pass", "flow.model.eval()", FOUND, id="as its part"),
        pytest.param("pass", "pass", "pass", "", id="never put into eval mode, and without weights"),
        pytest.param("pass", "model.eval()", "flow.train()", "", id="put back to train mode"),
        pytest.param("self.head = nn.Linear(4, 4)", "model.eval()", "pass", "", id="with a head of its own"),
        pytest.param("pass", "model.eval(); model.requires_grad_(False)", "pass", "", id="frozen"),
    ],
)
def test_made_around_a_model(own: str, set_up: str, then: str, mark: str) -> None:
    assert_marked(AROUND.format(own=own, set_up=set_up, then=then, mark=mark))
