"""Helpers of the tests of zeroc generate and zeroc chat, with a program that says what a script tells it."""
import json
import os
import shlex
import sys

import chats
import support

TEXT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}" \
       "<assistant>{% endif %}"
#: Those of zeroc that the tests use.
OPTIONS = ("compile --precision=", "compile --base-storage= lora", "compile --lora= lora", "compile --cpu=", "compile --sample-only",
           "train --threads=", "train --lr=")


class GeneratingCase(chats.ChatCase):
    positions = 100

    def setUp(self):
        super().setUp()
        self.base = self.model(TEXT, max_position_embeddings=self.positions)
        (self.base / "model.safetensors").write_bytes(b"")
        self.log, self.script = self.folder / "log", self.folder / "script.json"
        fake = self.write("zeroc", f"#!/bin/sh\nexec {shlex.quote(sys.executable)} "
                                   f"{shlex.quote(str(support.ROOT / 'test' / 'chat' / 'fake_zeroc.py'))} \"$@\"\n")
        fake.chmod(0o755)
        self.environment = {
            "PYTHONPATH": str(support.ROOT / "python"), "ZEROC_PROGRAM": str(fake), "FAKE_OPTIONS": "\n".join(OPTIONS),
            "ZEROC_CACHE": str(self.folder / "cache"), "FAKE_LOG": str(self.log), "FAKE_SCRIPT": str(self.script),
            "PYTHONIOENCODING": "utf-8", "TERM": "dumb"}

    def ids(self, text):
        return chats.tokens.Tokenizer(self.base).tokenizer.encode(text, add_special_tokens=False).ids

    def says(self, *answers):
        """Scripts the answers: a text, which ends with an end token, or an object for fake_program.py."""
        script = []
        for answer in answers:
            answer = {"text": answer, "end": "token"} if isinstance(answer, str) else dict(answer)
            if "text" in answer:
                answer["ids"] = self.ids(answer.pop("text"))
            script.append(answer)
        self.script.write_text(json.dumps(script))

    def command(self, *words):
        return [sys.executable, "-m", "zeroc", *map(str, words)]

    def zeroc(self, *words, stdin=b""):
        return support.run(*self.command(*words), cwd=self.folder, env=self.environment, stdin=stdin)

    def zeroc_ok(self, *words, **how):
        done = self.zeroc(*words, **how)
        self.assertEqual(done.returncode, 0, done.err + done.out)
        return done

    def logged(self):
        """What was started, and what the program has read, since the last call."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return [line for line in lines if line != ["--version"]]

    def requests(self):
        return [line for line in self.logged() if isinstance(line, dict)]

    def inherited(self):
        return {**os.environ, **self.environment}
