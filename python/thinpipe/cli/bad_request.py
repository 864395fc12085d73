"""The error of a command whose arguments cannot be served."""


class BadRequestError(Exception):
    """The arguments cannot be served; the message is one line for the user."""
