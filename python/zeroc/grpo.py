"""zeroc grpo: reinforcement learning of a model by functions that reward its answers.

One process samples, scores and trains, over one copy of the weights (session.py): each rollout draws answers to some
prompts, rewards them, and makes one step, or several, of the policy's loss on them.  What a rollout reads and draws is a
function of --seed and its number, so a run that goes on makes the same steps.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import random
import sys
import time
from dataclasses import dataclass

import numpy as np

from . import objectives, policies, rewards
from .answer import Answer as Text
from .conversations import Chat, read_prompt
from .errors import UserError, plural
from .finetuning import OF_DRIVES, OF_SCORES, OF_WEIGHTS, Finetune
from .generate import read_prompts
from .options import name_of, value_of
from .run_options import new_parser
from .session import Session
from .tokens import IGNORED, Tokenizer
from .whole_file import write_whole

#: Options of zeroc import.
OF_LOSS = ("--beta", "--epsilon", "--epsilon-high", "--importance")
SCHEDULES = ("constant", "linear")


def parser():
    p = new_parser("grpo", "1", "1e-6; with --lora ten times that")
    p.add_argument("model", metavar="MODEL_DIR", help="a folder of Hugging Face: config, weights, tokenizer; or OWNER/NAME "
                   "of a hub")
    p.add_argument("data", metavar="PROMPTS", nargs="+", help="*.txt: a prompt in each line; or records with prompt or "
                   "messages: *.jsonl, *.json, *.parquet, *.csv")
    p.add_argument("--reward", metavar="FILE.py[:FUNCTION]", action="append", required=True, help="a function that returns "
                   f"a number for each answer (default: {rewards.FUNCTION}); several are added up")
    p.add_argument("--reward-weight", metavar="W", type=float, action="append", default=[],
                   help="of each --reward, in their order (default: 1)")
    p.add_argument("--reward-time", metavar="S", type=float, default=60.0, help="most seconds of a call (default: 60)")
    p.add_argument("--group", metavar="G", type=int, default=8, help="answers to a prompt (default: 8)")
    p.add_argument("--prompts-per-step", metavar="P", type=int, default=8, help="prompts of a rollout (default: 8)")
    p.add_argument("--max-tokens", metavar="N", type=int, default=256, help="most tokens of an answer (default: 256)")
    p.add_argument("--iterations", metavar="K", type=int, default=1, help="steps on each rollout (default: 1)")
    p.add_argument("--loss", choices=policies.LOSSES, default="dapo", help="how losses of tokens are averaged, by TRL's "
                   "names (default: dapo)")
    p.add_argument("--scale-rewards", choices=policies.SCALES, default="group", help="divide by the deviation of the group, "
                   "of the rollout, or by none (default: group)")
    p.add_argument("--mask-cut-off", action="store_true", help="do not train on answers that did not end by themselves")
    p.add_argument("--beta", metavar="B", help="strength of the KL penalty to the model as the run begins (default: 0)")
    p.add_argument("--epsilon", metavar="E", help="how far a ratio has effect below and above 1 (default: 0.2)")
    p.add_argument("--epsilon-high", metavar="E", help="above 1, if not as far")
    p.add_argument("--importance", choices=("token", "sequence"), help="a ratio for each token, or one for each answer "
                   "(default: token)")
    p.add_argument("--decay", choices=SCHEDULES, default="linear", help="of the learning rate after warm-up (default: linear, "
                   "to 0)")
    p.add_argument("--lora", metavar="RANK[:ALPHA]", help="train adapters; ALPHA is twice the rank if not given "
                   "(default: all weights are trained)")
    p.add_argument("--merge", action="store_true", help="with --lora: write the model with its adapters merged")
    p.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    p.add_argument("--stop-token", metavar="TEXT", action="append", default=[], help="a further stop token")
    p.set_defaults(eval_split=0.0, objective="sft", reference=None, sample_prompt=None, column=[], split=None, no_packing=True)
    return p


@dataclass
class Prompt:
    """`said` is what a reward function gets as the prompt, `fields` the record."""
    ids: list
    said: object
    fields: dict
    place: str


class Grpo(Finetune):
    imports_by_data = False

    def __init__(self, arguments):
        super(Finetune, self).__init__("grpo", parser(), arguments)

    epochs = 1

    @property
    def lr(self):
        return 1e-5 if self.args.lora else 1e-6

    @property
    def objective(self):
        return objectives.ALL["sft"]

    @property
    def rows(self):
        """Answers of a rollout, which are the rows of a step."""
        return self.args.group * self.args.prompts_per_step

    @property
    def accumulate(self):
        return self.rows // (self.args.batch * self.args.ranks)

    def choose_accumulation(self, sequences):
        pass  # a step is a rollout

    def check(self):
        super().check()
        a = self.args
        for name, value, least in (("--group", a.group, 2), ("--prompts-per-step", a.prompts_per_step, 1),
                                   ("--max-tokens", a.max_tokens, 1), ("--iterations", a.iterations, 1)):
            if value < least:
                raise UserError(f"{name}={value} must be {least} or more")
        if a.steps and a.steps % a.iterations:
            raise UserError(f"--steps={a.steps} is no multiple of --iterations={a.iterations}, the steps on a rollout; change "
                            "one of them")
        if self.rows % (a.batch * a.ranks):
            raise UserError(f"a step has {self.rows} answers (--prompts-per-step={a.prompts_per_step} x --group={a.group}), and "
                            f"{a.ranks} x --batch={a.batch} sequences at once do not divide them; change one of these")
        given = value_of(self.compiled, "--accumulate")  # as a config that was written has it
        if given not in (None, str(self.accumulate)):
            raise UserError(f"--accumulate={given}, and a step of {self.rows} answers has {self.accumulate} micro-steps of "
                            f"{a.ranks} x --batch={a.batch}; drop it, or change --batch")
        for name in ("--schedule", "--eval", "--sample", "--virtual-shards", "--context"):
            if value_of([*self.compiled, *self.trained], name) is not None:
                raise UserError(f"zeroc grpo gives {name} itself, or has none; drop it")
        for name, value in (("--label-smoothing", a.label_smoothing), ("--z-loss", a.z_loss), ("--dropout", a.dropout or None)):
            if value is not None:
                raise UserError(f"{name} changes what the ratio of probabilities compares; drop it from zeroc grpo")
        if a.reward_weight and len(a.reward_weight) != len(a.reward):
            raise UserError(f"{plural(len(a.reward_weight), '--reward-weight')} for {plural(len(a.reward), '--reward')}; "
                            "give one for each, or none")
        if not a.reward_time > 0:
            raise UserError(f"--reward-time={a.reward_time:g} must be above 0")
        if a.max_tokens >= self.seq:
            raise UserError(f"--max-tokens={a.max_tokens} leaves no room for a prompt in --seq={self.seq}; raise --seq")
        # Before the compiler takes its time.
        self.functions = [rewards.Reward(name, weight, a.reward_time)
                          for name, weight in zip(a.reward, a.reward_weight or [1.0] * len(a.reward), strict=True)]

    def make_data(self):
        """Reads the prompts; returns the rows of one time through all of them."""
        a = self.args
        self.tokenizer = Tokenizer(self.model, a.chat_template, tuple(a.stop_token))
        self.prompts = [self.prompt_of(record, place) for path in a.data for record, place in read_prompts(path)]
        if len(self.prompts) < a.prompts_per_step:
            raise UserError(f"{plural(len(self.prompts), 'prompt')}, and a rollout has --prompts-per-step={a.prompts_per_step}; "
                            "lower it, or give it more")
        told = [[one.ids, one.fields] for one in self.prompts]
        self.data_key = hashlib.sha256(json.dumps(told, default=str).encode()).hexdigest()
        tokens = sum(len(one.ids) for one in self.prompts)
        print(f"data      {plural(len(self.prompts), 'prompt')}, {tokens / len(self.prompts):.1f} tokens on average, of which a "
              f"rollout has {a.prompts_per_step} with {a.group} answers each")
        self.facts = {"prompts": f"{len(self.prompts):,}", "answers to a prompt": a.group}
        return len(self.prompts) * a.group * a.iterations

    def prompt_of(self, record, place):
        prompt = read_prompt(record, place)
        ids = self.tokenizer.encode_prompt(prompt, place)
        room = self.seq - self.args.max_tokens
        if not ids or len(ids) > room:
            raise UserError(f"{place} has {plural(len(ids), 'token')}, and with --seq={self.seq} and --max-tokens="
                            f"{self.args.max_tokens} a prompt has 1 to {room}; shorten it, or raise --seq")
        return Prompt(ids, prompt.messages if isinstance(prompt, Chat) else prompt, dict(record), place)

    def import_options(self):
        return ["--objective=grpo"]

    @property
    def model_options(self):
        given = ((name, getattr(self.args, name[2:].replace("-", "_"))) for name in OF_LOSS)
        return [f"{name}={value}" for name, value in given if value is not None]

    @property
    def beta(self):
        return float(self.args.beta or 0)

    def compile_options(self):
        return ["--sample", "--eval", *self.adapter_options()]

    def after_data(self):
        pass

    def before_training(self):
        return []

    def more_settings(self):
        a = self.args
        return {"rollouts": [a.group, a.prompts_per_step, a.max_tokens, a.iterations, a.loss, a.scale_rewards, a.mask_cut_off,
                             a.reward, a.reward_weight, a.decay]}

    def train_command(self):
        a = self.args
        saved = ["--save", self.out, *self.forced] if a.lora and not a.merge else []
        options = ["--init", self.model, *saved, f"--lr={self.lr if a.lr is None else a.lr!r}", f"--seed={a.seed}",
                   "--checkpoint", self.work / "run", "--resume", "latest", "--metrics", self.work / "metrics.jsonl"]
        options += ["--keep=2"] if value_of(self.trained, "--keep") is None else []
        return [str(self.work / "train"), "--drive", *map(str, options), *self.trained]

    def train(self, command):
        """Samples, rewards and steps until the run is over."""
        self.commands.append(command)
        try:
            with Session.run(command) as session, self.reference() as reference:
                Loop(self, session, reference).run()
        except KeyboardInterrupt:
            print(f"zeroc {self.command}: stopped; the same command goes on from the last checkpoint", file=sys.stderr)
            sys.exit(130)
        finally:
            for one in self.functions:
                one.close()

    def print_run(self, sequences):
        a = self.args
        print(f"run       {plural(self.steps // a.iterations, 'rollout')} of {self.rows} answers, "
              f"{plural(a.iterations, 'step')} on each, {plural(self.accumulate, 'micro-step')} a step")

    def lines_after(self):
        lines = [json.loads(line)["reward"] for line in (self.work / "rollouts.jsonl").read_text().splitlines()]
        tenth = -(-len(lines) // 10)
        yield (f"reward    {np.mean(lines[:tenth]):.4g} at the beginning, {np.mean(lines[-tenth:]):.4g} at the end: means of "
               f"{plural(tenth, 'rollout')} of {len(lines):,}")

    def plot_command(self, path):
        """Of rollouts: what was rewarded."""
        return [self.program, "plot", str(self.work / "rollouts.jsonl"), "-o", str(path), *self.forced]

    def reference(self):
        """The model as the run began, which only scores; None without a KL penalty."""
        if not self.beta:
            return contextlib.nullcontext()
        return Session.run([str(self.work / "train"), "--drive", "--init", str(self.model), f"--seed={self.args.seed}", "--lr=0",
                            *(option for option in self.trained if name_of(option) in (*OF_SCORES, *OF_DRIVES, *OF_WEIGHTS))])


class Loop:
    """The rollouts of a run, and the steps on them."""

    def __init__(self, run, session, reference):
        self.args, self.run_of, self.session, self.reference, self.functions = run.args, run, session, reference, run.functions
        self.log, self.answers = run.work / "rollouts.jsonl", run.work / "answers.jsonl"
        self.rollouts = max(run.steps // self.args.iterations, 1)

    def run(self):
        state = self.session.state().result()
        # A step's loss is the mean over micro-batches of their sums.
        self.batches = state["rows"] // state["batch"]
        first, rest = divmod(state["step"], self.args.iterations)
        if rest:
            raise UserError(f"the checkpoint has {state['step']} steps, which --iterations={self.args.iterations} does not "
                            "divide; start again with --restart")
        for path in self.log, self.answers:
            keep_lines(path, first)
        every = self.args.save_every or max(1, self.rollouts // 10)
        for number in range(first, self.rollouts):
            self.rollout(number)
            # Between rollouts alone, so that a run which goes on begins with one.
            if (number + 1) % every == 0 or number + 1 == self.rollouts:
                self.session.save_state().result()

    def rollout(self, number):
        a, begun = self.args, time.monotonic()
        prompts = self.prompts_of(number)
        answers = self.session.sample([one.ids for one in prompts], a.group, max_tokens=a.max_tokens,
                                      seed=random.Random(f"{a.seed} {number}").getrandbits(64),
                                      end_ids=sorted(self.run_of.tokenizer.stops)).result()
        sampled = time.monotonic()
        texts = [self.text_of(answer) for answer in answers]
        given, values = self.judge(prompts, answers, texts)
        judged = time.monotonic()
        batch = self.batch_of(prompts, answers, given)
        # Those of the weights that have drawn the answers: the first ratio is exactly 1.
        batch["old"] = self.session.score(tokens=batch["tokens"], targets=batch["targets"]).result()
        if self.reference:
            batch["reference"] = self.reference.score(tokens=batch["tokens"], targets=batch["targets"]).result()
        made = [self.step(number * a.iterations + k, batch, k) for k in range(a.iterations)]
        seconds = {"sample": sampled - begun, "reward": judged - sampled, "train": time.monotonic() - judged}
        self.write(number, prompts, answers, texts, given, values, batch, made, seconds)

    def prompts_of(self, number):
        """Each epoch has its own order."""
        a, found = self.args, []
        for place in range(number * a.prompts_per_step, (number + 1) * a.prompts_per_step):
            epoch, at = divmod(place, len(self.run_of.prompts))
            order = np.random.default_rng([a.seed, epoch]).permutation(len(self.run_of.prompts))
            found.append(self.run_of.prompts[order[at]])
        return found

    def text_of(self, answer):
        ids = answer.ids[:-1] if answer.end == "token" else answer.ids
        text = Text(self.run_of.tokenizer.tokenizer)
        text.ids = list(ids)
        text.end()
        return text.text

    def judge(self, prompts, answers, texts):
        """(the reward of each answer or None, what each function said)."""
        values, a = [[] for _ in self.functions], self.args
        for i, prompt in enumerate(prompts):
            own = slice(i * a.group, (i + 1) * a.group)
            is_chat = isinstance(prompt.said, list)
            completions = [[{"role": "assistant", "content": text}] if is_chat else text for text in texts[own]]
            given = {**{name: [value] * a.group for name, value in prompt.fields.items()}, "prompts": [prompt.said] * a.group,
                     "completions": completions, "completion_ids": [answer.ids for answer in answers[own]]}
            for of_function, function in zip(values, self.functions, strict=True):
                of_function += function(given, prompt.place)
        return rewards.total(values, [one.weight for one in self.functions]), values

    def batch_of(self, prompts, answers, given):
        a, seq = self.args, self.run_of.seq
        tokens, targets = policies.rows_of([prompts[one.prompt].ids for one in answers], [one.ids for one in answers], seq)
        trains = np.array([reward is not None and not (a.mask_cut_off and one.end != "token")
                           for one, reward in zip(answers, given, strict=True)])
        # What nobody judges is as good as the others of its group.
        table = np.array([np.nan if reward is None else reward for reward in given]).reshape(-1, a.group)
        means = np.nan_to_num(np.nanmean(np.where(np.isnan(table).all(1, keepdims=True), 0, table), 1, keepdims=True))
        advantages = policies.advantages_of(np.where(np.isnan(table), means, table), a.scale_rewards).ravel()
        weights = self.batches * policies.weights_of((targets != IGNORED).sum(1) * trains, a.loss, a.max_tokens) * trains
        return {"tokens": tokens, "targets": targets, "advantages": policies.spread(advantages, targets),
                "token_weights": policies.spread(weights, targets)}

    def step(self, number, batch, iteration):
        """What the step says, and the part of ratios that are clipped, which is none before the first."""
        clipped = 0.0
        if iteration:
            lp = self.session.score(tokens=batch["tokens"], targets=batch["targets"]).result()
            clipped = self.clipped(lp - batch["old"], batch)
        given, made = self.session.forward_backward(**batch), self.session.step(self.rate(number))
        given.result()  # what is wrong with rows is said of them
        return {**made.result(), "clip_fraction": clipped}

    def clipped(self, logs, batch):
        """The part of trained tokens whose loss does not learn of them."""
        trained, a = batch["token_weights"] != 0, self.args
        if a.importance == "sequence":
            logs = np.where(trained, (logs * trained).sum(1, keepdims=True) / np.maximum(trained.sum(1, keepdims=True), 1), 0)
        low = float(a.epsilon or 0.2)
        high = float(a.epsilon_high or low)
        ratios, advantages = np.exp(logs), batch["advantages"]
        out = (advantages > 0) & (ratios > 1 + high) | (advantages < 0) & (ratios < 1 - low)
        return float((out & trained).sum() / max(trained.sum(), 1))

    def rate(self, number):
        a, peak, warmup = self.args, self.run_of.lr if self.args.lr is None else self.args.lr, self.run_of.warmup
        if number < warmup:
            return peak * (number + 1) / warmup
        left = (self.run_of.steps - number) / max(self.run_of.steps - warmup, 1)
        return peak * (left if a.decay == "linear" else 1)

    def write(self, number, prompts, answers, texts, given, values, batch, made, seconds):
        """A line of the rollout, and one of each answer."""
        drawn = batch["targets"] != IGNORED
        known = [reward for reward in given if reward is not None] or [0.0]
        lengths = [len(one.ids) for one in answers]
        line = {"step": number, "reward": float(np.mean(known)), "reward_std": float(np.std(known)), "length": float(np.mean(lengths)),
                "ended": float(np.mean([one.end == "token" for one in answers])),
                # An estimate by the tokens that were drawn.
                "entropy": float(-batch["old"][drawn].mean()) if drawn.any() else None,
                "loss": made[-1]["loss"], "grad_norm": made[-1].get("grad_norm"), "clip_fraction": made[-1]["clip_fraction"],
                "tokens": int(sum(lengths)), **{f"seconds_{key}": round(value, 3) for key, value in seconds.items()}}
        if self.reference:
            gap = (batch["reference"] - batch["old"])[drawn]
            line["kl"] = float((np.exp(gap) - gap - 1).mean()) if drawn.any() else None
        for name, of_function in zip(self.args.reward, values, strict=True):
            some = [value for value in of_function if value is not None]
            line[f"reward/{name}"] = float(np.mean(some)) if some else None
        add_line(self.log, line)
        for one, text, reward in zip(answers, texts, given, strict=True):
            add_line(self.answers, {"step": number, "prompt": prompts[one.prompt].said, "answer": text, "end": one.end,
                                    "reward": reward})
        print(f"step {number:<6} reward {line['reward']:.4f} +- {line['reward_std']:.4f}  length {line['length']:.1f}  "
              f"loss {line['loss']:+.5f}  {seconds['sample']:.1f} s sampling, {seconds['train']:.1f} s training", flush=True)


def keep_lines(path, rollouts):
    """Drops the lines of rollouts that a run which goes on makes again."""
    if path.exists():
        lines = [line for line in path.read_text().splitlines(keepends=True) if json.loads(line)["step"] < rollouts]
        write_whole(path, "".join(lines))


def add_line(path, line):
    with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def main(arguments):
    Grpo(arguments).run()
