"""What a user should know of records, said once, with how many they are.

Notes of a record are a dict: (kind, name) to the place of the first.  Those of many are a list of [kind, name,
records, place of the first], in the order in which they came.
"""
from __future__ import annotations

from .errors import plural

#: {name} is that of the first note of a kind; {names} are those of all, each with its count.
TEXTS = {
    "special": "{records} with the name of a special token in a text, first {name} of {place}; it becomes that token",
    "reasoning": "{records} with reasoning that the chat template does not write, first {place}; it is not trained on",
    "tools": "{records} with tools that the chat template does not write, first {place}; the model does not see them",
    "unread": "neither zeroc nor the chat template reads these fields of turns or of chat_template_kwargs: {names}, first "
              "{place}",
    "empty": "{records} with an empty turn of the assistant, first {place}; the model learns to say nothing there",
}


def add(found, notes):
    """Adds the notes of a record to those of many."""
    for (kind, name), place in notes.items():
        known = next((note for note in found if note[:2] == [kind, name]), None)
        if known:
            known[2] += 1
        else:
            found.append([kind, name, 1, place])


def lines(found):
    for kind, text in TEXTS.items():
        of_kind = [note[1:] for note in found if note[0] == kind]
        if of_kind:
            name, _, place = of_kind[0]
            names = ", ".join(f"{name} ({plural(count, 'record')})" for name, count, _ in of_kind)
            records = plural(sum(count for _, count, _ in of_kind), "record")
            yield f"warning: {text.format(records=records, name=name, names=names, place=place)}"
