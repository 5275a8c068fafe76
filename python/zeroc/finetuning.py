"""zeroc finetune: from a model's folder and files of chats or texts to a tuned model."""
from __future__ import annotations

import functools
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import dataset, hub, objectives
from .columns import add_columns, read_columns
from .commands import compile_command, import_command, text_of
from .conversations import Chat
from .errors import UserError
from .hub import LABELS
from .model_folder import check_model_folder
from .options import name_of, options_with, value_of
from .outputs import copy_tokenizer_files
from .pieces import write_pieces
from .records import stands_for_files
from .run import Run
from .run_options import new_parser
from .settings import check_unchanged, weights_of
from .source import adapter_options
from .template import read_json
from .tokens import Tokenizer
from .whole_file import write_whole


#: Options of zeroc import, for the objectives that have them.
OF_OBJECTIVES = (("--beta", "B", "strength of the KL penalty (default: 0.1)"),
                 ("--desirable-weight", "W", "the weight of an answer that is desirable (default: 1)"),
                 ("--undesirable-weight", "W", "the weight of one that is not (default: 1)"))
#: Options of train that the program of a reference has, too: for all, for parameters on drives, for adapters.
OF_SCORES, OF_DRIVES, OF_WEIGHTS = ("--threads", "--memory-check"), ("--nvme-path", "--verify-reads"), ("--adapter",)
WITH_REFERENCE = objectives.those_that(lambda one: one.has_reference)
#: Words in the names of transformers' classes with a head for tokens.
HEADS = re.compile("(ForCausalLM|LMHeadModel)$")


def of_objectives(name):
    """A default, which is that of sft, or another objective's own: "3; of dpo 1"."""
    values = {key: getattr(one, name) for key, one in objectives.ALL.items()}
    return "; of ".join([f"{values['sft']:g}", *(f"{key} {value:g}" for key, value in values.items() if value != values["sft"])])


def parser():
    p = new_parser("finetune", of_objectives("epochs"), of_objectives("rate") + "; with --lora ten times that")
    p.add_argument("model", metavar="MODEL_DIR", help="a folder of Hugging Face: config, weights, tokenizer; or OWNER/NAME "
                   "of a hub")
    p.add_argument("data", metavar="DATA", nargs="+", help="*.jsonl, *.json, *.parquet, *.csv, *.txt, folders of them, or "
                   "data sets of a hub")
    add_columns(p)
    p.add_argument("--lora", metavar="RANK[:ALPHA]", help="train adapters; ALPHA is twice the rank if not given "
                   "(default: all weights are trained)")
    p.add_argument("--merge", action="store_true", help="with --lora: write the model with its adapters merged")
    p.add_argument("--no-packing", action="store_true", help="one sample in a sequence, padded")
    p.add_argument("--eval-split", type=float, metavar="PART", default=0.0,
                   help="keep this part of the records for evaluation, as 0.02 (default: none)")
    p.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    *first, last = (one.learns for one in objectives.ALL.values())
    p.add_argument("--objective", choices=[*objectives.ALL], default="sft", help=f"{', '.join(first)}, or {last}")
    p.add_argument("--reference", metavar="DIR", help=f"{', '.join(WITH_REFERENCE)}: the model to stay near "
                   "(default: MODEL_DIR)")
    for name, value, help in OF_OBJECTIVES:
        having = objectives.those_that(lambda one, name=name: name in one.options)
        p.add_argument(name, metavar=value, help=f"{', '.join(having)}: {help}")
    p.add_argument("--sample-prompt", metavar="TEXT", help="answer this at the end, and --sample-every so many steps")
    p.add_argument("--stop-token", metavar="TEXT", action="append", default=[], help="a further stop token")
    return p


