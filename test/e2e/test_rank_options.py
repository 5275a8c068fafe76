"""Two ranks that differ in one option of train: either all refuse, or no bit changes.

The options come from the program's own help, so that none can be forgotten."""
import array
import os
import re
import socket
import subprocess

import support

COMMON = ("--steps", "3", "--lr", "1e-2", "--save", "w.safetensors")
SAMPLES = ("--sample", "1", "--sample-every", "2", "--prompt-ids", "1,2", "--sample-tokens", "3")
EVAL = ("--eval-data", "tokens.u16", "--eval-every", "2")
DIGEST = ("--digest", "both.digest", "--digest-for", "ranks")
KEPT = ("--checkpoint", "ck", "--save-every", "2")
#: Option -> what both ranks have besides COMMON, and what rank 1 has in addition, or instead of the
#: same option.
CASES = {
    "--steps": ((), ("4",)), "--epochs": ((), ("1",)), "--lr": ((), ("2e-2",)),
    "--schedule": ((), ("cosine",)), "--warmup": ((), ("2",)),
    "--warmup-shape": (("--warmup", "2"), ("log",)),
    "--min-lr": (("--schedule", "cosine"), ("1e-3",)),
    "--cooldown": (("--schedule", "wsd", "--cooldown", "1"), ("2",)),
    "--loss-scale": ((), ("dynamic,window=7",)),
    "--spike-guard": ((), ("0.1",)), "--spike-window": (("--spike-guard", "3"), ("2",)),
    "--data": ((), ("other.u16",)), "--input": ((), ("targets=targets.npy",)),
    "--data-format": ((), ("text",)),
    "--data-weights": (("--data", "tokens.u16,other.u16", "--data-weights", "1,2"), ("2,1",)),
    "--document-separator": ((), ("3",)), "--shuffle": ((), ()), "--drive": ((), ()), "--seed": (("--shuffle",), ("7",)),
    "--eval-data": ((), ("tokens.u16",)), "--eval-input": (EVAL, ("targets=targets.npy",)),
    "--eval-every": (EVAL, ("1",)), "--eval-batches": (EVAL, ("2",)),
    "--keep-best": (EVAL, ()), "--patience": (EVAL, ("1",)),
    "--sample": (SAMPLES, ("2",)), "--sample-every": (SAMPLES, ("1",)),
    "--prompt-ids": (SAMPLES, ("3,4",)), "--pieces": (SAMPLES, ("pieces.safetensors",)),
    "--sample-tokens": (SAMPLES, ("4",)), "--temperature": (SAMPLES, ("0.1",)), "--top-k": (SAMPLES, ("3",)),
    "--init": ((), ("init.safetensors",)), "--adapter": ((), ("adapter",)),
    "--save": ((), ("v.safetensors",)), "--save-dtype": ((), ("bf16",)),
    "--checkpoint": (("--save-every", "2", "--checkpoint", "ck"), ("ck2",)), "--save-every": (KEPT, ("1",)),
    "--save-at-exit": (KEPT, ()), "--keep": (KEPT, ("1",)), "--resume": (KEPT, ("latest",)),
    "--resume-other-model": ((*KEPT, "--resume", "latest"), ()),
    "--base": ((*KEPT, "--resume", "latest"), ("init.safetensors",)),
    "--on-checkpoint-error": (KEPT, ("stop",)), "--checkpoint-memory": (KEPT, ("4MiB",)),
    "--time-limit": ((), ("1h",)), "--until": ((), ("2",)),
    "--digest": (DIGEST, ("run.digest",)), "--digest-for": (DIGEST, ("replay",)), "--against": ((), ("run.digest",)),
    "--elastic": (KEPT, ()), "--ranks": ((), ("2",)), "--time-limit": ((), ("1h",)),
    "--metrics": ((), ("run.jsonl",)), "--progress": ((), ("none",)), "--tensorboard": ((), ("events",)),
    "--profile": ((), ()), "--utilization": ((), ()), "--quiet": ((), ()), "--force": ((), ()),
    "--threads": ((), ("2",)), "--host-threads": ((), ("2",)), "--nvme-path": ((), (".",)),
    "--nvme-endurance": ((), ("10",)), "--verify-reads": ((), ()), "--memory-check": ((), ("off",)),
    "--matmul-algorithms": ((), ("4",)), "--retune-matmuls": ((), ()),
}
#: The program ends before ranks connect; or the option needs a byte model, and is otherwise like
#: --prompt-ids.
ENDS = {"--help", "--certificate", "--plan", "--device-check", "--prompt"}


