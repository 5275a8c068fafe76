"""Values of a record's fields, checked.  A field that is null counts as absent, at any depth of a record."""
from __future__ import annotations

import json
import math

from .errors import UserError

#: The numbers of f32, in which margins and weights are computed: the largest, and the smallest that is not 0.
LARGEST, SMALLEST = 3.4028234663852886e38, 2.0**-149


def drop_absent(value):
    """Without fields that are null: tools such as `datasets` give all rows, and all turns, the same fields."""
    if isinstance(value, dict):
        return {key: drop_absent(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [drop_absent(inner) for inner in value]
    return value


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def finite(text):
    if math.isinf(value := float(text)):
        raise ValueError(f"{text} is beyond float64")
    return value


DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)


def parse_json(text, place):
    """The value that a text is; numbers that JSON cannot write again are refused."""
    value, end = parse_first(text, len(text) - len(text.lstrip()), place)
    if rest := text[end:].strip():
        raise UserError(f"{place} is not JSON: after its value comes {rest[:20]!r}")
    return value


def parse_first(text, begin, place):
    """The value that begins there, and where it ends."""
    try:
        return DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place} is not JSON: {error}") from error


class Cell(str):
    """The text of a table whose value is JSON, which is parsed where it is read."""


def value_of(value, name, place):
    """The value of a field, which may be a Cell."""
    return drop_absent(parse_json(value, f"{place}: the text of {name}")) if isinstance(value, Cell) else value


def text_of(record, name, place, default=None):
    return check_text(record.get(name, default), name, place)


def check_text(value, name, place):
    """`value`, a text that UTF-8 can hold: JSON may have half of a pair of surrogates."""
    if not isinstance(value, str):
        raise UserError(f"{place}: {name} is {describe(value)}, where a text is needed")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"{place}: {name} has {value[error.start]!r} at {error.start}, which is no character; "
                        "remove it") from error
    return value


def check_f32(value, name, place):
    """`value`, a number that f32 can hold, rounded."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UserError(f"{place} has {name} {value!r}, which is no number")
    if not abs(value) <= LARGEST or 0 < abs(value) < SMALLEST:
        raise UserError(f"{place} has {name} {value!r}, which is beyond float32; its numbers are 0 and from {SMALLEST:.1e} "
                        f"to {LARGEST:.1e}")
    return value


def describe(value):
    if value is None:
        return "null"
    return {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list",
            dict: "an object"}.get(type(value), str(type(value)))
