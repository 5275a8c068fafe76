"""Analyses a step's time: reads the output of `--profile`, and compares each part with its cost at the
machine's limits."""
import dataclasses
import re

from cases import limit_of, median

PROFILE = re.compile(r"  (\S+)\s+(.+?)\s+(?:([\d.e+]+)\s+)?([\d.]+)\s+([\d.]+)"
                     r"(?:\s+([\d.]+) (?:GFLOP/s|GB/s))?")
WIRE = re.compile(r"  (\S+)\s+(\S+)\s+(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)(?:\s+[\d.]+ GB/s)?")
PRODUCT = re.compile(r"(.*) (\d+) x (\d+) x (\d+)(?: \((batch|groups) (\d+)\))?")

UPDATE = ("adamw", "lion", "sgd", "sum_squares", "grad_norm")


@dataclasses.dataclass
class Row:
    """Means per step."""
    stream: str
    name: str
    calls: float
    seconds: float
    rate: float = 0  # flop/s of a product, else bytes/s of all operands

    @property
    def product(self):
        """Returns (batch, m, n, k) of a matmul; for a grouped product, the number of groups and the
        sizes of one group with an equal share of the rows."""
        match = PRODUCT.fullmatch(self.name)
        if not match:
            return None
        count, sizes = int(match[6] or 1), [int(match[i]) for i in (2, 3, 4)]
        if match[5] == "groups":
            rows, n, k = sizes
            # The gradient of the weights sums over the rows.
            sizes = ([k, n, rows / count] if match[1].startswith("grouped_matmul_backward")
                     else [rows / count, n, k])
        return (count, *sizes)


@dataclasses.dataclass
class Wire:
    """A kind of collective in one step, of rank 0."""
    stream: str
    name: str
    bytes: float
    seconds: float
    waiting: float


@dataclasses.dataclass
class Profile:
    step: float  # seconds
    rows: list
    wires: list


def parse(text):
    """Returns the profile in the output of a training binary, or None."""
    start = re.search(r"^profile: (\d+) steps?, ([\d.]+) ms each$", text, re.MULTILINE)
    if not start:
        return None
    steps, rows, wires, in_wire = int(start[1]), [], [], False
    for line in text[start.end():].splitlines():
        in_wire = in_wire or line.startswith("wire:")
        if in_wire:
            if match := WIRE.fullmatch(line):
                wires.append(Wire(match[1], match[2], int(match[4]) / steps,
                                  float(match[5]) * 1e-3 / steps,
                                  float(match[6]) * 1e-3 / steps))
        elif match := PROFILE.fullmatch(line.rstrip()):
            rows.append(Row(match[1], match[2], float(match[3] or 0), float(match[4]) * 1e-3,
                            float(match[6] or 0) * 1e9))
    return Profile(float(start[2]) * 1e-3, rows, wires)


def middle(profiles):
    """Returns each line's median over several runs of one binary."""
    def merge(lists, fields):
        merged = []
        for row in lists[0]:
            same = [other for rows in lists for other in rows
                    if (other.stream, other.name) == (row.stream, row.name)]
            merged.append(dataclasses.replace(
                row, **{field: median([getattr(other, field) for other in same])
                        for field in fields}))
        return merged

    return Profile(median([profile.step for profile in profiles]),
                   merge([profile.rows for profile in profiles], ("seconds", "rate")),
                   merge([profile.wires for profile in profiles], ("seconds", "waiting")))


@dataclasses.dataclass
class Part:
    """A share of a step's time; `limit` is its lower bound."""
    name: str
    seconds: float
    limit: float = 0
    flops: float = 0
    rate: float = 0  # bytes/s
    inner: list = dataclasses.field(default_factory=list)

    @property
    def lost(self):
        return self.seconds - self.limit


def _products(case, model, limits, rows):
    """Compares shapes whose rate was measured with that rate, others with the mean rate."""
    inner = []
    for row in rows:
        batch, m, n, k = row.product
        flops = 2 * batch * m * n * k * row.calls
        known = (m, n, k) in model.products(case.tokens)
        rate = (limits.matmul_rate(case.threads, m, n, k) if known
                else limits.rate(case.threads, model, case.tokens))
        inner.append(Part(row.name, row.seconds, flops / rate, flops))
    return Part("matmuls", sum(part.seconds for part in inner),
                sum(part.limit for part in inner), sum(part.flops for part in inner), inner=inner)


def parts_of(case, model, limits, profile, outside):
    """Returns the parts of a step; `outside` is the part of it that the profile lacks."""
    limit = limit_of(case, model, limits)
    compute = [row for row in profile.rows if row.stream == "compute" and row.name != "waiting"]
    waiting = sum(row.seconds for row in profile.rows if row.name == "waiting")
    products = [row for row in compute if row.product]
    rest = [row for row in compute if not row.product]
    attention = [row for row in rest if row.name.startswith("attention")]
    update = [row for row in rest if row.name in UPDATE]
    collectives = [row for row in rest if any(row.name == wire.name for wire in profile.wires)]
    kernels = [row for row in rest if row not in attention + update + collectives]

    def part(name, rows, limit=0, flops=0):
        return Part(name, sum(row.seconds for row in rows), limit, flops,
                    inner=[Part(row.name, row.seconds, rate=row.rate) for row in rows])

    wait = part("collectives, waiting", collectives, limit.wire)
    wait.seconds += waiting
    wait.inner.append(Part("waiting", waiting))
    return [_products(case, model, limits, products),
            part("attention", attention, limit.attention,
                 model.attention_flops(case.batch, case.seq)),
            part("other kernels", kernels), part("update", update, limit.update), wait,
            Part("outside the program", outside)]
