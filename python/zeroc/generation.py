"""What zeroc generate and zeroc chat share: their options, and the program that answers.

A model is compiled once for its config, options and this machine; the programs are in ~/.cache/zeroc
(ZEROC_CACHE names another folder).  A program runs beside this process and answers lines of JSON
(train/generate/Requests.h).
"""
from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess

from . import hub
from .cache import find_program
from .child import how_ended
from .commands import positions_of
from .errors import UserError
from .options import parse, parser_of
from .sampling import Sampling
from .source import find_source, forward_options
from .tokens import Tokenizer

MANAGED = {"--sample-only": "it is always on", "--sample": "use it with train", "--emit": "use zeroc itself",
           "--ds-config": "give its options by themselves; zeroc itself prints them",
           "--lora": "say --adapter", "--dora": "say --adapter", "--rslora": "say --adapter",
           "--lora-dropout": "generating has none", "--eval": "use zeroc itself",
           "--prompt": "say --prompts FILE with zeroc generate, or use zeroc chat",
           "--prompt-ids": "say --prompts FILE with zeroc generate, or use zeroc chat",
           "--sample-tokens": "say --max-tokens", "--init": "name the model's folder first"}
#: Options of training programs that a program that generates has, too.
OF_PROGRAM = ("--threads", "--nvme-path", "--verify-reads", "--memory-check")
#: Tokens of a slot, if --seq does not say it and the model reads more.
MOST_POSITIONS = 4096


def new_parser(command, **how):
    p = parser_of(
        command, formatter_class=argparse.RawDescriptionHelpFormatter, **how,
        epilog="Sampling is what generation_config.json of the model says, where an option does\n"
               "not say more. Options of zeroc for the compiled program are taken, too, such as\n"
               "--base-storage or --cpu, and of the program\n"
               f"{', '.join(OF_PROGRAM)}: see zeroc --help.")
    p.add_argument("model", metavar="MODEL_DIR", help="a folder of Hugging Face: config, weights, tokenizer; OWNER/NAME of a "
                   "hub; or the checkpoints of a run, OUT/zeroc/run")
    p.add_argument("--adapter", metavar="DIR", help="adapters in PEFT's format, for the model")
    p.add_argument("--max-tokens", type=int, metavar="N", help="most tokens of an answer (default: 256; of zeroc chat "
                   "as many as fit)")
    p.add_argument("--temperature", type=float, metavar="X", help="divide the logits by this; 0: the most likely token "
                   "(default: 0.8)")
    p.add_argument("--top-k", type=int, metavar="K", help="of the K most likely tokens; 0: of all (default)")
    p.add_argument("--top-p", type=float, metavar="P", help="of the fewest tokens whose probabilities sum up to P "
                   "(default: 1)")
    p.add_argument("--min-p", type=float, metavar="P", help="of those whose probability is at least P of the most likely "
                   "one's (default: 0, all)")
    p.add_argument("--repetition-penalty", type=float, metavar="R", help="make tokens that were there before less likely "
                   "(default: 1, which does not)")
    p.add_argument("--no-repeat-ngram-size", type=int, metavar="N", help="let no N tokens in a row come twice (default: "
                   "0, which does)")
    p.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    p.add_argument("--stop", metavar="TEXT", action="append", default=[], help="end an answer before this text")
    p.add_argument("--stop-token", metavar="TEXT", action="append", default=[], help="a further stop token")
    p.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    p.add_argument("--seq", type=int, metavar="T", help="most tokens of a prompt and its answer (default: "
                   f"{MOST_POSITIONS}, or the model's positions if fewer)")
    return p


