"""Adapters take gradients in a model that is frozen otherwise."""

from __future__ import annotations

import pytest

from programs import assert_marked

ADAPTED = """
        from diffusers import UNet2DConditionModel
        from peft import LoraConfig, get_peft_model, inject_adapter_in_model
        def main(args, loader):
            unet = {made}
            unet.requires_grad_(False)
            {adapted}
            params = [p for p in unet.parameters() if p.requires_grad]
            optimizer = torch.optim.AdamW(params)
            for x, y in loader:
                loss = nn.functional.mse_loss(unet(x), y)
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """


@pytest.mark.parametrize("made", ["UNet2DConditionModel.from_pretrained(args.name)", "nn.Linear(2, 2)"])
@pytest.mark.parametrize(
    "adapted",
    [
        "unet.add_adapter(LoraConfig(r=4))",
        "unet = get_peft_model(unet, LoraConfig(r=4))",
        "unet = inject_adapter_in_model(LoraConfig(r=4), unet)",
        "if args.resume: unet.load_lora_adapter(args.resume)\n            else: unet.add_adapter(LoraConfig(r=4), 'default')",
    ],
)
def test_a_loop_over_adapters_is_judged(made: str, adapted: str) -> None:
    assert_marked(ADAPTED.replace("{made}", made).replace("{adapted}", adapted))
