"""Errors for the user."""


class UserError(Exception):
    """Names the place, what is wrong there, and what to do."""


def plural(count, word):
    """12 samples, 1 sample, 12,345 samples."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
