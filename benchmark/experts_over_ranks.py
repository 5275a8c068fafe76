#!/usr/bin/env python3
"""Would mixtures of experts be faster if ranks exchanged tokens rather than experts?

    benchmark/experts_over_ranks.py [--models=FILE,...] [--places=8,64,hosts] [--tokens=4096,16384] [--attention=cudnn]

ZeRO-3 sends the experts to the tokens: each rank gathers all experts of a layer for its own tokens, which `zeroc simulate`
times.  The other way is not built; its time is counted from its exchanges and the machine's rates.  Members of a group keep
1 / G of a layer's experts, gather the group's tokens, compute the rows of their experts, and scatter the partial sums:

    x gathered, y scattered in the forward; x gathered again to recompute; dy gathered, dx scattered in the backward

In R = G rounds, each of 1 / G of the tokens, the worst case has no more rows than a rank's own tokens have in ZeRO-3: no token
is dropped and bytes are static.  A group is a host, or all ranks; the faster one is printed.  Between groups experts travel as
in ZeRO-3, within one not at all.  A rank writes gradients of 1 / G of the experts.  Its products take as long as in ZeRO-3 if
all ranks get as many rows, and UNEVEN times as long on the slowest rank.  Not counted, in favour of this way: routing, sums of
a rank's own partial sums, what rounds cost in `compute`.  Both ways have two bounds: all streams run side by side, or none do.
glm-4.5-air-as-qwen3.json has the sizes of GLM-4.5-Air without its shared expert, with norms of heads and whole rotary heads.
"""
import argparse
import dataclasses
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from trainer import ROOT, ZEROC

MODELS = [ROOT / "benchmark" / "models" / f"{name}.json" for name in ("qwen3-30b-a3b", "glm-4.5-air-as-qwen3")]
PLAN = ["--precision=bf16", "--stage=3", "--remat=block"]
GPU = ["--target=cuda", "--cuda-arch=sm_90"]
UNEVEN = 1.3
#: The stream of a collective, and how often a layer's tokens take it: x twice and dy; y and dx.
EXCHANGES = {"all_gather": ("gather", 3), "reduce_scatter": ("reduce", 2)}
BETWEEN = ("gather_groups", "reduce_groups")
#: Ranks of a host.
MEMBERS = 8


@dataclasses.dataclass(frozen=True)
class Place:
    name: str
    hosts: int
    network: int = 0  # bytes a second of a rank's part of its host's links

    @property
    def options(self):
        between = [f"--ranks-per-host={MEMBERS}", f"--secondary-shard={MEMBERS}", f"--network={self.network}"]
        return [f"--world-size={self.hosts * MEMBERS}", *(between if self.hosts > 1 else [])]