class Generation:
    """A model, its tokenizer, and the options of a command.  An answer has `most` tokens if nothing else says it."""

    def __init__(self, command, p, arguments, most=None):
        self.args, found = parse(p, arguments, MANAGED, command, OF_PROGRAM)
        self.command, self.compiled, self.run_options = command, found["compile"], found["train"]
        self.check()
        self.source = find_source(hub.find_folder(self.args.model))
        self.args.adapter = self.args.adapter and str(hub.find_folder(self.args.adapter, hub.ADAPTER))
        self.tokenizer = Tokenizer(self.source.folder, self.args.chat_template, tuple(self.args.stop_token))
        sampling = Sampling(self.args, self.source.folder, command, self.seq)
        self.sampling, self.stops = sampling.fields, sampling.stops
        self.most = sampling.most or most
        self.program = None

    def check(self):
        a = self.args
        for name, value, least in (("--seq", a.seq, 2), ("--slots", a.slots, 1), ("--seed", a.seed, 0)):
            if value is not None and value < least:
                raise UserError(f"{name}={value} must be {least} or more")
        if a.seed >= 2**64:
            raise UserError(f"--seed={a.seed} must be below 2^64")
        if "" in a.stop:
            raise UserError("--stop is empty; give it a text")

    @property
    def seq(self):
        return self.args.seq or min(MOST_POSITIONS, positions_of(self.source.config) or MOST_POSITIONS)

    def check_prompt(self, ids, place):
        """An answer needs room for a token."""
        if not ids:
            raise UserError(f"{place} has no tokens; give it one at least")
        if len(ids) >= self.seq:
            positions = positions_of(self.source.config)
            most = f", up to the {positions} positions of the model" if positions else ""
            raise UserError(f"{place} has {len(ids)} tokens, and with --seq={self.seq} a prompt has {self.seq - 1} at most; "
                            f"shorten it, or raise --seq{most}")

    def compile_options(self):
        return forward_options(self.source, self.args.adapter, self.args.model, self.compiled)

    def start(self):
        """Compiles the model if that was not done before, and starts its program."""
        path = find_program(self.source.config_path, self.args.slots, self.seq, self.compile_options(), self.command)
        words = ["--serve", "--weights", str(self.source.weights)]
        words += ["--adapter", self.args.adapter] if self.args.adapter else []
        if self.tokenizer.stops:
            words += ["--end-ids", ",".join(map(str, sorted(self.tokenizer.stops)))]
        self.program = Program(path, f"zeroc {self.command}", [*words, *self.run_options])
        return self.program

    def request(self, ids, sample=0):
        most = {} if self.most is None else {"max": self.most}
        return {"ids": ids, "seed": self.args.seed, "sample": sample, **self.sampling, **most}


class Program:
    """A running program: requests go to it, and events come from it."""

    def __init__(self, path, name, arguments):
        # A session of its own: Ctrl-C is for this process, which decides what it means.
        self.child = subprocess.Popen([name, *arguments], executable=path, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, start_new_session=True)
        self.asked = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.child.stdin.close()
        try:
            self.child.wait(None if error[0] is None else 1)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()

    def ask(self, request):
        """Returns the id of the request."""
        self.asked += 1
        self.send({"id": self.asked, **request})
        return self.asked

    def stop(self, number):
        self.send({"stop": number})

    def send(self, line):
        rest = memoryview(json.dumps(line).encode() + b"\n")
        try:
            # Nothing is buffered, so that a handler of a signal can send, too.
            while rest:
                rest = rest[os.write(self.child.stdin.fileno(), rest):]
        except BrokenPipeError:
            self.fail()

    def read(self):
        """The next event: (id, "token", token), or (id, "end", why); waits for it."""
        line = self.child.stdout.readline()
        if not line:
            self.fail()
        try:
            event = json.loads(line)
            number, (kind,) = event["id"], event.keys() - {"id"}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise UserError(f"the program that generates wrote {line!r}, which is no answer") from error
        if kind == "error":
            raise UserError(f"the program that generates refuses request {number}: {event[kind]}")
        return number, kind, event[kind]

    def fail(self):
        status = self.child.wait()
        raise UserError(f"the program that generates ended {how_ended(status)}")
