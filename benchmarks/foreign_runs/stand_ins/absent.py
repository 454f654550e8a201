"""What a script draws, logs or tabulates with, which does nothing: any attribute of it, call of it or part of it is the same again."""


class Nothing:
    __name__ = "Nothing"

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


NOTHING = Nothing()


def attribute(name):
    """The `__getattr__` of a module of which nothing is there."""
    if name.startswith("__"):
        raise AttributeError(name)
    return NOTHING
