"""zeroc grpo: rollouts, rewards and steps; and loops over zeroc.Session."""
import json
import os
import signal
import unittest
from unittest import mock

import chats
import support
from test_cuda import FAKE, fake
from test_finetune import CONFIG

try:
    import numpy as np
    import zeroc
    from zeroc import policies
except ImportError:
    pass  # ChatCase skips

REWARD = """
def reward(completions, letter):
    return [text.count(which) / max(len(text), 1) for text, which in zip(completions, letter)]

def lower(completions):
    return [sum("a" <= c <= "z" for c in text) / max(len(text), 1) for text in completions]

def short(completion_ids):
    return [-0.01 * len(ids) for ids in completion_ids]

def hangs(completions):
    import time
    time.sleep(100)

def throws(completions):
    raise ValueError("no such thing")

def unfinite(completions):
    return [float("nan")] * len(completions)

def few(completions):
    return [1.0]

def nothing(completions):
    return [None] * len(completions)

def dies(completions):
    import os
    os._exit(3)
"""
FAILURES = {"hangs": "nothing after 1 s", "throws": "no such thing", "unfinite": "nan for an answer", "few": "1 values for the 4",
            "dies": "ended with status 3"}


class GrpoCase(chats.ChatCase):
    def setUp(self):
        super().setUp()
        self.base = self.model(text=None, eos="<|endoftext|>", **CONFIG)
        config = json.loads((self.base / "config.json").read_text())
        binary = support.compile_model(support.import_model(config, 1, 8))
        tokens = self.write_tokens(100, config["vocab_size"])
        self.run_ok(binary, "--data", tokens, "--steps", 1, "--lr", "0", "--save", self.base / "model.safetensors")
        patched = mock.patch.dict(os.environ, ZEROC_PROGRAM=str(support.ZEROC))
        patched.start()
        self.addCleanup(patched.stop)
        self.rewards = self.write("rewards.py", REWARD)
        self.prompts = self.write("prompts.jsonl", "".join(
            json.dumps({"prompt": f"{letter} {number}: ", "letter": letter}) + "\n" for number in range(3) for letter in "ae"))

    def grpo(self, out, *options, status=0, reward=("--reward=rewards.py",)):
        words = [f"--reward={self.folder / one.partition('=')[2]}" if one.startswith("--reward=rewards") else one
                 for one in reward]
        done = support.run(support.ZEROC, "grpo", self.base, self.prompts, "-o", self.folder / out, *words, "--threads=1",
                           "--group=4", "--prompts-per-step=2", "--max-tokens=12", "--seq=32", "--batch=4", "--lr=3e-3",
                           "--warmup=0", "--precision=fp32", *options)
        self.assertEqual(done.returncode, status, done.err + done.out)
        return done

    def lines(self, out, name="rollouts"):
        return [json.loads(line) for line in (self.folder / out / "zeroc" / f"{name}.jsonl").read_text().splitlines()]

    def outcome(self, out):
        timeless = [{key: value for key, value in line.items() if not key.startswith("seconds")} for line in self.lines(out)]
        saved = next((self.folder / out).glob("*.safetensors"))
        return timeless, self.lines(out, "answers"), {name: (shape, values.tobytes()) for name, (shape, values)
                                                      in support.read_safetensors(saved).items()}