class Finetune(Run):
    imports_by_data = True

    def __init__(self, arguments):
        super().__init__("finetune", parser(), arguments)

    @property
    def lr(self):
        return float(f"{self.objective.rate * (10 if self.args.lora else 1):g}")  # 1e-05, not 9.999999999999999e-06

    @property
    def epochs(self):
        return self.objective.epochs

    @property
    def objective(self):
        return objectives.ALL[self.args.objective]

    def read_model(self):
        self.data = self.work / "data.safetensors"
        self.evaluation = self.work / "eval.safetensors" if self.args.eval_split else None
        # Until the data are known; most have no weights.
        self.summary = dataset.Summary(most=2, labels=self.objective.labels_until_known)
        self.columns = read_columns(self.args.column)
        self.name = self.args.model if hub.is_name(self.args.model) else None
        self.model = hub.find_folder(self.args.model, hub.TOKENIZER)
        check_model_folder("finetune", self.model, self.args.data)
        self.trained = [f"--adapter={hub.find_folder(value, hub.ADAPTER)}" if name == "--adapter" and hub.is_name(value) else
                        option for option in self.trained for name, _, value in [option.partition("=")]]
        for name in self.args.data:  # before the compiler takes its time
            if not Path(name).exists() and not stands_for_files(name):
                raise UserError(f"cannot read {name}: no such file")
        self.config = read_json(self.model / "config.json")
        if not self.config:
            raise UserError(f"{self.model} has no config.json; name the folder of a model, or OWNER/NAME of a hub")

    def check(self):
        super().check()
        a = self.args
        self.saved_modules = None
        if a.lora and self.objective.has_scores:  # the head is one of them
            self.saved_modules = value_of(self.compiled, "--modules-to-save")
            self.compiled = [option for option in self.compiled if not option.startswith("--modules-to-save=")]
        if a.merge and not a.lora:
            raise UserError("--merge is for the adapters of --lora, and there are none; drop it")
        if self.out.resolve() == self.model.resolve():
            raise UserError(f"-o {self.out} is the model itself; name another folder")
        if a.sample_prompt is not None and a.objective != "sft":
            raise UserError(f"--sample-prompt is for --objective=sft; drop it from --objective={a.objective}")
        if a.reference and not self.objective.has_reference:
            raise UserError(f"--reference is for --objective={' and '.join(WITH_REFERENCE)}; drop it from "
                            f"--objective={a.objective}")
        a.reference = a.reference and str(hub.find_folder(a.reference))
        if a.reference and not any(Path(a.reference).glob("*.safetensors")):
            raise UserError(f"--reference={a.reference} has no weights *.safetensors; name the folder of a model")
        if not self.name and not any(self.model.glob("*.safetensors")):
            raise UserError(f"{self.model} has no weights *.safetensors; to begin with random weights, use zeroc pretrain")

    def make_data(self):
        a = self.args
        if self.name and not a.dry_run:
            hub.add_weights(self.name, self.model)
        # The sequences of a step, or a multiple of those that the data let choose.
        before, now = self.was.get("sequences for evaluation", 0), self.sequences_per_step()
        self.evaluated_at_once = now if before % now else before or now
        request = dataset.Request(str(self.model), a.data, self.seq, not a.no_packing, a.eval_split,
                                  self.evaluated_at_once, a.seed, a.chat_template, tuple(a.stop_token), a.objective,
                                  self.columns, a.split)
        command = [self.program, "data", "build", str(self.model), *a.data, "-o", str(self.data), f"--seq={self.seq}"]
        command += ["--no-packing"] if a.no_packing else []
        command += [f"--eval-split={a.eval_split!r}", f"--eval={self.evaluation}",
                    f"--eval-batch={self.evaluated_at_once}"] if a.eval_split else []
        command += [f"--seed={a.seed}"] if a.seed else []
        command += [f"--objective={a.objective}"] if a.objective != "sft" else []
        command += [*(f"--column={column}" for column in a.column), *([f"--split={a.split}"] if a.split else [])]
        command += [f"--chat-template={a.chat_template}"] if a.chat_template else []
        self.commands.append(command + [f"--stop-token={text}" for text in a.stop_token])
        summaries, _, self.data_key = dataset.build(request, self.data, self.evaluation, self.check_data)
        for name, summary in zip(("data", "eval"), summaries):
            for line in summary.lines():
                print(f"{name:<10}{line}", file=sys.stderr if line.startswith("warning") else sys.stdout)
        summary = summaries[0]
        self.summary = summary
        self.facts = {"records, samples": f"{summary.records:,}, {summary.samples:,}",
                      "tokens, trained on": f"{summary.tokens:,}, {summary.trained:,}",
                      "sequences": f"{summary.sequences:,} of {self.seq:,} tokens"}
        return summary.sequences

    def check_data(self, key):
        """Before the data of a run that is there are replaced."""
        check_unchanged(self, {"data": key})

    def import_options(self):
        data, options = self.summary, ["--packed"]
        if self.args.objective != "sft":
            options.append(f"--objective={self.args.objective}")
        if self.objective.compares:
            options.append(f"--samples={data.most}")
        if data.labels:
            options.append(f"--labels={len(data.labels)}")
        return [*options, *["--token-weights"] * data.weighted, *["--margins"] * data.margins]

    @property
    def model_options(self):
        given = ((name, getattr(self.args, name[2:].replace("-", "_"))) for name, *_ in OF_OBJECTIVES)
        return [*super().model_options, *(f"{name}={value}" for name, value in given if value is not None)]

    def compile_options(self):
        sample = ["--sample"] if self.args.sample_prompt is not None else []
        return [*sample, *self.adapter_options()]

    def adapter_options(self):
        lora = self.args.lora
        if not lora:
            return []
        options = [f"--lora={lora}:{2 * int(lora)}" if lora.isascii() and lora.isdecimal() else f"--lora={lora}"]
        # What is typed goes before what the adapters say that the run begins with.
        start = value_of(self.trained, "--adapter")
        found = adapter_options(start) if start else []
        if self.objective.has_scores:
            saved = self.saved_modules or value_of(found, "--modules-to-save")
            options.append("--modules-to-save=" + "|".join(filter(None, (saved, "score"))))
        return options + [option for option in found
                          if value_of([*self.compiled, *options], option.partition("=")[0]) is None]

    def train_options(self):
        options = ["--init", self.model, *(["--save", self.out, *self.forced] if self.args.lora and not self.args.merge else [])]
        for option, file in (("--input", self.data), ("--eval-input", self.evaluation)):
            if file and self.objective.has_reference:
                options += [option, f"reference={self.reference_of(file)}"]
        return [*options, *self.sample_options()]

    def sample_options(self):
        """An answer to --sample-prompt, as text."""
        text = self.args.sample_prompt
        if text is None:
            return []
        tokenizer = Tokenizer(self.model, self.args.chat_template, tuple(self.args.stop_token))
        prompt = Chat([{"role": "user", "content": text}], [0], "--sample-prompt") if tokenizer.template else text
        ids, pieces = tokenizer.encode_prompt(prompt, "--sample-prompt"), self.work / "pieces.safetensors"
        write_pieces(tokenizer, pieces)
        return ["--sample=1", f"--prompt-ids={','.join(map(str, ids))}", f"--pieces={pieces}"]

    def after_data(self):
        if self.objective.has_reference:
            self.compile_reference()

    def reference_of(self, file):
        return file.with_suffix(".reference.npy")

    def key_of(self, file):
        """A file with a hash of all that its log probabilities are made from."""
        return file.with_suffix(".reference.json")

    def reference_options(self):
        """Of the compiler, without those of steps.  Without another folder, the reference is the model that the run begins
        with, bit for bit.

        It is compiled with all others of the run, so that it computes what the run's first forward does: --weight-decay is
        one, as the places of parameters depend on it, and what blocks of --wire-params round."""
        a, given = self.args, self.all_compile_options()
        of_file = [option for option in self.from_ds_config if value_of(given, name_of(option)) is None]
        given = [*given, *of_file]
        # Chosen by the compiler, or raised by it: DeepSpeed's limit is not strict.
        free = {name_of(option) for option in given if option.endswith("=auto")}
        free |= {"--max-live"} & {name_of(option) for option in of_file}
        if free:
            done = subprocess.run([self.work / "train", "--certificate=json"], stdout=subprocess.PIPE, check=True)
            given = [option for option in given if name_of(option) not in free]
            given += [option for option in json.loads(done.stdout)["options"].split()
                      if name_of(option) in free or "--offload" in free and name_of(option) == "--offload-params"]
        left = {*options_with("steps"), "--offload", *(options_with("lora") if a.reference else ())}
        options = [option for option in given if name_of(option) not in left]
        tier = value_of(given, "--offload")
        if (tier and value_of(options, "--offload-params") is None and
                (a.ranks == 1 or value_of(given, "--stage") == "3")):  # else it is that of optimizer state
            options.append(f"--offload-params={tier}")
        return ["--score-only", *options]

    def compile_reference(self):
        """The program that writes the log probabilities of the reference, which a run reads in place of a second model."""
        a, options = self.args, self.reference_options()
        self.reference = Path(a.reference or self.model)
        source, score = self.work / "reference.mlir", self.work / "score"
        for file in (source, score):
            file.unlink(missing_ok=True)
        self.call(import_command(self.reference, a.batch, self.seq, [*self.import_options(), *self.model_options], source))
        self.call(compile_command(source, options, score), quiet=True)
        of_score = {*OF_SCORES, *(OF_DRIVES if value_of(options, "--offload-params") == "nvme" else ()),
                    *(() if a.reference else OF_WEIGHTS)}
        self.scored = [option for option in self.trained if name_of(option) in of_score]
        adapter = value_of(self.scored, "--adapter")
        parts = [self.data_key, *self.more_settings()["reference"], options,
                 weights_of(Path(adapter)) if adapter else []]
        self.reference_key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def before_training(self):
        """Scores of data that are not there, made from the same."""
        commands = []
        for file in filter(None, (self.data, self.evaluation)) if self.objective.has_reference else ():
            scores = self.reference_of(file)
            if not (scores.exists() and read_json(self.key_of(file)).get("key") == self.reference_key):
                scores.unlink(missing_ok=True)
                commands.append([str(self.work / "score"), "--weights", str(self.reference), "--data", str(file), "--out",
                                 str(scores), *self.scored])
        return commands

    def call(self, command, quiet=False):
        keys = [self.key_of(file) for file in (self.data, self.evaluation)
                if file and command[0] == str(self.work / "score") and str(self.reference_of(file)) in command]
        for key in keys:
            key.unlink(missing_ok=True)
        text = super().call(command, quiet)
        for key in keys:
            write_whole(key, json.dumps({"key": self.reference_key}) + "\n")
        return text

    def more_settings(self):
        """The names of labels, and the reference, but for where its parameters lie."""
        more = {"sequences for evaluation": self.evaluated_at_once} if self.evaluation else {}
        if self.summary.labels:
            more["labels"] = self.summary.labels
        if not self.objective.has_reference:
            return more
        text = (self.work / "reference.mlir").read_bytes()
        return {**more, "reference": [str(self.reference.resolve()), hashlib.sha256(text).hexdigest(),
                              weights_of(self.reference)]}

    def export_options(self):
        a = self.args
        if a.lora and not a.merge:
            return None
        return [f"--config={self.written_config()}", f"--others={self.model}", *(["--merge"] if a.merge else [])]

    def written_config(self):
        """The config of the model that is written: with a head for scores, another class."""
        path = self.model / "config.json"
        if not self.objective.has_scores:
            return path
        names = self.summary.labels or ["reward"]
        config = {**self.config, "architectures": [HEADS.sub("ForSequenceClassification", name)
                                                   for name in self.config.get("architectures") or []],
                  "id2label": {str(i): name for i, name in enumerate(names)},
                  "label2id": {name: i for i, name in enumerate(names)}}
        config["pad_token_id"] = self.padding
        if isinstance(config.get("text_config"), dict):
            config["text_config"] = {**config["text_config"], "pad_token_id": self.padding}
        path = self.work / "config.json"
        write_whole(path, json.dumps(config, indent=2) + "\n")
        return path

    @functools.cached_property
    def padding(self):
        """A token that ends no sample: transformers reads the score of the last other token."""
        tokenizer = Tokenizer(self.model, self.args.chat_template, tuple(self.args.stop_token))
        names = [tokenizer.special.get(name) for name in ("pad_token", "unk_token")] + tokenizer.special_names()
        ids = [text_of(self.config).get("pad_token_id"), *(tokenizer.tokenizer.token_to_id(name) for name in names if name)]
        for number in ids:
            if number is not None and number not in tokenizer.stops:
                return number
        print("zeroc finetune: warning: all special tokens of the tokenizer may end a sample, so none is pad_token_id, "
              "and transformers reads one sample at once", file=sys.stderr)
        return None

    def copy_tokenizer(self):
        copy_tokenizer_files(self, self.model)
        changes = {**({"task_type": "SEQ_CLS"} if self.objective.has_scores else {}),
                   **({"base_model_name_or_path": self.name} if self.name else {})}
        if changes and self.export_options() is None:
            with self.own.writing("adapter_config.json") as path:
                write_whole(path, json.dumps({**read_json(path), **changes}, indent=2) + "\n")
        if self.summary.labels and self.export_options() is None:
            with self.own.writing(LABELS) as path:
                write_whole(path, json.dumps({"id2label": dict(enumerate(self.summary.labels))}, indent=2) + "\n")
        else:
            self.own.remove(LABELS)
        # Who generates with the model needs what it was trained with.
        if self.args.chat_template:
            with self.own.writing("chat_template.jinja") as path:
                shutil.copyfile(self.args.chat_template, path)
            self.own.remove("chat_template.json")
        if self.args.stop_token:
            tokenizer = Tokenizer(self.model, self.args.chat_template, tuple(self.args.stop_token))
            with self.own.writing("generation_config.json") as path:
                write_whole(path, json.dumps({**read_json(path), "eos_token_id": sorted(tokenizer.stops)}, indent=2) + "\n")

    def describe(self):
        """(name of the base model, what was done) for the model card."""
        lora = self.args.lora
        base = self.name or self.config.get("_name_or_path") or self.model.resolve().name
        rank = lora and lora.partition(":")[0]
        return base, ("all weights were trained" if not lora else f"adapters of rank {rank} were trained and merged"
                      if self.args.merge else f"these are adapters of rank {rank}")


def main(arguments):
    Finetune(arguments).run()
