"""zeroc chat: a conversation with a model, in the terminal."""
from __future__ import annotations

import contextlib
import os
import re
import signal
import sys

from .answer import Answer
from .cache import cache_folder
from .conversations import Chat
from .errors import UserError
from .generation import Generation, new_parser

HELP = """\
Write a text and Enter; the answer is printed as it comes.
  /reset    begin anew
  /help     this text
  Ctrl-C    end the answer; what it has said so far stays in the chat
  Ctrl-D    end the program"""
#: Lines of earlier chats that the keys up and down bring back.
HISTORY = 1000
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Why an answer ends other than by its own end.
NOTES = {"length": "--max-tokens={most} tokens; ask it to go on, or raise --max-tokens",
         "full": "chat and answer have the {seq} tokens of --seq; /reset begins anew",
         "nonfinite": "the model's logits are not finite; its weights may be damaged"}


def parser():
    p = new_parser("chat", description="Talks with a model.\n\n" + HELP)
    p.add_argument("--system", metavar="TEXT", help="what the model is told first")
    p.set_defaults(slots=1)
    return p


class Talk:
    """A chat with a running program."""

    def __init__(self, generation):
        self.generation, self.tokenizer = generation, generation.tokenizer
        self.messages = []
        self.reset()

    def reset(self):
        system = self.generation.args.system
        self.messages = [] if system is None else [{"role": "system", "content": system}]

    def ids(self, turn):
        """The tokens of the chat and one more turn, to the beginning of the answer."""
        chat = Chat([*self.messages, {"role": "user", "content": turn}], [], "the chat")
        ids = self.tokenizer.encode_prompt(chat, chat.place)
        if len(ids) >= self.generation.seq:
            raise UserError(f"the chat has {len(ids)} tokens, and with --seq={self.generation.seq} it has "
                            f"{self.generation.seq - 1} at most; shorten the text, begin anew with /reset, or start with "
                            "a larger --seq")
        return ids

    def say(self, program, turn, interrupts):
        """Prints the answer to a turn, and remembers both."""
        answer = Answer(self.tokenizer.tokenizer, self.generation.stops)
        number = program.ask(self.generation.request(self.ids(turn), sample=len(self.messages)))
        interrupts.call(lambda: program.stop(number))
        end = None
        while end is None:
            _, kind, value = program.read()
            if kind == "end":
                end = value
            elif not interrupts.came and answer.stopped_by is None:
                show(answer.add(value))
                if answer.stopped_by is not None:
                    program.stop(number)
        show(answer.end())
        print(flush=True)
        if end in NOTES:
            print("[" + NOTES[end].format(most=self.generation.most, seq=self.generation.seq) + "]", flush=True)
        if answer.ids:  # what was stopped before it began was not said
            self.messages += [{"role": "user", "content": turn}, {"role": "assistant", "content": answer.text}]


class Interrupts:
    """Within it, Ctrl-C raises nothing: it sets `came`, and calls a function once."""

    def __enter__(self):
        self.came, self.handler = False, None
        self.before = signal.signal(signal.SIGINT, self.note)
        return self

    def __exit__(self, *error):
        signal.signal(signal.SIGINT, self.before)

    def note(self, *_):
        if not self.came:
            self.came = True
            if self.handler:
                self.handler()

    def call(self, handler):
        self.handler = handler
        if self.came:
            handler()


def show(text):
    """Prints a text without what a terminal would obey."""
    if text:
        sys.stdout.write(CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text))
        sys.stdout.flush()


@contextlib.contextmanager
def line_editor():
    """The keys up and down bring back earlier lines, also of earlier chats."""
    try:
        import readline
    except ImportError:
        yield
        return
    path = cache_folder() / "chat_history"
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(HISTORY)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            # For its owner alone.
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            readline.write_history_file(path)


def converse(talk, program):
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    while True:
        try:
            line = input("> " if is_terminal else "").strip()
            with Interrupts() as interrupts:
                obey(talk, program, line, interrupts)
        except KeyboardInterrupt:  # drops what was typed
            if not is_terminal:
                raise
            print(flush=True)
        except EOFError:
            if is_terminal:
                print(flush=True)
            return
        except UnicodeDecodeError:
            print("[this is not UTF-8; write it again]", flush=True)
        except UserError as error:
            if program.child.poll() is not None:
                raise
            print(f"[{error}]", flush=True)


def obey(talk, program, line, interrupts):
    if line == "/reset":
        talk.reset()
    elif line == "/help":
        print(HELP, flush=True)
    elif line.startswith("/"):
        print(f"[{line.split()[0]} is no command; see /help]", flush=True)
    elif line:
        talk.say(program, line, interrupts)


def main(arguments):
    sys.stdout.reconfigure(errors="replace")
    generation = Generation("chat", parser(), arguments)
    if not generation.tokenizer.template:
        raise UserError(f"{generation.source.folder} has no chat template; name a file with --chat-template, or use zeroc "
                        "generate, which goes on from texts")
    talk = Talk(generation)
    talk.ids("Hello")  # what the template refuses, it refuses now
    if not generation.tokenizer.stops:
        print(f"zeroc chat: warning: {generation.source.folder} names no eos_token, so answers end at --seq; name the "
              "token that ends them with --stop-token", file=sys.stderr)
    with generation.start() as program, line_editor():
        if sys.stdin.isatty() and sys.stdout.isatty():
            print("/help tells what there is")
        converse(talk, program)
