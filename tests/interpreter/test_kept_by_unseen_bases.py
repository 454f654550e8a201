"""A class with a `forward` and a base out of sight may be a model that trains itself: what its text steps and clears is no part of it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

LOUD = {
    "in the manner of pix2pix": """
        class Model(BaseModel):
            def set_input(self, data):
                self.x, self.y = data

            def forward(self):
                self.fake = self.generator(self.x)

            def backward_G(self):
                self.loss_G = nn.functional.l1_loss(self.fake, self.y)
                self.loss_G.backward()

            def optimize_parameters(self):
                self.forward()
                self.backward_G()
                self.optimizer_G.zero_grad()  # expect: LL101
                self.optimizer_G.step()
        """,
    "over batches": """
        class Model(BaseModel):
            def forward(self, x):
                return self.head(self.encoder(x))

            def learn(self, loader):
                for x, y in loader:
                    loss = nn.functional.cross_entropy(self(x), y)
                    loss.backward()  # expect: LL102
                    self.optimizer.step()
        """,
    "with a scaler": """
        class Model(BaseModel):
            def forward(self, x):
                return self.head(x)

            def learn(self, loader):
                for x, y in loader:
                    self.optimizer.zero_grad()
                    with torch.autocast("cuda"):
                        loss = nn.functional.cross_entropy(self.head(x), y)
                    self.scaler.scale(loss).backward()
                    nn.utils.clip_grad_norm_(self.head.parameters(), 1.0)  # expect: LL601
                    self.scaler.step(self.optimizer)
                    self.scaler.update()
        """,
    "under another name, that only its use tells": """
        class Model(BaseModel):
            def forward(self, x):
                return self.head(x)

            def learn(self, loader, epochs):
                for epoch in range(epochs):
                    for x, y in loader:
                        loss = nn.functional.cross_entropy(self.head(x), y)
                        loss.backward()
                        self.updates.zero_grad()  # expect: LL101
                        self.updates.step()
        """,
}
QUIET = {
    "in the right order": """
        class Model(BaseModel):
            def forward(self):
                self.fake = self.generator(self.x)

            def optimize_parameters(self):
                self.forward()
                self.optimizer_G.zero_grad()
                loss = nn.functional.l1_loss(self.fake, self.y)
                loss.backward()
                self.optimizer_G.step()
        """,
    "one of two optimizers": """
        class Model(BaseModel):
            def forward(self):
                self.fake = self.netG(self.x)

            def optimize_parameters(self, loader):
                for self.x, self.y in loader:
                    self.forward()
                    self.optimizer_D.zero_grad()
                    (self.netD(self.fake.detach()).mean() - self.netD(self.y).mean()).backward()
                    self.optimizer_D.step()
                    self.optimizer_G.zero_grad()
                    (-self.netD(self.fake).mean()).backward()
                    self.optimizer_G.step()
        """,
    "a part that is called like one, and applied": """
        class Model(BaseModel):
            def forward(self, x):
                return self.optimizer_net(x)

            def learn(self, loader, optimizer):
                self.optimizer_net.train()
                for x, y in loader:
                    self.optimizer_net.zero_grad()
                    nn.functional.cross_entropy(self(x), y).backward()
                    optimizer.step()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in LOUD.items()])
def test_what_a_class_steps_that_a_base_out_of_sight_makes_is_judged(text: str) -> None:
    assert_marked("from elsewhere import BaseModel\n" + dedent(text))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in QUIET.items()])
def test_correct_programs_are_quiet(text: str) -> None:
    assert_marked("from elsewhere import BaseModel\n" + dedent(text))
