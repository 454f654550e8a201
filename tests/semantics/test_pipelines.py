"""A pipeline of diffusers that the program extends runs models, and trains none of them."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINED = """
        from diffusers import DiffusionPipeline, UNet2DModel
        from diffusers.loaders import FluxLoraLoaderMixin
        from diffusers.pipelines.pipeline_utils import StableDiffusionMixin
        {pipeline}
        def train(args, loader):
            unet = UNet2DModel.from_pretrained(args.name)
            unet.train()
            optimizer = torch.optim.AdamW(unet.parameters())
            for step, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(unet(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
                if step % 100 == 0:
                    pipeline = Sampler(unet=unet, scheduler=args.scheduler)
                    pipeline.set_progress_bar_config(disable=True)
                    pipeline(x)
        """
PIPELINES = {
    "its models are registered": """
        class Sampler(DiffusionPipeline):
            def __init__(self, unet, scheduler):
                super().__init__()
                self.register_modules(unet=unet, scheduler=scheduler)
            @torch.no_grad()
            def __call__(self, x):
                device = self._execution_device
                return self.unet(x.to(device))
        """,
    "it shows its progress": """
        class Sampler(DiffusionPipeline, FluxLoraLoaderMixin):
            def __init__(self, unet, scheduler):
                super().__init__()
                self.register_modules(unet=unet, scheduler=scheduler)
            @torch.no_grad()
            def __call__(self, x):
                with self.progress_bar(total=10) as progress:
                    for step in range(10):
                        x = self.unet(x.to(self.device, self.dtype))
                        progress.update()
                self.maybe_free_model_hooks()
                return x
        """,
    "it extends another pipeline of the program": """
        class Base(DiffusionPipeline, StableDiffusionMixin):
            def __init__(self, unet, scheduler):
                super().__init__()
                self.register_modules(unet=unet, scheduler=scheduler)
        class Sampler(Base):
            @torch.no_grad()
            def __call__(self, x):
                return self.unet(self.scheduler.scale_model_input(x, device=self._execution_device))
        """,
}


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=PIPELINES.keys())
def test_a_loop_that_samples_with_its_model_is_judged(pipeline: str) -> None:
    assert_marked(TRAINED.replace("{pipeline}", pipeline.strip()))


def test_what_another_base_does_with_its_models_is_not_known() -> None:
    base = "from somewhere import Base\n        class Sampler(DiffusionPipeline, Base):\n            pass"
    assert_marked(TRAINED.replace("{pipeline}", base).replace("  # expect: LL102", ""))


# Ways to make one that the pipeline inherits.
MADE = {
    "it is loaded": ("DiffusionPipeline", "Sampler.from_pretrained(args.name, unet=unet)"),
    "it is loaded by a class of the program's own": ("Base", "Sampler.from_pretrained(args.name, unet=unet, torch_dtype=torch.float16)"),
    "it is made of another's parts": ("FluxLoraLoaderMixin, DiffusionPipeline", "Sampler.from_pipe(args.pipeline, unet=unet)"),
}


@pytest.mark.parametrize(("base", "made"), MADE.values(), ids=MADE.keys())
def test_a_pipeline_that_is_loaded_around_a_model_leaves_its_gradients(base: str, made: str) -> None:
    classes = f"class Base(DiffusionPipeline):\n            pass\n        class Sampler({base}):\n            pass"
    assert_marked(TRAINED.replace("{pipeline}", classes).replace("Sampler(unet=unet, scheduler=args.scheduler)", made))


def test_what_another_class_does_that_is_loaded_around_a_model_is_not_known() -> None:
    base = "from somewhere import Base\n        class Sampler(Base):\n            pass"
    source = TRAINED.replace("{pipeline}", base).replace(
        "Sampler(unet=unet, scheduler=args.scheduler)", "Sampler.from_pretrained(unet=unet)"
    )
    assert_marked(source.replace("  # expect: LL102", ""))
