"""Errors for the user."""


class UserError(Exception):
    """Names the place, what is wrong there, and what to do."""


def raise_all(faults, heading):
    """Raises UserError of these texts, if there are any; several are listed behind the heading."""
    if len(faults) == 1:
        raise UserError(faults[0])
    if faults:
        raise UserError("\n  ".join([f"{heading}:", *faults]))


def plural(count, word):
    """12 samples, 1 sample, 12,345 samples."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
