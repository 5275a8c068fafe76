"""Fields of records from columns of other names: --column FIELD=COLUMN; and from the texts of a table."""
from __future__ import annotations

from .errors import UserError
from .fields import DECODER, Cell

#: The fields that say what a record is (conversations.py), and others.
FORMS = (("messages",), ("conversations",), ("prompt", "completion"), ("instruction", "input", "output", "response", "history"),
         ("text",))
OTHERS = ("system", "tools", "chat_template_kwargs", "chosen", "rejected", "label", "margin")
FIELDS = (*(name for form in FORMS for name in form), *OTHERS)
#: In a table these are JSON, where they are not empty.
OF_JSON = ("messages", "conversations", "history", "chat_template_kwargs", "margin")
#: In a table these are texts, or turns as JSON.
OF_TURNS = ("prompt", "completion", "chosen", "rejected")


def add_columns(parser):
    parser.add_argument("--column", metavar="FIELD=COLUMN", action="append", default=[],
                        help="the column, or the field, that has a field of records under another name, as in prompt=question")
    add_split(parser)


def add_split(parser):
    parser.add_argument("--split", metavar="NAME", help="the files to read of a folder or a hub's data set with several splits, "
                        "or all (default: train)")


def read_columns(options):
    """{field: column} of --column=FIELD=COLUMN; throws UserError."""
    columns = {}
    for option in options:
        name, equals, column = option.partition("=")
        if not equals or not column or name not in FIELDS:
            hint = f"did you mean {column}={name}?" if column in FIELDS else f"fields are {', '.join(FIELDS)}"
            raise UserError(f"--column={option} needs FIELD=COLUMN; {hint}")
        if name in columns:
            raise UserError(f"--column names {name} twice, {columns[name]} and {column}; drop one")
        columns[name] = column
    return columns


def rename(record, columns, place):
    """The record with its fields by their names; of forms that are not named, none is left."""
    found = {}
    for name, column in columns.items():
        if column not in record:
            raise UserError(f"{place} has no column {column}; it has {', '.join(map(str, record)) or 'none'}")
        found[name] = record[column]
    named = [form for form in FORMS if set(form) & columns.keys()]
    left = {name for form in FORMS if named and form not in named for name in form}
    return {**{name: value for name, value in record.items() if name not in columns.values() and name not in left}, **found}


def from_texts(record):
    """The record of a row of texts."""
    return {name: cell_of(text) if name in OF_JSON else turns_of(text) if name in OF_TURNS else text
            for name, text in record.items()}


def cell_of(text):
    return None if text.strip() in ("", "null") else Cell(text)


def turns_of(text):
    """The turns that a text is as JSON, or the text."""
    if not text.lstrip().startswith("[{"):
        return text
    try:
        turns = DECODER.decode(text)
    except (ValueError, RecursionError):
        return text
    return turns if all(isinstance(turn, dict) and ("role" in turn or "from" in turn) for turn in turns) else text
