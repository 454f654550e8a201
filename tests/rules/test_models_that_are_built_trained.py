"""A model that a library builds with trained weights is one to evaluate: what measures it in train mode is reported (LL302)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import torchvision
from torchvision.models import ResNet50_Weights, densenet121, resnet50, vgg16


def validate(loader, model):
    right = 0
    {before}
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.cuda()).argmax(1).cpu() == y).sum().item(){mark}
    return right


def main(loader):
    net = {built}
    net = net.cuda()
    print(validate(loader, net))


main(torch.utils.data.DataLoader(torch.load("data.pt"), batch_size=64))
"""
TRAINED = [
    "resnet50(pretrained=True)",
    'densenet121(weights="DEFAULT")',
    "resnet50(weights=ResNet50_Weights.IMAGENET1K_V2)",
    'torchvision.models.mobilenet_v2(weights="IMAGENET1K_V1")',
]
# Built at random, at the choice of whoever runs the program, and without a layer that asks for the mode.
OTHERS = [
    "resnet50()",
    "resnet50(pretrained=False)",
    "resnet50(weights=None)",
    "resnet50(pretrained=bool(len(loader)))",
    "vgg16(pretrained=True).features",
]
TEACHER = """
from torchvision.models import resnet50


def train(student, loader):
    teacher = resnet50(pretrained=True)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    student.train()
    for x in loader:
        with torch.no_grad():
            wanted = teacher(x)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(student(x), wanted)
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("built", TRAINED)
def test_it_is_measured_in_train_mode(built: str) -> None:
    assert_marked(PROGRAM.format(built=built, before="print(len(loader))", mark="  # expect: LL302"))
    assert_marked(PROGRAM.format(built=built, before="model.eval()", mark=""))
    assert_marked(PROGRAM.format(built=f"{built}.eval()", before="print(len(loader))", mark=""))


@pytest.mark.parametrize("built", OTHERS)
def test_others_are_left_alone(built: str) -> None:
    assert_marked(PROGRAM.format(built=built, before="print(len(loader))", mark=""))


def test_a_teacher_in_train_mode_is_left_alone() -> None:
    assert_marked(TEACHER)