class RankOptions(support.Case):
    def setUp(self):
        super().setUp()
        vocab = support.SMALL["vocab_size"]
        self.binary = support.compile_gpt2(support.SMALL, 2, 16, "--world-size=2", "--stage=2", "--skip-nonfinite=on",
                                           "--eval", "--sample", "--offload-optimizer=nvme")
        for name, seed in ("tokens", 1), ("other", 2):
            support.write_tokens(self.folder / f"{name}.u16", 500, vocab, seed)
        self.write("targets.npy", support.npy("i", (31, 16), [i % vocab for i in range(31 * 16)]))
        support.write_safetensors(self.folder / "pieces.safetensors", {
            "bytes": ((vocab,), array.array("B", b"x" * vocab)), "ends": ((vocab,), array.array("q", range(1, vocab + 1))),
            "stops": ((1,), array.array("q", [2]))})
        self.run_ranks((), ())
        (self.folder / "w.safetensors").rename(self.folder / "init.safetensors")

    def start(self, *commands):
        """Starts a rank of each command, as torchrun does."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        ranks = [subprocess.Popen([str(part) for part in command], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(len(commands)),
                                       "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                                       "ZRT_TIMEOUT": "20"})
                 for rank, command in enumerate(commands)]
        return [(rank.communicate(timeout=60)[0].decode(errors="replace"), rank.returncode) for rank in ranks]

    def flags(self, name, *more):
        """Returns each option once: a later one replaces an earlier one."""
        given = {"--data": ("tokens.u16",), "--nvme-path": (f"nvme-{name}",)}
        words = [*COMMON, *more]
        while words:
            option, values = words.pop(0), []
            while words and not words[0].startswith("--"):
                values.append(words.pop(0))
            given[option] = tuple(values)
        if "--epochs" in given or "--drive" in given:
            del given["--steps"]
        if "--drive" in given:
            del given["--data"]
        return [word for option, values in given.items()
                for word in (option, *(x for value in values for x in (value.split(",") if option == "--data" else
                                                                       [value])))]

    def run_ranks(self, both, more):
        for name in "w.safetensors", "v.safetensors":
            (self.folder / name).unlink(missing_ok=True)
        support.run("rm", "-rf", "ck", "ck2", "nvme-0", "nvme-1", cwd=self.folder)
        for name in "nvme-0", "nvme-1":
            (self.folder / name).mkdir()
        ends = self.start([self.binary, *self.flags("0", *both)], [self.binary, *self.flags("1", *both, *more)])
        saved = self.folder / "w.safetensors"
        return ends, saved.read_bytes() if saved.exists() else None

    def test_one_rank_has_another(self):
        help_text = support.run(self.binary, "--help").out
        options = set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", help_text, re.MULTILINE))
        self.assertEqual(options - ENDS, set(CASES), "an option of train stands in no case, or is no more")
        baselines = {}
        refused = set()
        for option, (both, values) in CASES.items():
            with self.subTest(option):
                ends, saved = self.run_ranks(both, (option, *values))
                shown = "\n".join(f"status {status}\n{text}" for text, status in ends)
                if all(status == 0 for _, status in ends):
                    if both not in baselines:
                        baselines[both] = self.run_ranks(both, ())[1]
                    self.assertIsNotNone(saved, shown)
                    self.assertEqual(saved, baselines[both], f"other bits, without a word\n{shown}")
                else:
                    self.assertTrue(all(status in (1, 2) for _, status in ends), shown)
                    self.assertNotIn("no answer", shown)
                    refused.add(option)
        # Refusals for other reasons would hide errors.
        self.assertLessEqual({"--spike-guard", "--save-dtype", "--shuffle", "--lr", "--profile"}, refused)
        self.assertGreaterEqual(len(CASES) - len(refused), 10, sorted(refused))
