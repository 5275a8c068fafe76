"""The plans that are mutated: small models over stages, ranks, micro-steps and bucket sizes.  All
compile and train in well under a second."""
import array
import json
import random
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("e2e", "random")]
import support
from generator import random_model
from test_ranks_models import ODD as ODD_STATE

TINY = {**support.SMALL, "n_embd": 8, "vocab_size": 48, "n_positions": 8}
#: Sizes that do not divide each other.
UNEVEN = {**support.ODD, "n_layer": 2, "n_embd": 9, "vocab_size": 37, "n_positions": 7}
#: Families, and mixtures of experts.
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
PAIRS = GOLDEN / "preferences" / "model"


def small_mlp():
    """Returns examples/mlp.mlir with other sizes."""
    sizes = {"512": "10", "16": "2", "32": "5", "256": "40", "64": "11", "128": "13"}

    def resize(match):
        return re.sub(r"\d+(?=x|,|\]|$)", lambda size: sizes.get(size[0], size[0]), match[0])

    text = (support.EXAMPLES / "mlp.mlir").read_text().replace("vocab = 256", "vocab = 40")
    return re.sub(r"tensor<[\dx]+(?=x[fi]\d)|output_shape \[[\d, ]+\]", resize, text)


@dataclass(frozen=True)
class Recipe:
    name: str
    model: str
    vocab: int
    stage: int
    ranks: int
    micro_steps: int
    options: tuple = ()
    seed: int = 0  # of a random model

    def write_data(self, folder):
        """Writes what the model reads; returns its path."""
        if self.model not in ("pairs", "policy"):
            support.write_tokens(folder / "tokens.u16", 600, self.vocab)
            return folder / "tokens.u16"
        rng, rows, length = random.Random(3), 12, 11 if self.model == "pairs" else TINY["n_positions"]

        def numbers(kind, columns, draw):
            return (rows, columns), array.array(kind, (draw(i % columns) for i in range(rows * columns)))

        tensors = {"tokens": numbers("i", length, lambda _: rng.randrange(self.vocab)),
                   "targets": numbers("i", length, lambda _: rng.choice((-100, rng.randrange(self.vocab))))}
        if self.model == "policy":
            tensors |= {"old": numbers("f", length, lambda _: rng.uniform(-5, -3)),
                        "advantages": numbers("f", length, lambda _: rng.uniform(-1, 1)),
                        "token_weights": numbers("f", length, lambda _: rng.uniform(0, 0.2))}
        else:
            tensors |= {"starts": numbers("i", length, lambda at: at // 3 * 3),
                        "samples": numbers("i", length, lambda at: min(at // 3, 4)),
                        "choices": numbers("i", 2, lambda _: rng.choice((-100, 0, 0))),
                        "reference": numbers("f", 4, lambda _: rng.uniform(-30, 0))}
        path = folder / "pairs.safetensors"
        support.write_safetensors(path, tensors)
        return path

    def write_model(self, folder):
        """Returns the path of the model."""
        model = folder / "model.mlir"
        if self.model in ("tiny", "uneven", "dropout"):
            config = UNEVEN if self.model == "uneven" else TINY
            model = support.import_model(config, 1, config["n_positions"], *["--dropout"] * (self.model == "dropout"))
        elif self.model == "pairs":
            model = support.import_model(PAIRS / "config.json", 1, 11, "--packed", "--objective=dpo", "--samples=4")
        elif self.model == "policy":
            model = support.import_model(TINY, 1, TINY["n_positions"], "--objective=grpo")
        elif self.model == "documents":
            model = support.import_model(GOLDEN / "llama" / "config.json", 1, 11, "--document-separator=0")
        elif self.model == "wide":
            config = json.loads((GOLDEN / "llama" / "config.json").read_text())
            model = support.import_model({**config, "hidden_size": 64, "intermediate_size": 64,
                                           "num_attention_heads": 4, "num_key_value_heads": 2}, 1, 11)
        elif (GOLDEN / self.model / "config.json").exists():
            model = support.import_model(GOLDEN / self.model / "config.json", 1, 11)
        elif self.model == "mlp":
            model.write_text(small_mlp())
        elif self.model == "random":
            model.write_text(random_model(self.seed).text(1))
        else:
            model.write_text(ODD_STATE.format(batch=1, rows=8, ignore="{ignore_index = 0 : i32}"))
        return model

    def write_weights(self, folder):
        """Writes weights of the model, which a program that only generates reads; returns their path."""
        program, weights = support.compile_model(self.write_model(folder)), folder / "weights.safetensors"
        done = support.run(program, "--data", self.write_data(folder), "--steps", 1, "--lr", "0", "--save", weights)
        assert not done.returncode, done.err
        return weights

    def write(self, folder):
        """Writes plan.mlir at level memory; returns its path."""
        plan = folder / "plan.mlir"
        done = support.run(support.ZEROC, self.write_model(folder), f"--stage={self.stage}",
                           f"--world-size={self.ranks}", f"--accumulate={self.micro_steps}",
                           *self.options, "--emit=memory", "-o", plan)
        if done.returncode:
            raise SystemExit(f"mutate.py: error: {self.name} does not compile\n{done.err}")
        return plan


PLANS = [
    #       name            model     vocab  stage  ranks  micro-steps
    Recipe("tiny-0-1-1", "tiny", 48, 0, 1, 1),
    Recipe("tiny-0-1-2", "tiny", 48, 0, 1, 2, ("--bucket-size=1KiB",)),
    Recipe("tiny-1-2-1", "tiny", 48, 1, 2, 1),
    Recipe("tiny-2-2-2", "tiny", 48, 2, 2, 2, ("--bucket-size=1KiB",)),
    Recipe("tiny-3-2-1", "tiny", 48, 3, 2, 1, ("--bucket-size=1KiB",)),
    Recipe("tiny-3-2-2", "tiny", 48, 3, 2, 2, ("--reuse-distance=8KiB",)),
    # Equal pieces of a parameter: two, or more.
    Recipe("split-3-2-1", "tiny", 48, 3, 2, 1, ("--bucket-size=256",)),
    Recipe("split-3-2-2", "tiny", 48, 3, 2, 2, ("--bucket-size=768",)),
    Recipe("mlp-0-2-1", "mlp", 40, 0, 2, 1),
    Recipe("mlp-1-2-2", "mlp", 40, 1, 2, 2, ("--bucket-size=512",)),
    Recipe("mlp-2-3-1", "mlp", 40, 2, 3, 1, ("--optimizer=sgd",)),
    Recipe("mlp-3-3-2", "mlp", 40, 3, 3, 2),
    Recipe("lion-1-2-1", "mlp", 40, 1, 2, 1, ("--optimizer=lion",)),
    Recipe("lion-3-2-2", "tiny", 48, 3, 2, 2, ("--optimizer=lion", "--offload=cpu", "--precision=bf16")),
    # 16 bits: masters, and a loss scale.
    Recipe("bf16-2-2-1", "tiny", 48, 2, 2, 1, ("--precision=bf16",)),
    Recipe("bf16-3-2-2", "mlp", 40, 3, 2, 2, ("--precision=bf16",)),
    Recipe("fp16-1-2-2", "tiny", 48, 1, 2, 2, ("--precision=fp16",)),
    # State in host memory and on nvme.
    Recipe("cpu-0-1-1", "tiny", 48, 0, 1, 1, ("--offload=cpu", "--bucket-size=1KiB")),
    Recipe("cpu-1-2-2", "tiny", 48, 1, 2, 2, ("--offload-optimizer=cpu", "--precision=bf16")),
    Recipe("nvme-3-2-1", "tiny", 48, 3, 2, 1, ("--offload=nvme", "--bucket-size=1KiB")),
    Recipe("nvme-2-2-1", "mlp", 40, 2, 2, 1, ("--offload-optimizer=nvme",)),
    Recipe("near-3-2-1", "tiny", 48, 3, 2, 1, ("--offload=cpu", "--offload-ratio=0.5", "--bucket-size=1KiB")),
    Recipe("near-1-2-1", "tiny", 48, 1, 2, 1, ("--offload-optimizer=nvme", "--offload-ratio=0.5", "--bucket-size=1KiB")),
    # Sums of gradients elsewhere.
    Recipe("sums-1-2-2", "tiny", 48, 1, 2, 2, ("--offload-gradients=cpu",)),
    Recipe("sums-3-2-3", "tiny", 48, 3, 2, 3, ("--offload=cpu", "--offload-gradients=nvme", "--bucket-size=1KiB")),
    # Updates with the gradients of the previous step.
    # Ranks in groups.
    Recipe("groups-0-4-2", "tiny", 48, 0, 4, 2, ("--ranks-per-host=2",)),
    Recipe("groups-2-6-3", "mlp", 40, 2, 6, 3, ("--ranks-per-host=3",)),
    Recipe("groups-3-4-2", "tiny", 48, 3, 4, 2, ("--ranks-per-host=2", "--offload=cpu", "--bucket-size=1KiB")),
    Recipe("hybrid-2-4-2", "odd", 64, 2, 4, 2, ("--shard-size=2", "--bucket-size=300")),
    Recipe("hybrid-3-4-2", "tiny", 48, 3, 4, 2, ("--shard-size=2", "--precision=bf16", "--bucket-size=1KiB")),
    Recipe("second-3-4-1", "tiny", 48, 3, 4, 1, ("--secondary-shard=2", "--bucket-size=1KiB")),
    # Sums in the tree of virtual shards.
    Recipe("tree-0-1-8", "tiny", 48, 0, 1, 8, ("--virtual-shards=8",)),
    Recipe("tree-3-2-4", "tiny", 48, 3, 2, 4, ("--virtual-shards=8", "--bucket-size=1KiB")),
    Recipe("tree-1-4-2", "tiny", 48, 1, 4, 2, ("--virtual-shards=8", "--ranks-per-host=2", "--precision=bf16")),
    # Ranks that share sequences.
    Recipe("context-3-2-1", "tiny", 48, 3, 2, 1, ("--context=2", "--bucket-size=1KiB")),
    Recipe("context-1-4-2", "tiny", 48, 1, 4, 2, ("--context=2", "--ranks-per-host=2")),
    # Collectives in fewer bits.
    Recipe("wire-3-2-1", "tiny", 48, 3, 2, 1, ("--wire-params=int8", "--wire-gradients=int8", "--bucket-size=1KiB")),
    Recipe("wire-1-4-2", "tiny", 48, 1, 4, 2, ("--wire-gradients=int4", "--ranks-per-host=2", "--bucket-size=1KiB")),
    Recipe("wire-3-4-2", "tiny", 48, 3, 4, 2, ("--wire-params=int8", "--wire-gradients=int4", "--secondary-shard=2")),
    Recipe("wire-3-2-2", "mlp", 40, 3, 2, 2, ("--wire-params=bf16", "--persist-below=100")),
    Recipe("wire-2-2-3", "mlp", 40, 2, 2, 3, ("--wire-gradients=bf16", "--accumulate-order=block")),
    Recipe("wire-3-3-1", "mlp", 40, 3, 3, 1, ("--wire-params=int4", "--wire-gradients=int8", "--precision=bf16",
                                              "--offload=cpu")),
    Recipe("rotated-0-1-1", "tiny", 48, 0, 1, 1, ("--offload=nvme", "--overlap-update", "--bucket-size=1KiB")),
    Recipe("rotated-2-2-1", "tiny", 48, 2, 2, 1, ("--offload=cpu", "--overlap-update", "--precision=bf16")),
    Recipe("rotated-3-2-1", "mlp", 40, 3, 2, 1, ("--offload=cpu", "--overlap-update", "--precision=fp16")),
    Recipe("delayed-0-1-1", "tiny", 48, 0, 1, 1, ("--offload-optimizer=nvme", "--delayed-update")),
    Recipe("delayed-2-2-1", "tiny", 48, 2, 2, 1, ("--offload-optimizer=cpu", "--delayed-update",
                                                  "--precision=bf16")),
    Recipe("delayed-3-2-1", "mlp", 40, 3, 2, 1, ("--offload-optimizer=cpu", "--delayed-update",
                                                 "--grad-clip=0")),
    # Frozen parameters, and adapters.
    Recipe("lora-0-1-2", "tiny", 48, 0, 1, 2, ("--lora=2:6", "--eval")),
    Recipe("lora-3-2-1", "tiny", 48, 3, 2, 1, ("--lora=2", "--precision=bf16", "--bucket-size=1KiB")),
    Recipe("lora-3-2-2", "tiny", 48, 3, 2, 2, ("--lora=3", "--offload=nvme")),
    # Packed parameters.
    Recipe("packed-0-1-2", "tiny", 48, 0, 1, 2, ("--lora=2:6", "--base-storage=nf4", "--accumulate-order=block")),
    Recipe("packed-3-2-1", "tiny", 48, 3, 2, 1, ("--lora=2", "--base-storage=nf4", "--precision=bf16")),
    Recipe("packed-3-2-2", "tiny", 48, 3, 2, 2, ("--lora=3", "--base-storage=int8", "--offload=nvme")),
    # Dropout.
    Recipe("dropout-2-2-2", "dropout", 48, 2, 2, 2, ("--accumulate-order=block", "--lora=2", "--lora-dropout=0.3")),
    # Experts; windows and fewer key heads; capped logits, in chunks, and tied.
    Recipe("mixtral-3-2-1", "mixtral", 89, 3, 2, 1, ("--bucket-size=4KiB",)),
    Recipe("mixtral-2-2-2", "mixtral", 89, 2, 2, 2, ("--precision=bf16", "--offload=cpu")),
    Recipe("mistral-3-2-1", "mistral", 89, 3, 2, 1, ("--remat=block",)),
    Recipe("gemma2-1-2-2", "gemma2", 89, 1, 2, 2, ("--loss-chunk=2000",)),
    Recipe("gemma2-3-2-1", "gemma2", 89, 3, 2, 1, ("--offload=nvme", "--precision=bf16")),
    Recipe("qwen3_moe-0-1-1", "qwen3_moe", 89, 0, 1, 1),
    # Evaluations between steps.
    Recipe("eval-1-2-2", "tiny", 48, 1, 2, 2, ("--eval",)),
    Recipe("eval-3-2-1", "tiny", 48, 3, 2, 1, ("--eval", "--offload=cpu", "--overlap-update")),
    # Samples between steps.
    # Products that read packed weights.
    Recipe("sample-packed-0-1-1", "wide", 89, 0, 1, 1, ("--sample", "--lora=2", "--base-storage=nf4")),
    Recipe("sample-1-2-2", "tiny", 48, 1, 2, 2, ("--sample",)),
    Recipe("sample-3-2-1", "tiny", 48, 3, 2, 1, ("--sample", "--offload=nvme", "--bucket-size=1KiB")),
    Recipe("documents-2-2-1", "documents", 89, 2, 2, 1, ("--sample",)),
    Recipe("sample-2-2-2", "odd", 64, 2, 2, 2, ("--sample", "--accumulate-order=block")),
    # Texts alone.
    Recipe("generate-0-1-1", "documents", 89, 0, 1, 1, ("--sample-only",)),
    Recipe("generate-3-2-1", "tiny", 48, 3, 2, 1, ("--sample-only", "--offload-params=nvme", "--bucket-size=1KiB")),
    # Preferences, and values of samples alone.
    Recipe("pairs-3-2-2", "pairs", 96, 3, 2, 2, ("--bucket-size=4KiB", "--loss-chunk=2KiB")),
    # All programs of a loop that samples, scores and trains.
    Recipe("loop-0-1-1", "policy", 48, 0, 1, 1, ("--sample", "--eval")),
    Recipe("loop-3-2-2", "policy", 48, 3, 2, 2, ("--sample", "--eval", "--bucket-size=1KiB")),
    Recipe("score-3-2-1", "pairs", 96, 3, 2, 1, ("--score-only", "--offload-params=nvme")),
    # Updates that do not wait for the norm.
    Recipe("unclipped-0-1-1", "tiny", 48, 0, 1, 1, ("--grad-clip=0", "--offload=cpu")),
    Recipe("unclipped-2-2-1", "tiny", 48, 2, 2, 1, ("--grad-clip=0", "--bucket-size=1KiB")),
    # Recomputed or offloaded activations.
    Recipe("remat-3-2-1", "tiny", 48, 3, 2, 1, ("--remat=block",)),
    Recipe("stash-0-1-2", "tiny", 48, 0, 1, 2, ("--offload-activations=nvme",)),
    Recipe("kernels-3-2-1", "tiny", 48, 3, 2, 1, ("--remat=kernels",)),
    Recipe("part-2-2-1", "tiny", 48, 2, 2, 1, ("--remat=block", "--remat-ratio=0.5")),
    # Far ahead of uses.
    Recipe("ahead-3-2-1", "tiny", 48, 3, 2, 1, ("--offload=nvme", "--bucket-size=1KiB", "--prefetch=16KiB")),
    # As zeroc chooses plans.
    Recipe("chosen-3-2-1", "tiny", 48, 3, 2, 1, ("--remat=kernels", "--offload=cpu", "--overlap-update", "--bucket-size=1KiB",
                                                 "--precision=bf16")),
    Recipe("chosen-1-2-2", "tiny", 48, 1, 2, 2, ("--remat=kernels", "--offload-optimizer=cpu", "--bucket-size=1KiB",
                                                 "--accumulate-order=block")),
    Recipe("both-2-2-1", "tiny", 48, 2, 2, 1, ("--remat=block", "--offload-activations=cpu",
                                               "--precision=bf16")),
    # All micro-steps of a block before the next block.
    Recipe("block-0-1-2", "tiny", 48, 0, 1, 2, ("--accumulate-order=block", "--offload=cpu")),
    Recipe("block-overlap-3-2-2", "tiny", 48, 3, 2, 2, ("--accumulate-order=block", "--offload=cpu", "--overlap-update")),
    Recipe("block-1-2-3", "mlp", 40, 1, 2, 3, ("--accumulate-order=block",)),
    Recipe("block-2-2-2", "odd", 64, 2, 2, 2, ("--accumulate-order=block", "--bucket-size=300")),
    Recipe("block-3-2-2", "tiny", 48, 3, 2, 2, ("--accumulate-order=block", "--precision=bf16",
                                                "--remat=block", "--bucket-size=1KiB")),
    # Gradients in f32; no masters, also with all other state in 16 bits.
    Recipe("wide-3-2-1", "tiny", 48, 3, 2, 1, ("--precision=bf16", "--grad-dtype=f32")),
    Recipe("narrow-2-2-2", "tiny", 48, 2, 2, 2, ("--precision=bf16", "--grad-dtype=bf16",
                                                 "--state-dtype=bf16", "--master=none")),
    Recipe("odd-0-1-2", "odd", 64, 0, 1, 2),
    Recipe("odd-1-2-2", "odd", 64, 1, 2, 2, ("--bucket-size=300", "--optimizer=sgd")),
    Recipe("odd-2-2-1", "odd", 64, 2, 2, 1, ("--bucket-size=300",)),
    Recipe("odd-3-3-1", "odd", 64, 3, 3, 1),
    Recipe("odd-3-2-2", "odd", 64, 3, 2, 2, ("--persist-below=200",)),
    # Computation as in the interpreter of --reference; a given limit of memory.
    Recipe("reference-0-1-1", "tiny", 48, 0, 1, 1, ("--reference",)),
    Recipe("budget-3-2-1", "tiny", 48, 3, 2, 1, ("--device-memory=1MiB",)),
    Recipe("uneven-2-2-1", "uneven", 37, 2, 2, 1),
    Recipe("uneven-3-2-2", "uneven", 37, 3, 2, 2),
    # Layers that keep a state.
    Recipe("state-3-2-1", "qwen3_5", 89, 3, 2, 1, ("--remat=block",)),
    Recipe("sample-state-2-2-1", "qwen3_5", 89, 2, 2, 1, ("--sample",)),
    Recipe("generate-state-0-1-1", "lfm2", 89, 0, 1, 1, ("--sample-only",)),
    Recipe("state-2-2-2", "qwen3_5-full-first", 89, 2, 2, 2, ("--offload-activations=cpu",)),
    Recipe("state-bf16-1-2-1", "qwen3_5", 89, 1, 2, 1, ("--precision=bf16", "--lora=2")),
    # Layers that share keys and values over blocks, a second embedding, a parameter without a gradient.
    Recipe("shared-3-2-1", "gemma4", 89, 3, 2, 1, ("--remat=block",)),
    Recipe("shared-2-2-2", "gemma4-full", 89, 2, 2, 2, ("--offload-activations=cpu",)),
]


def random_recipe(seed):
    """A random model (test/random) in a random plan."""
    rng = random.Random(f"mutated {seed}")
    options = rng.choice(((), ("--bucket-size=64",), ("--bucket-size=300",), ("--bucket-size=1KiB",)))
    options += rng.choice(((), ("--loss-chunk=1",))) + rng.choice(((), ("--optimizer=sgd",)))
    recipe = Recipe(f"random-{seed}", "random", random_model(seed).vocab, stage=rng.randrange(4),
                    ranks=rng.choice((1, 2, 2, 3)), micro_steps=rng.choice((1, 1, 2)),
                    options=options + rng.choice(((),) * 2 + (("--offload=cpu",), ("--offload=nvme",))),
                    seed=seed)
    if recipe.micro_steps > 1 and random.Random(f"order {seed}").random() < 0.5:
        recipe = replace(recipe, options=(*recipe.options, "--accumulate-order=block"))
    return recipe
