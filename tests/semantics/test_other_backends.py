"""A program with a backend of another framework beside that of torch: what gets tensors of the other one is no module of torch there (LL303)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """

    class Recommender:
        def __init__(self, lr, users):
            self.lr = lr
            self.users = users

        def fit(self, loader):
            self.model = self.build()
            optimizer = torch.optim.Adam(self.model.parameters(), lr=self.lr)
            for epoch in range(3):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(self.model(x), y).backward()
                    optimizer.step()

        def score(self, loader):
            LIBRARY
            self.model.eval()
            found = []
            for x, y in loader:
                MADE
                predictions = self.model(INPUT)MARK
                found.append(float((predictions.argmax(1) == y).mean()))
            return found
"""
OTHERS = {
    "tensorflow": ("import tensorflow as tf", "z = tf.convert_to_tensor(x, dtype=tf.int32)", "z"),
    "in a list": ("import tensorflow as tf", "z = tf.constant(x)", "[z, z]"),
    "changed": ("import tensorflow as tf", "z = tf.broadcast_to(tf.cast(x, tf.int32), shape=(1, 2))", "z"),
    "by a keyword": ("import tensorflow as tf", "z = tf.expand_dims(x, 0)", "inputs=z"),
    "jax": ("import jax.numpy as jnp", "z = jnp.asarray(x)", "z"),
    "on the way": ("from tensorflow import convert_to_tensor", "pass", "convert_to_tensor(x)"),
}
TORCH = {
    "torch": ("pass", "z = torch.as_tensor(x)", "z"),
    "numpy of it": ("import tensorflow as tf", "z = torch.from_numpy(tf.constant(x).numpy())", "z"),
    "a setting": ("import tensorflow as tf", "size = tf.shape(x)", "torch.as_tensor(x)"),
    "imported alone": ("import tensorflow as tf", "z = x.float()", "z"),
}


def _filled(library: str, made: str, given: str, mark: str) -> str:
    return PROGRAM.replace("LIBRARY", library).replace("MADE", made).replace("INPUT", given).replace("MARK", mark)


@pytest.mark.parametrize(("library", "made", "given"), OTHERS.values(), ids=OTHERS)
def test_tensors_of_another_framework(library: str, made: str, given: str) -> None:
    assert_marked(_filled(library, made, given, ""))


@pytest.mark.parametrize(("library", "made", "given"), TORCH.values(), ids=TORCH)
def test_tensors_of_torch(library: str, made: str, given: str) -> None:
    assert_marked(_filled(library, made, given, "  # expect: LL303"))
