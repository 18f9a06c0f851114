"""The one error for input that cannot be computed with."""


class InputError(ValueError):
    """The input is at fault, not the program: the message names the argument, its value and a remedy."""

    __module__ = "provend"  # where users find it, and what a traceback calls it
