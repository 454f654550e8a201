"""The few transforms that the scripts name. Those that only vary an image leave it as it is."""


class Image:
    """What a data set gives before ToTensor."""

    def __init__(self, values):
        self.values = values


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image


class ToTensor:
    def __call__(self, image):
        values = image.values if image.values.dim() == 3 else image.values[..., None]
        return values.permute(2, 0, 1).float() / 255


class Resize:
    def __init__(self, size):
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def __call__(self, image):
        rows, columns = ([i * old // new for i in range(new)] for old, new in zip(image.values.shape, self.size))
        return Image(image.values[rows][:, columns])


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, tensor):
        mean, std = (tensor.new_tensor(each).reshape(-1, 1, 1) for each in (self.mean, self.std))
        return (tensor - mean) / std


class Lambda:
    def __init__(self, function):
        self.function = function

    def __call__(self, image):
        return self.function(image)


class _Same:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, image):
        return image


Pad = RandomHorizontalFlip = RandomCrop = RandomGrayscale = _Same
