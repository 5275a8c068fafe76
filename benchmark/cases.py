"""The cases that the benchmark measures, and their lower bounds.

A step cannot be faster than

    flops / rate of matmuls  +  28 bytes a parameter / AdamW's bandwidth

of the machine it runs on; on several ranks also the time of the collectives of its stage is added.
Everything else (norms, activations, loss, launches) is counted as free.
"""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Case:
    """The batch of a rank, and the threads and ranks it runs on."""
    batch: int
    seq: int
    threads: int = 1
    ranks: int = 1
    stage: int = 0

    @staticmethod
    def parse(name):
        """b4t64x2: batch 4, 64 tokens, 2 threads; b2t64r2s3: 2 ranks, stage 3."""
        match = re.fullmatch(r"b(\d+)t(\d+)(?:r(\d+)s([0-3]))?(?:x(\d+))?", name)
        if not match:
            raise ValueError(f"{name} is no case; write b4t64x2 (batch, tokens, threads) "
                             "or b2t64r2s3 (batch of a rank, tokens, ranks, stage)")
        batch, seq, ranks, stage, threads = (int(part or 0) for part in match.groups())
        return Case(batch, seq, threads or 1, ranks or 1, stage)

    @property
    def name(self):
        ranks = f"r{self.ranks}s{self.stage}" if self.ranks > 1 else ""
        threads = f"x{self.threads}" if self.ranks == 1 or self.threads > 1 else ""
        return f"b{self.batch}t{self.seq}{ranks}{threads}"

    @property
    def tokens(self):
        return self.batch * self.seq


#: Cases of issue 5: one rank, then two ranks that share the two cores.
CASES = ("b4t64x1", "b4t64x2", "b4t256x2", "b1t1024x2", "b2t64r2s2", "b2t64r2s3")


class Limits:
    """The measured speed of this machine.  Keeps every measurement and uses medians.

    `seconds` has the keys [threads, m, n, k, form], ["adamw", threads, form] (seconds per parameter), and
    [collective] (seconds per byte).
    """

    def __init__(self):
        self.seconds = {}

    def add(self, key, seconds):
        self.seconds.setdefault(key, []).append(seconds)

    def best(self, *key):
        """(seconds, form) of the fastest form of `key`."""
        return min((median(values), known[-1]) for known, values in self.seconds.items()
                   if isinstance(known, tuple) and known[:-1] == key)

    def matmul_rate(self, threads, m, n, k):
        """flop/s of the fastest form."""
        return 2 * m * n * k / self.best(threads, m, n, k)[0]

    def rate(self, threads, model, tokens):
        """flop/s of all products of a step, each in its fastest form."""
        products = model.products(tokens)
        flops = sum(2 * m * n * k * count for (m, n, k), count in products.items())
        return flops / sum(self.best(threads, *shape)[0] * count
                           for shape, count in products.items())

    def bandwidth(self, threads):
        """bytes/s of AdamW."""
        return 28 / self.best("adamw", threads)[0]

    def collective(self, name):
        """Seconds per byte."""
        return median(self.seconds[name])


@dataclasses.dataclass(frozen=True)
class Limit:
    """A lower bound of the seconds of a step."""
    products: float
    attention: float
    update: float
    wire: float

    @property
    def total(self):
        return self.products + self.attention + self.update + self.wire


def limit_of(case, model, limits):
    """Ranks compute at the same time, each on its own processors, and share the memory bandwidth of the
    update.  Every stage reduces gradients and gathers parameters; stage 3 gathers them twice, into separate
    memory."""
    rate = limits.rate(case.threads, model, case.tokens)
    attention = model.attention_flops(case.batch, case.seq)
    wire = 0
    if case.ranks > 1:
        gathers = (2 * limits.collective("gather_apart") if case.stage == 3
                   else limits.collective("gather_in_place"))
        wire = 4 * model.parameters * (limits.collective("reduce_scatter") + gathers)
    # At stage 0 every rank updates all parameters.
    copies = case.ranks if case.stage == 0 else 1
    update = 28 * model.parameters * copies / limits.bandwidth(case.threads * case.ranks)
    return Limit((model.flops(case.batch, case.seq) - attention) / rate, attention / rate,
                 update, wire)


def quiet(values):
    """The time on a quiet machine: the lower quartile."""
    return sorted(values)[(len(values) - 1) // 4]


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (ordered[middle] if len(ordered) % 2
            else (ordered[middle - 1] + ordered[middle]) / 2)
