"""What reads the files of MNIST, with a few random images in their place."""

import numpy as np


def load_mnist(ntrain=400, ntest=100, onehot=True):
    draw = np.random.RandomState(0)
    images = [draw.rand(count, 28 * 28) for count in (ntrain, ntest)]
    labels = [draw.randint(0, 10, count) for count in (ntrain, ntest)]
    return (*images, *([np.eye(10)[each] for each in labels] if onehot else labels))
