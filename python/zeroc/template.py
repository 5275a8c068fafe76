"""A model's chat template, as transformers evaluates it: Jinja in a sandbox.

Templates may mark what an assistant says with {% generation %} ... {% endgeneration %}; `render` returns
where that text is.
"""
from __future__ import annotations

import datetime
import json
import os
import re
from pathlib import Path

from .conversations import Chat
from .errors import UserError
from .needs import need
from .turns import texts_of

# Around marked text while a template runs; they are no characters, and occur in no text.
BEGIN, END = "\ufdd0", "\ufdd1"


class ChatTemplate:
    """Raises UserError if `text` is no template; `tokens` are names such as bos_token, with their texts."""

    def __init__(self, text, path, tokens):
        jinja2 = import_jinja()
        self.text, self.path, self.tokens, self.errors = text, path, tokens, jinja2.TemplateError
        self.writes, self.parts = set(), {}  # what it was seen to write (written.py); see takes_parts
        environment = new_environment(jinja2)
        try:
            self.compiled = environment.from_string(text)
        except jinja2.TemplateSyntaxError as error:
            raise UserError(f"{path}: the chat template has an error in line {error.lineno}: {error.message}") from error

    @property
    def has_marks(self):
        return "generation" in self.text and "endgeneration" in self.text

    def render(self, chat, count=None, prompt=False):
        """The text of the first `count` messages of a chat, and the marked ranges of its characters.

        With `prompt`, the beginning of an assistant's turn follows."""
        messages = self.with_contents(chat.messages if count is None else chat.messages[:count])
        try:
            marked = self.compiled.render(messages=messages, tools=chat.tools, documents=None,
                                          add_generation_prompt=prompt, **{**self.tokens, **chat.arguments})
        except self.errors as error:
            raise UserError(f"{chat.place}: the chat template of {self.path} refuses it: {error}{advice_of(messages)}") from error
        except Exception as error:  # what a template computes may fail in any way
            raise UserError(f"{chat.place}: the chat template of {self.path} fails: {type(error).__name__}: "
                            f"{error}") from error
        return split_marks(marked, chat.place)

    def with_contents(self, messages):
        """The turns, with texts in place of lists of parts unless the template takes lists."""
        listed = [isinstance(message["content"], list) for message in messages]
        if not any(listed) or self.takes_parts({message["role"] for message, is_list in zip(messages, listed) if is_list}):
            return messages
        return [{**message, "content": "".join(texts_of(message))} for message in messages]

    def takes_parts(self, roles):
        """Whether the template writes texts of parts in turns of these roles, and nothing else of parts."""
        key = frozenset(roles)
        if key not in self.parts:
            self.parts[key] = True
            first, last = roles & {"system", "developer"}, ["tool", "assistant"] if "tool" in roles else []
            turns = [{"role": role, "content": "zq" if role not in roles else [
                {"type": "text", "text": f"zq{i}a"}, {"type": "text", "text": f"zq{i}b"}]}
                for i, role in enumerate([*first, "user", "assistant", *last])]
            try:
                text, _ = self.render(Chat(turns, [], "a probe of parts"))
                self.parts[key] = not re.search("[\"']type[\"']", text) and all(
                    turn["content"][0]["text"] in text for turn in turns if turn["role"] in roles)
            except UserError:
                self.parts[key] = False
        return self.parts[key]


def advice_of(messages):
    """What is unusual in turns that a template refuses."""
    first = next((message["role"] for message in messages if message["role"] not in ("system", "developer")), "user")
    if first != "user":
        return f"; it begins with a turn of the {first}: put one of the user before it, or drop it"
    roles = [message["role"] for message in messages]
    twice = next((i for i in range(1, len(roles)) if roles[i] == roles[i - 1] and roles[i] != "tool"), None)
    return f"; turns {twice} and {twice + 1} are both of the {roles[twice]}: make one of them" if twice else ""


def split_marks(marked, place):
    """The text without marks, and the ranges between them."""
    parts, ranges, size, begun = [], [], 0, None
    for piece in marked.replace(END, BEGIN + END).split(BEGIN):
        if piece.startswith(END):
            if begun is None:
                raise UserError(f"{place} holds the character U+FDD1, which is none; remove it")
            if ranges and ranges[-1][1] == begun:  # the end of text, marked by itself
                begun = ranges.pop()[0]
            ranges.append((begun, size))
            begun, piece = None, piece[1:]
        elif parts:
            if begun is not None:
                raise UserError(f"{place} holds the character U+FDD0, or the chat template has a generation within "
                                "another")
            begun = size
        parts.append(piece)
        size += len(piece)
    return "".join(parts), ranges


def import_jinja():
    need("a chat template", ["jinja2"])
    import jinja2
    import jinja2.ext
    import jinja2.sandbox
    return jinja2


def new_environment(jinja2):
    class Generation(jinja2.ext.Extension):
        """Marks what is between {% generation %} and {% endgeneration %}."""
        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("mark"), [], [], body).set_lineno(line)

        def mark(self, caller):
            return BEGIN + caller() + END

    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])

    def raise_exception(message):
        raise jinja2.TemplateError(message)

    def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda form: today().strftime(form)
    return environment


def today():
    """The date that templates see; SOURCE_DATE_EPOCH fixes it."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.datetime.fromtimestamp(int(fixed), datetime.timezone.utc) if fixed else datetime.datetime.now()


def read_json(path):
    """The object in a file; {} if there is no file."""
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except NotADirectoryError as error:
        file = next(parent for parent in Path(path).parents if parent.is_file())
        raise UserError(f"{file} is a file, and a folder is needed in its place") from error
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(value, dict):
        raise UserError(f"{path} is not a JSON object")
    return value


def token_texts(config):
    """bos_token, eos_token and the like, of a tokenizer_config.json."""
    texts = {}
    for name, value in config.items():
        if name.endswith("_token"):
            text = value.get("content") if isinstance(value, dict) else value
            if isinstance(text, str):
                texts[name] = text
    return texts


def find_template(folder, config, override=None):
    """The text of a folder's chat template and the file that it is in; (None, None) if there is none."""
    path = Path(override) if override else folder / "chat_template.jinja"
    if override or path.exists():
        try:
            return path.read_text(encoding="utf-8-sig"), path
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    for path, value in ((folder / "tokenizer_config.json", config.get("chat_template")),
                        (folder / "chat_template.json", read_json(folder / "chat_template.json").get("chat_template"))):
        if isinstance(value, list):  # several, by name
            named = {str(entry.get("name")): entry.get("template") for entry in value if isinstance(entry, dict)}
            value = named.get("default")
            if value is None and named:
                raise UserError(f"{path} has the chat templates {', '.join(named)}, and none is named "
                                "default; name a file with --chat-template")
        if isinstance(value, str):
            return value, path
    return None, None
