"""zeroc calibrate: measures what this machine needs for a unit of each kind of work, for zeroc simulate.

Small models, which are trained for a few steps, do all kinds of work in many shapes.  The times of their operations are
those of a trace (ZRT_TRACE), the amounts of work are zeroc's (simulate --list-work).
"""
from __future__ import annotations

import array
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from .commands import compile_command, import_command, zeroc
from .errors import UserError, plural
from .options import add_output, parser_of
from .own_files import check_output
from .trace import read_ranks
from .whole_file import check_writable, write_whole

STEPS, SKIPPED, ROUNDS = 5, 2, 3
LARGE_COLLECTIVE = 1 << 16  #: bytes that a rank receives
MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
VOCABULARY = 512  #: tokens of the data; no probe has fewer


def gpt2(width, layers, heads, vocabulary=512):
    return {"model_type": "gpt2", "n_layer": layers, "n_head": heads, "n_embd": width, "vocab_size": vocabulary,
            "n_positions": 1024, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
            "initializer_range": 0.02, "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0,
            "tie_word_embeddings": True}


def llama(width, inner, layers, heads, kv, vocabulary):
    return {"model_type": "llama", "hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers,
            "num_attention_heads": heads, "num_key_value_heads": kv, "vocab_size": vocabulary,
            "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
            "tie_word_embeddings": False, "initializer_range": 0.02}


def mixtral(width, inner, layers, heads, experts):
    return llama(width, inner, layers, heads, heads, 512) | {
        "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": experts,
        "num_experts_per_tok": 2, "output_router_logits": True, "router_aux_loss_coef": 0.01, "sliding_window": None}


#: (name, config, batch, tokens, options) of the models for one rank, and for several.
ALONE = [("wide", gpt2(1024, 1, 16, 4096), 1, 256, []),
         ("narrow", gpt2(320, 3, 5, 2048), 4, 128, []),
         ("long", llama(640, 1728, 1, 10, 5, 8192), 1, 512, []),
         ("rows", llama(896, 2432, 1, 14, 2, 16384), 1, 96, []),
         ("tiny", gpt2(96, 3, 3), 6, 48, [])]
EXPERTS = [("experts", mixtral(384, 512, 2, 6, 4), 2, 128, [])]
SHARED = [(name + "-3", config, batch, tokens, ["--stage=3"]) for name, config, batch, tokens, _ in ALONE] + [
    (name + "-1", config, batch, tokens, ["--stage=1"]) for name, config, batch, tokens, _ in ALONE[1:3]]
#: Ranks that share sequences by twos.
CONTEXTS = [("contexts", llama(640, 1728, 2, 10, 2, 8192), 1, 512, ["--context=2"]),
            ("short-contexts", gpt2(96, 3, 2), 4, 64, ["--context=2"])]
#: Only what these move counts: compute is measured without it.
TIERS = [("host", gpt2(576, 3, 9, 4096), 2, 128, ["--offload=cpu"])]
DISK = [("disk", gpt2(576, 3, 9, 4096), 2, 128, ["--offload=nvme"])]
SUMS = [("sums", gpt2(320, 2, 5, 2048), 2, 128, ["--accumulate=2"])]
PACKED = [(storage, llama(384, 1024, 2, 6, 6, 512), 2, 128, ["--lora=8", f"--base-storage={storage}"])
          for storage in ("nf4", "int8")]


def parser():
    p = parser_of("calibrate")
    add_output(p, "MACHINE.json")
    p.add_argument("--ranks", type=int, action="append", metavar="N",
                   help="ranks that share the machine; may be repeated [1, and 2 if there are two processors]")
    p.add_argument("--threads", type=int, metavar="N", help="threads that compute for a rank [its share]")
    p.add_argument("--precision", action="append", choices=("fp32", "bf16", "fp16"),
                   help="of the models that are measured; may be repeated [fp32 and bf16]")
    p.add_argument("--nvme-path", metavar="DIR", help="a folder on the drive that offloaded state will be on")
    p.add_argument("--name", help="of the machine")
    return p


def cache_bytes():
    """Of the largest cache, or 0 if the system does not say."""
    sizes = []
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text().strip()
        units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
        sizes.append(int(text.rstrip("KMG")) * units.get(text[-1], 1))
    return max(sizes, default=0)


