"""What a loaded model puts out as a picture is given out: `ToPILImage()(out)`, `save_image(out, path)`."""

from __future__ import annotations

import pytest

from programs import assert_marked

SCRIPT = """
        from torchvision import transforms, utils
        from torchvision.transforms import ToPILImage
        from torchvision.transforms.functional import to_pil_image
        import torchvision.transforms.functional as TF
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Conv2d(3, 3, 3), nn.BatchNorm2d(3))
            def forward(self, x):
                return self.net(x)
        def enhance(image):
            model = Net(){mode}
            model.load_state_dict(torch.load("net.pt", map_location="cpu"))
            with torch.no_grad():
                out = model(image){mark}
            {shown}
        """
MARK = "  # expect: LL302"
CASES = {
    "a class": ("ToPILImage()(out[0].cpu()).save('out.png')", MARK),
    "an object": ("to_picture = transforms.ToPILImage(); to_picture(out[0]).save('out.png')", MARK),
    "a function": ("to_pil_image(out[0].clamp(0, 1)).show()", MARK),
    "of a module": ("TF.to_pil_image(out[0]).save('out.png')", MARK),
    "saved": ("utils.save_image(out.data, 'out.png')", MARK),
    "kept": ("torch.save(out, 'features.pt')", ""),
}


@pytest.mark.parametrize(("shown", "mark"), CASES.values(), ids=CASES)
def test_a_picture_is_given_out(shown: str, mark: str) -> None:
    assert_marked(SCRIPT.format(mode="", shown=shown, mark=mark))
    assert_marked(SCRIPT.format(mode=".eval()", shown=shown, mark=""))


def test_pictures_while_training() -> None:
    assert_marked("""
        from torchvision.utils import save_image
        def main(loader):
            generator, critic = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), nn.Linear(2, 1)
            of_g = torch.optim.Adam(generator.parameters())
            of_c = torch.optim.Adam(critic.parameters())
            for epoch in range(9):
                for i, x in enumerate(loader):
                    fake = generator(torch.randn(8, 2))
                    of_c.zero_grad()
                    (critic(fake.detach()) - critic(x)).mean().backward()
                    of_c.step()
                    of_g.zero_grad()
                    (-critic(fake)).mean().backward()
                    of_g.step()
                    if i % 100 == 0:
                        save_image(fake.data[:25], "fake.png", nrow=5)
        """)