#: An adapter of 400 Gb/s for each GPU, 90 % of it, as machines/h100.json assumes; 1 Gbit/s that the ranks of a host share.
PLACES = {"8": Place("8 H100", 1), "64": Place("64 H100", 8, 45_000_000_000),
          "hosts": Place("2 x 8, 1 Gbit/s", 2, 125_000_000 // MEMBERS)}


@dataclasses.dataclass(frozen=True)
class Model:
    width: int
    experts: dict  # of each bucket that has some: the elements of experts, and of all members


def read(config, plan):
    """The model of a printed plan, whose buckets list their members."""
    experts = {}
    for name, members in re.findall(r"(?m)^ *zero\.bucket @(\w+) .*? members \[(.*)$", plan):
        counts = Counter()
        for member, rows, columns in re.findall(r'#zero\.member<"([^"]+)", (\d+)(?:x(\d+))?', members):
            counts[".experts." in member] += int(rows) * int(columns or 1)
        if counts[True]:
            experts[name] = counts[True], counts.total()
    if not experts:
        sys.exit(f"experts_over_ranks.py: error: {config} has no experts; take a mixture of experts")
    return Model(json.loads(config.read_text())["hidden_size"], experts)


@dataclasses.dataclass
class Way:
    """Seconds of a step by stream, and bytes of a rank."""
    streams: Counter
    memory: float

    def bounds(self):
        """All that travels between hosts shares one link."""
        between = sum(self.streams[stream] for stream in BETWEEN)
        return max(between, *(self.streams[stream] for stream in ("compute", "gather", "reduce"))), self.streams.total()


def peak(program):
    """Bytes by category when they are the most together."""
    memory = program["memory"]["device"]
    return dict(zip(memory["categories"], max(memory["points"], key=lambda point: sum(point[1:]))[1:]))


def zero3(program):
    streams = Counter()
    for task in program["tasks"]:
        streams[task["stream"]] += task["alone"]
    return Way(streams, sum(peak(program).values()))


def exchange(kind, own, group, place, seconds):
    """Seconds by stream to gather or scatter `own` bytes of each rank of a group."""
    stream, hosts = EXCHANGES[kind][0], max(group // MEMBERS, 1)
    calls = group * seconds[f"{kind}.call"]  # one for each round
    within = (MEMBERS - 1) * seconds[f"{kind}.byte"] + (MEMBERS + 1) * seconds["*.memory"]
    times = Counter({stream: calls + hosts * own * within})
    if hosts > 1:
        times[f"{stream}_groups"] = calls + own * ((hosts - 1) / place.network + (hosts + 1) * seconds["*.memory"])
    return times


def tokens_move(program, model, place, seconds, tokens, group, uneven=1.0):
    streams, away, layer = Counter(), 1 - 1 / group, max(experts for experts, _ in model.experts.values())
    for task in program["tasks"]:
        stream, time, words = task["stream"], task["alone"], task["name"].split()
        if words[0] in EXCHANGES and words[-1] in model.experts and (group > MEMBERS or stream not in BETWEEN):
            experts, whole = model.experts[words[-1]]
            call = seconds[f"{words[0]}.call"]
            time = call + (time - call) * (1 - experts / whole)
        elif words[0] == "grouped_matmul":
            time *= uneven
        elif words[0] == "grouped_matmul_backward":  # writes one of three matrices of each expert
            time = uneven * (time - away * 2 * layer / 3 * seconds["*.memory"])
        streams[stream] += time
    own = 2 * tokens * model.width
    for kind, (_, count) in EXCHANGES.items():
        for stream, time in exchange(kind, own, group, place, seconds).items():
            streams[stream] += len(model.experts) * count * time
    # Of whole buckets a member's own experts stay; of --secondary-shard's parts all, unless the group is all ranks.
    bytes = peak(program)
    share = max(experts / whole for experts, whole in model.experts.values())
    parts = 2 * sum(whole for _, whole in model.experts.values()) / MEMBERS if place.hosts > 1 else 0
    less = share * (away * max(bytes["communication"] - parts, 0) + (parts if group > MEMBERS else 0))
    return Way(streams, sum(bytes.values()) - less + 4 * own)  # x, y, dx and dy of a round


def run(*command):
    done = subprocess.run([str(word) for word in (ZEROC, *command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"experts_over_ranks.py: error: {done.stderr.strip()}")
    return done.stdout


def row(name, report, model, place, seconds, tokens):
    step, program = report["step_seconds"], report["programs"][0]
    ours = zero3(program)
    best, group = min(((tokens_move(program, model, place, seconds, tokens, group), group)
                       for group in sorted({MEMBERS, place.hosts * MEMBERS})), key=lambda way: sum(way[0].bounds()))
    uneven = tokens_move(program, model, place, seconds, tokens, group, UNEVEN)
    spans = ["-".join(f"{1e3 * bound:,.0f}" for bound in way.bounds()) for way in (ours, best)]
    ratios = ["-".join(f"{step / bound:.2f}" for bound in reversed(way.bounds())) for way in (best, uneven)]
    memory = [f"{way.memory / 1e9:.0f}" for way in (ours, best)]
    return name, place.name, f"{tokens:,}", f"{1e3 * step:,.0f}", spans[0], str(group), spans[1], *ratios, *memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(map(str, MODELS)), help="config.json files of mixtures of experts")
    parser.add_argument("--places", default=",".join(PLACES), help=f"of {', '.join(PLACES)} [all]")
    parser.add_argument("--tokens", default="4096,16384", help="of a rank [4096,16384]")
    parser.add_argument("--seq", type=int, default=4096, help="tokens of a sequence [4096]")
    parser.add_argument("--attention", help="as of zeroc")
    options = parser.parse_args()
    sizes = [int(tokens) for tokens in options.tokens.split(",")]
    for tokens in sizes:
        if tokens < 1 or tokens % options.seq:
            sys.exit(f"experts_over_ranks.py: error: {tokens} tokens are not sequences of {options.seq}; change --seq")
    plan = PLAN + ([f"--attention={options.attention}"] if options.attention else [])
    file = ROOT / "machines" / "h100.json"
    machine = json.loads(file.read_text())
    # Of members, which are on one host.
    seconds = machine["seconds"] | machine["layouts"][0]["seconds"]
    rows = [("", "", "tokens", "ZeRO-3", "its bounds", "G", "tokens move", "ratio", f"{UNEVEN} uneven", "GB", "GB")]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "model.mlir"
        for config in map(Path, options.models.split(",")):
            for tokens in sizes:
                run("import", config, f"--batch={tokens // options.seq}", f"--seq={options.seq}", "-o", source)
                model = read(config, run(source, *PLAN, "--world-size=8", "--emit=partitioned"))
                for place in (PLACES[name] for name in options.places.split(",")):
                    report = json.loads(run("simulate", source, f"--machine={file}", *GPU, *plan, *place.options,
                                            "--certificate=json"))
                    rows.append(row(config.stem, report, model, place, seconds, tokens))
    print("ms of a step and GB of a rank: ZeRO-3's simulated, those of moved tokens counted; nothing is measured here")
    widths = [max(map(len, column)) for column in zip(*rows)]
    for line in rows:
        print("  ".join(f"{cell:{'<' if at < 2 else '>'}{width}}" for at, (cell, width) in enumerate(zip(line, widths))))


if __name__ == "__main__":
    main()