class Grpo(GrpoCase):
    def test_same_steps(self):
        """Whatever the layout; and after a stop, from the last checkpoint."""
        options = ("--steps=4", "--save-every=2")
        self.grpo("one", *options)
        expected = self.outcome("one")
        self.assertEqual([line["step"] for line in expected[0]], [0, 1, 2, 3])
        self.assertEqual(len(expected[1]), 4 * 8)
        self.grpo("again", *options)
        self.assertEqual(self.outcome("again"), expected)
        # The second call drops what the first has done after its checkpoint.
        broken = self.write("broken.py", REWARD + """
calls = 0
def once(completions, letter):
    global calls
    calls += 1
    if calls == 7:
        raise ValueError("stop")
    return reward(completions, letter)
""")
        self.grpo("stopped", *options, reward=(f"--reward={broken}:once",), status=1)
        self.assertEqual(len(self.lines("stopped")), 3)
        self.grpo("stopped", *options, reward=(f"--reward={broken}:once",))
        for mine, other in zip(self.outcome("stopped"), expected, strict=True):
            if isinstance(mine, list) and "reward_std" in mine[0]:
                mine, other = ([{key: value for key, value in line.items() if "/" not in key} for line in lines]
                               for lines in (mine, other))
            self.assertEqual(mine, other)

    def test_learns(self):
        """To answer with small letters, which are a tenth of all bytes."""
        self.grpo("out", "--steps=40", "--loss=dr_grpo", "--scale-rewards=none", "--lr=3e-2", "--decay=constant",
                  reward=("--reward=rewards.py:lower",))
        rewards = [line["reward"] for line in self.lines("out")]
        self.assertEqual(len(rewards), 40)
        self.assertGreater(np.mean(rewards[-5:]), 3 * np.mean(rewards[:5]), rewards)

    def test_penalty_and_adapters(self):
        self.grpo("out", "--steps=3", "--beta=0.1", "--lora=4", "--iterations=1", "--mask-cut-off", reward=(
            "--reward=rewards.py", "--reward=rewards.py:short", "--reward-weight=1", "--reward-weight=0.5"))
        lines = self.lines("out")
        self.assertEqual(lines[0]["kl"], 0)
        self.assertGreater(lines[2]["kl"], 0)
        self.assertTrue((self.folder / "out" / "adapter_model.safetensors").exists())
        self.assertIn(f"reward/{self.folder}/rewards.py:short", lines[0])

    def test_ranks(self):
        """Each samples its part of the answers, which are the same."""
        self.grpo("one", "--steps=2", "--batch=2")
        self.grpo("two", "--steps=2", "--batch=2", "--ranks=2", "--stage=3")
        one, two = self.lines("one", "answers"), self.lines("two", "answers")
        self.assertEqual(one[:8], two[:8])

    def test_chats(self):
        """Rewards get messages; and the config of a dry run makes the run."""
        (self.base / "chat_template.jinja").write_text("{% for m in messages %}{{ m.content }}: {% endfor %}")
        self.prompts = self.write("chats.jsonl", "".join(
            json.dumps({"messages": [{"role": "user", "content": word}], "gold": word}) + "\n" for word in ("red", "blue")))
        told = self.write("told.py", """
def reward(prompts, completions, gold, **more):
    assert [prompt[-1]["content"] for prompt in prompts] == gold and completions[0][0]["role"] == "assistant"
    return [float(len(ids)) for ids in more["completion_ids"]]
""")
        done = self.grpo("out", "--steps=2", "--lora=4", "--merge", "--dry-run", reward=(f"--reward={told}",))
        self.assertIn("2 rollouts of 8 answers, 1 step on each, 2 micro-steps a step", done.out)
        self.assertFalse((self.folder / "out" / "zeroc" / "rollouts.jsonl").exists())
        done = support.run(support.ZEROC, "grpo", self.base, self.prompts, "-o", self.folder / "out",
                           f"--config={self.folder / 'out' / 'zeroc' / 'config.yaml'}")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("at the beginning", done.out)
        self.assertEqual(len(self.lines("out")), 2)
        self.assertTrue((self.folder / "out" / "model.safetensors").exists())

    def test_failures(self):
        for name, said in FAILURES.items():
            with self.subTest(name):
                done = self.grpo("out", "--steps=2", "--reward-time=1", "--restart", reward=(f"--reward=rewards.py:{name}",),
                                 status=1)
                self.assertIn(said, done.err)
                if name != "dies":
                    self.assertRegex(done.err, "prompts.jsonl, line [1-6]")
        self.grpo("out", "--steps=1", "--restart", reward=("--reward=rewards.py:nothing",))

    def test_mistakes(self):
        for options, said in ((("--batch=3",), "do not divide them"), (("--max-tokens=32",), "no room for a prompt"),
                              (("--group=1",), "--group=1 must be 2 or more"),
                              (("--steps=3", "--iterations=2"), "no multiple of --iterations=2"), (("--loss=cispo",), "cispo"),
                              (("--schedule=cosine",), "--schedule"), (("--reward-weight=1", "--reward-weight=2"), "--reward-weight"),
                              (("--dropout",), "--dropout"), (("--prompts-per-step=8",), "6 prompts")):
            with self.subTest(options):
                done = support.run(support.ZEROC, "grpo", self.base, self.prompts, "-o", self.folder / "out",
                                   f"--reward={self.rewards}", "--seq=32", "--max-tokens=12", "--group=4",
                                   "--prompts-per-step=2", "--batch=4", *options)
                self.assertIn(done.returncode, (1, 2))
                self.assertIn(said, done.err)


