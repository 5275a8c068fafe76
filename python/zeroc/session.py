"""A model that trains and answers, one request after another (docs/drive.md)."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import weakref
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from .child import how_ended
from .commands import environment, flags
from .errors import UserError


@dataclass(frozen=True)
class Answer:
    """An answer to prompt number `prompt` of a request: its tokens, and why it ended: "token" (with an end token, the last
    of `ids`), "length", "full" or "nonfinite".  `logprobs`, if they were asked for, are those of `ids`: float32."""
    prompt: int
    ids: list
    end: str
    logprobs: object = None


class Session:
    """A program of `zeroc.compile(..., sample=True, eval=True)` that runs, and does what it is asked for.

    Each function returns a Future at once.  Requests are done one after another, in their order; a result is there when its
    own is done.  Of a Future, result() waits for it, and throws Error with what was wrong; a request that is refused changes
    nothing.

    program  a Program, or the path of one
    init     weights to begin with; default: those of the Program's folder
    options  those of the program: resume="latest", checkpoint="run", lr=1e-5, threads=2, ...

    Rows are sequences of up to T numbers for each input, lists or arrays of [rows, up to T], such as `tokens`, `targets` and
    those of an objective; what is missing of a row is padding, which nothing learns from."""

    def __init__(self, program, *, init=None, **options):
        self.keeps = getattr(program, "scratch", None)
        init = init or getattr(program, "initial", None)
        # A run that goes on has its weights in its checkpoint; `latest` begins anew if there is none.
        goes_on = options.get("resume") not in (None, "latest")
        self.start([str(getattr(program, "path", program)), "--drive", *flags({"init": None if goes_on else init, **options})])

    @classmethod
    def run(cls, command):
        """A session of a command: a program with --drive."""
        session = cls.__new__(cls)
        session.start(command)
        return session

    def start(self, command):
        self.asked, messages = 0, tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages,
                                        start_new_session=True, env=environment())
        self.answers = Answers(self.process, messages)
        self.left = weakref.finalize(self, close, self.process)

    def sample(self, prompts, count=1, *, max_tokens=None, seed=0, temperature=1.0, logprobs=False, end_ids=(), **draw):
        """`count` answers to each of `prompts`, lists of token ids: a list of Answer, those of the first prompt first.

        A draw depends on `seed`, the number of the answer and its position alone.  `draw`: top_k, top_p, min_p,
        repetition_penalty, no_repeat_ngram_size."""
        request = {"prompts": [listed(prompt) for prompt in prompts], "count": count, "seed": seed, "temperature": temperature,
                   "end_ids": listed(end_ids), **draw}
        request.update({} if max_tokens is None else {"max": max_tokens}, **({"logprobs": True} if logprobs else {}))
        return self.ask("sample", request, lambda line: [
            Answer(one["prompt"], one["ids"], one["end"], array(one["logprobs"]) if logprobs else None)
            for one in line["answers"]])

    def score(self, **inputs):
        """What the objective's program says of each row: float32 [rows, values], of `grpo` log probabilities [rows, T]."""
        return self.ask("score", rows_of(inputs), lambda line: array(line["values"]))

    def forward_backward(self, **inputs):
        """Adds rows to the batch of the next step; {"step", "loss"} once that is made."""
        return self.ask("forward_backward", rows_of(inputs), without_id)

    def step(self, lr=None):
        """Makes a step of the rows since the last one: {"step", "loss", "grad_norm", "skipped"}.  Without `lr` the program's
        own counts."""
        return self.ask("step", {} if lr is None else {"lr": lr}, without_id)

    def eval(self, **inputs):
        """The loss of rows: a float."""
        return self.ask("eval", rows_of(inputs), lambda line: line["loss"])

    def save_state(self):
        """Writes a checkpoint into `checkpoint`; its Path."""
        return self.ask("save", {}, lambda line: Path(line["path"]))

    def load_state(self, path):
        """Goes back to a checkpoint of this model; the number of its steps."""
        return self.ask("load", {"path": str(path)}, lambda line: line["step"])

    def state(self):
        """Where the run is, and what the program reads: step, rows of a step, positions, inputs, ..."""
        return self.ask("state", {}, without_id)

    def ask(self, name, fields, take):
        """A Future of what `take` makes of the answer."""
        line = json.dumps({"id": self.asked + 1, name: fields}, allow_nan=False) + "\n"
        if self.process.stdin.closed:
            raise UserError("the session is closed")
        self.asked += 1
        future = self.answers.expect(self.asked, take)
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # who reads the answers knows why
        return future

    def close(self):
        """Ends the program, once what it was asked for is done; throws Error if it failed."""
        self.left.detach()
        close(self.process)
        if status := self.process.returncode:
            raise UserError(self.answers.failure(status))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self.left.detach()
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def listed(values):
    """An array, or anything else of numbers, as JSON has it."""
    return values.tolist() if hasattr(values, "tolist") else list(values)


def rows_of(inputs):
    return {"inputs": {name: [listed(row) for row in rows] for name, rows in inputs.items()}}


def array(values):
    import numpy
    return numpy.array(values, numpy.float32)


def without_id(line):
    return {key: value for key, value in line.items() if key != "id"}


class Answers:
    """Gives each answer of a program to the Future of its request; at its end, those that still wait get the error."""

    def __init__(self, process, messages):
        self.process, self.messages, self.waiting, self.error = process, messages, {}, None
        self.lock = threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()

    def expect(self, number, take):
        future = Future()
        future.set_running_or_notify_cancel()
        with self.lock:
            if self.error:
                raise UserError(self.error)
            self.waiting[number] = future, take
        return future

    def read(self):
        for text in self.process.stdout:
            line = json.loads(text)
            with self.lock:
                future, take = self.waiting.pop(line["id"])
            try:
                if "error" in line:
                    raise UserError(line["error"])
                future.set_result(take(line))
            except Exception as error:  # noqa: BLE001, it belongs to who asked
                future.set_exception(error)
        error = self.failure(self.process.wait())
        with self.lock:
            self.error, left = error, [future for future, _ in self.waiting.values()]
        for future in left:
            future.set_exception(UserError(error))

    def failure(self, status):
        text = os.pread(self.messages.fileno(), 1 << 20, 0).decode(errors="replace")
        errors = [line for line in text.splitlines() if "error:" in line]
        return "\n".join(errors) or f"the program ended {how_ended(status)}"


def close(process):
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.wait()
