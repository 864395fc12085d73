"""What a command raises for a request that makes no sense."""


class BadRequestError(Exception):
    """What was asked cannot be done; the message is a line for the user."""