class Sessions(GrpoCase):
    def test_probabilities(self):
        """Of answers: those of scores, and those that a step compares with them."""
        for options in (dict(), dict(world_size=2, stage=3, accumulate=2), dict(precision="bf16"),
                        dict(precision="bf16", lora="4:8", world_size=2, offload="cpu")):
            with self.subTest(options):
                program = zeroc.compile(self.base, batch=2, seq=24, sample=True, eval=True, out=self.folder / "program",
                                        import_options={"objective": "grpo"}, **options)
                with zeroc.Session(program) as session:
                    state = session.state().result()
                    prompts = [[1, 2, 3], [4, 5, 6, 7, 8]]
                    answers = session.sample(prompts, state["rows"] // 2, max_tokens=9, seed=3, logprobs=True,
                                             end_ids=range(40, 80)).result()
                    tokens, targets = policies.rows_of([prompts[one.prompt] for one in answers], [one.ids for one in answers], 24)
                    scored = session.score(tokens=tokens, targets=targets).result()
                    self.assertEqual(scored[targets != -100].tobytes(), np.concatenate([one.logprobs for one in answers]).tobytes())
                    ones = np.ones_like(scored)
                    session.forward_backward(tokens=tokens, targets=targets, old=scored, advantages=ones, token_weights=ones / 64)
                    # All ratios are 1, so the sums of micro-batches are exact.
                    batches = state["rows"] // state["batch"]
                    self.assertEqual(session.step(lr=1e-2).result()["loss"], -(targets != -100).sum() / 64 / batches)
                    again = session.score(tokens=tokens, targets=targets).result()
                    self.assertNotEqual(again.tobytes(), scored.tobytes())

    @unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
    def test_gpu(self):
        """An emulated GPU answers, scores and trains with the bits of processors."""
        outcomes = []
        with mock.patch.dict(os.environ, fake()):
            for options in (dict(cpu="x86-64-v3"), dict(cpu="x86-64-v3", world_size=2, stage=3, target="cuda", cuda_arch="emulated",
                                                        attention="f32", collectives="host")):
                program = zeroc.compile(self.base, batch=2, seq=16, sample=True, eval=True,
                                        import_options={"objective": "grpo"}, **options)
                with zeroc.Session(program) as session:
                    answers = session.sample([[1, 2, 3]], 4, max_tokens=5, logprobs=True).result()
                outcomes.append([(one.ids, one.end, one.logprobs.tobytes()) for one in answers])
        self.assertEqual(*outcomes)

    def test_killed(self):
        """A program that ends by itself fails what waits, and what comes."""
        program = zeroc.compile(self.base, batch=2, seq=24, sample=True, eval=True)
        with self.assertRaisesRegex(zeroc.Error, "ended by signal SIGKILL"):
            with zeroc.Session(program) as session:
                session.state().result()
                os.killpg(session.process.pid, signal.SIGKILL)
                session.state().result()

    def test_errors(self):
        program = zeroc.compile(self.base, batch=2, seq=24, sample=True, eval=True, import_options={"objective": "grpo"})
        with zeroc.Session(program) as session:
            wrong = session.sample([[1, 2]], max_tokens=0), session.score(tokens=[[1] * 25], targets=[[2]]), session.step(lr=1)
            right = session.sample([[1, 2]], max_tokens=3)
            for future, said in zip(wrong, ("max", "25 numbers", "no rows wait"), strict=True):
                with self.assertRaisesRegex(zeroc.Error, said):
                    future.result()
            self.assertEqual(len(right.result()[0].ids), 3)
        with self.assertRaisesRegex(zeroc.Error, "closed"):
            session.state()
        with self.assertRaisesRegex(zeroc.Error, "--steps"):
            zeroc.Session(program, steps=3).state().result()


class Formulas(chats.ChatCase):
    """By the formulas of TRL."""

    def test_advantages(self):
        rewards = [[1.0, 0.0, 0.5, 0.5], [2.0, 2.0, 2.0, 2.0]]
        scaled = policies.advantages_of(rewards, "group")
        self.assertAlmostEqual(scaled[0, 0], 0.5 / (np.std(rewards[0], ddof=1) + 1e-4))
        self.assertEqual([*scaled[1]], [0, 0, 0, 0])
        self.assertEqual([*policies.advantages_of(rewards, "none")[0]], [0.5, -0.5, 0, 0])
        self.assertAlmostEqual(policies.advantages_of(rewards, "batch")[0, 0], 0.5 / (np.std(rewards, ddof=1) + 1e-4))

    def test_weights(self):
        self.assertEqual([*policies.weights_of([2, 0], "grpo", 8)], [0.25, 0.5])
        self.assertEqual([*policies.weights_of([2, 6], "dr_grpo", 8)], [1 / 16] * 2)
        self.assertEqual([*policies.weights_of([2, 6], "dapo", 8)], [1 / 8] * 2)
        self.assertEqual([*policies.weights_of([0, 0], "bnpo", 8)], [1, 1])

    def test_rows(self):
        tokens, targets = policies.rows_of([[1, 2], [3]], [[4, 5], [6, 7, 8]], 4)
        self.assertEqual(tokens.tolist(), [[1, 2, 4, 5], [3, 6, 7, 8]])
        self.assertEqual(targets.tolist(), [[-100, 4, 5, -100], [6, 7, 8, -100]])


if __name__ == "__main__":
    unittest.main()