def processor_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "an unknown processor"


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise UserError(f"{' '.join(map(str, command))} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def shared_time(begin, end, others, wants, cores):
    """The seconds that what ran from `begin` to `end` would have taken alone: the time weighted by its speed.

    `others` are (begin, end, wanted cores) of what ran on other streams of the rank.
    """
    points = sorted({begin, end, *(max(begin, min(end, at)) for other in others for at in other[:2])})
    alone = 0
    for low, high in zip(points, points[1:]):
        wanted = wants + sum(more for first, last, more in others if first <= low and last >= high)
        alone += (high - low) * min(1, cores / wanted) if wanted else high - low
    return alone / 1e9


def wanted_cores(stream, threads):
    return {"compute": threads, "nvme_read": 0, "nvme_write": 0}.get(stream, 1)


def quiet(samples):
    """The time on a quiet machine: the lower quartile."""
    return sorted(samples)[(len(samples) - 1) // 4]


def measured(ranks_of_trace, cores, threads):
    """{(program, stream, number): the seconds alone, of all runs and ranks}."""
    arrived = defaultdict(int)  # the last rank's, by collective
    for operations in ranks_of_trace.values():
        for one in operations:
            if one["collective"] is not None:
                key = one["stream"], one["collective"]
                arrived[key] = max(arrived[key], one["arrived"])
    samples = defaultdict(list)
    for operations in ranks_of_trace.values():
        runs = defaultdict(list)
        for one in operations:
            runs[one["run"]].append(one)
        counts = defaultdict(int)  # of runs of a program
        for _, of_run in sorted(runs.items()):
            program = of_run[0]["program"]
            counts[program] += 1
            if counts[program] <= SKIPPED:
                continue
            spans = [(one["begin"], one["end"], wanted_cores(one["stream"], threads), one["stream"]) for one in of_run]
            for one, (begin, end, wants, stream) in zip(of_run, spans):
                others = [span[:3] for span in spans if span[3] != stream and span[0] < end and span[1] > begin]
                seconds = shared_time(begin, end, others, wants, cores)
                if one["collective"] is not None:  # without what it waits for its peers
                    waits = arrived[one["stream"], one["collective"]] - one["arrived"]
                    seconds = max(seconds * (1 - waits / max(end - begin, 1)), 0)
                samples[program, one["stream"], one["number"]].append(seconds)
    return samples


def step_seconds(metrics):
    """Of the steps of a run, from its file of --metrics, which is removed."""
    steps = [json.loads(line)["step_ms"] / 1e3 for line in metrics.read_text().splitlines()][SKIPPED:]
    metrics.unlink()
    return steps


class Probe:
    """A small model, compiled for ranks and a precision."""

    def __init__(self, calibration, name, config, batch, tokens, options, precision):
        base = calibration.folder / f"{name}-{precision}-{calibration.ranks}"
        self.name, self.base = name, base
        config_file, model, self.program = (base.with_suffix(end) for end in (".config", ".mlir", ".train"))
        config_file.write_text(json.dumps(config))
        options = [*options, f"--precision={precision}", f"--world-size={calibration.ranks}"]
        run(import_command(config_file, batch, tokens, [], model))
        run(compile_command(model, options, self.program))
        self.work = json.loads(run([zeroc(), "simulate", model, *options, f"--machine={calibration.machine}",
                                    "--list-work"]))
        self.more = ["--nvme-path", calibration.nvme] if "--offload=nvme" in options else []
        self.more += ["--init", "random"] if any(option.startswith("--lora") for option in options) else []
        self.only_moves = any(option.startswith("--offload") for option in options)
        self.model, self.options = model, options
        self.samples = defaultdict(list)  #: seconds of operations
        self.steps = []  #: seconds of steps
        self.beside = []  #: seconds of steps beside their programs

    def command(self, calibration):
        return [self.program, "--data", calibration.data, "--steps", STEPS, "--lr", "1e-4", "--threads",
                calibration.threads, "--progress", "none", *self.more]

    def measure(self, calibration):
        metrics = self.base.with_suffix(".jsonl")
        run([*self.command(calibration), "--metrics", metrics], env=os.environ | {"ZRT_TRACE": str(self.base)})
        self.steps += step_seconds(metrics)
        for key, seconds in measured(read_ranks(str(self.base)), calibration.cores / calibration.ranks,
                                     calibration.threads).items():
            self.samples[key] += seconds
        if self.name.startswith("tiny"):
            self.beside.append(self.measure_beside(self.command(calibration), self.base))

    def measure_network(self, calibration):
        """What a byte from another host takes of a core: of large collectives by MPI and TCP, had they run alone."""
        run(["mpirun", "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "lo", "--bind-to", "none", "--oversubscribe",
             "-n", calibration.ranks, *self.command(calibration)],
            env=os.environ | MPI_AS_ROOT | {"ZRT_TRACE": str(self.base), "ZRT_RANKS_PER_HOST": "1"})
        samples = measured(read_ranks(str(self.base)), calibration.cores / calibration.ranks, calibration.threads)
        return statistics.median(seconds / received for work, seconds in self.operations(samples)
                                 for kind, received in work.items() if kind.endswith(".byte") and received >= LARGE_COLLECTIVE)

    def operations(self, samples=None):
        """(work, seconds) of each operation, by this probe's samples or others."""
        samples = self.samples if samples is None else samples
        for part in self.work:
            numbers = defaultdict(int)
            for task in part["tasks"]:
                numbers[task["stream"]] += 1
                times = samples.get((part["program"], task["stream"], numbers[task["stream"]]))
                if times and not (self.only_moves and task["stream"] == "compute"):
                    yield task["work"], quiet(times)

    def measure_beside(self, command, base):
        """Seconds of a step without a trace, less those of its programs in the trace."""
        metrics = base.with_suffix(".jsonl")
        run([*command, "--metrics", metrics])
        steps = step_seconds(metrics)
        runs = defaultdict(list)
        for one in read_ranks(str(base))[0]:
            runs[one["run"]] += [one["begin"], one["end"]]
        programs = statistics.median((max(times) - min(times)) / 1e9 for times in list(runs.values())[SKIPPED:])
        return max(statistics.median(steps) - programs, 0)


class Calibration:
    """Times of one layout: so many ranks of so many threads."""

    def __init__(self, folder, ranks, threads, cores, cache, nvme):
        self.folder, self.ranks, self.threads, self.cores, self.nvme = folder, ranks, threads, cores, nvme
        self.machine, self.data = folder / "empty.json", folder / "tokens.u16"
        self.machine.write_text(json.dumps({"machine": "", "target": "cpu", "cores": cores, "cache_bytes": cache,
                                            "layouts": [{"ranks": ranks, "threads": threads, "seconds": {}}]}))
        self.data.write_bytes(array.array("H", ((i * 40503 >> 7) % VOCABULARY for i in range(1 << 16))).tobytes())
        self.probes = []

    def prepare(self, *probe):
        self.probes.append(Probe(self, *probe))

    def measure(self):
        for probe in self.probes:
            probe.measure(self)

    def result(self):
        from .fit import fit  # needs numpy
        seconds, error = fit([operation for probe in self.probes for operation in probe.operations()])
        beside = [seconds for probe in self.probes for seconds in probe.beside]
        seconds["step.call"] = quiet(beside) if beside else 0
        if self.ranks > 1 and shutil.which("mpirun"):
            try:
                seconds["network.byte"] = self.probes[0].measure_network(self)
            except UserError as why:  # what was measured is kept
                say(f"ranks {self.ranks}: {why}\nranks {self.ranks}: the file has no network.byte, what TCP takes of a core")
        return {"ranks": self.ranks, "threads": self.threads, "error": round(error, 4),
                "seconds": {kind: float(f"{value:.4g}") for kind, value in seconds.items()}}

    def longer(self, layout):
        """How many times as long steps take as `layout` says, the median of the models without offload."""
        machine = self.folder / "fitted.json"
        machine.write_text(json.dumps(json.loads(self.machine.read_text()) | {"layouts": [layout]}))
        return statistics.median(quiet(probe.steps) / json.loads(run(
            [zeroc(), "simulate", probe.model, *probe.options, f"--machine={machine}", "--certificate=json",
             f"--threads-per-rank={self.threads}"]))["step_seconds"] for probe in self.probes if not probe.only_moves)


def set_waiting(layouts, longer):
    """Ranks wait for each other: by what their steps take longer, beside those of one rank, `longer` of each layout."""
    alone = [times for layout, times in zip(layouts, longer) if layout["ranks"] == 1]
    for layout, times in zip(layouts, longer):
        if layout["ranks"] > 1:
            layout["waiting"] = round(max(times / max([1, *alone]) - 1, 0), 4)


def main(arguments):
    a = parser().parse_args(arguments)
    for option, value in (*(("--ranks", count) for count in a.ranks or ()), ("--threads", a.threads)):
        if value is not None and value < 1:
            raise UserError(f"{option} must be an integer of at least 1, got {value}")
    check_output(a.o, "a machine", a.force)  # before minutes of measuring
    if a.nvme_path:
        check_writable(a.nvme_path)
    cores = len(os.sched_getaffinity(0))
    ranks = a.ranks or ([1, 2] if cores > 1 else [1])
    cache, layouts, longer = cache_bytes(), [], []
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        for count in ranks:
            threads = a.threads or max(cores // count, 1)
            calibration = Calibration(Path(folder), count, threads, cores, cache, a.nvme_path)
            probes = (ALONE if count == 1 else SHARED) + (CONTEXTS if count % 2 == 0 else []) + EXPERTS + SUMS + PACKED + TIERS + (DISK if a.nvme_path else [])
            for precision in a.precision or ["fp32", "bf16"]:
                for probe in probes:
                    say(f"ranks {count}: compiling {probe[0]}, {precision}")
                    calibration.prepare(*probe, precision)
            for number in range(ROUNDS):
                say(f"ranks {count}: measuring, {number + 1} of {ROUNDS}")
                calibration.measure()
            layouts.append(calibration.result())
            longer.append(calibration.longer(layouts[-1]))
    set_waiting(layouts, longer)
    name = a.name or f"{plural(cores, 'processor')} of {processor_name()}"
    machine = {"machine": name, "target": "cpu", "cores": cores, "cache_bytes": cache, "layouts": layouts,
               "sources": {kind: "measured" for layout in layouts for kind in layout["seconds"]}}
    write_whole(a.o, json.dumps(machine, indent=1) + "\n")
    for layout in layouts:
        print(f"ranks {layout['ranks']} x threads {layout['threads']}: the times of operations are off by "
              f"{100 * layout['error']:.1f} % in the mean")
    print(f"wrote {a.o}")
