#!/usr/bin/env python3
"""Steps of GPT-2 and Llama on one GPU: tokens per second and model-flops utilization.

    benchmark/gpu.py                 on the GPU at hand
    benchmark/gpu.py --dry-run       without one: memory, flops, and what compiles

For each model, the first of these plans that fits --memory, by its certificate, is compiled and
measured.  Times are medians over steps, without the first ones, which load code.  PyTorch
(peers/torch_gpu.py) is measured too if --torch-python has it with CUDA.

    utilization = model flops of a step / seconds of a step / peak of the GPU
    model flops = 6 x weights x tokens + 12 x layers x width x T x tokens

as in appendix B of PaLM (arXiv 2204.02311): weights are those of matrices that multiply a token,
including the head, width is that of all query heads, and T the tokens of a sequence.  Recomputation
does not count; masked attention scores do.
"""
import argparse
import dataclasses
import json
import random
import re
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

import models
import published
from cases import median
from trainer import BUILD, ROOT, ZEROC

MODELS = ROOT / "benchmark" / "models"
#: Name: configuration, sequences per batch.
CASES = {"gpt2-124m": (ROOT / "examples" / "gpt2-small.json", 16), "gpt2-1.5b": (MODELS / "gpt2-1.5b.json", 8),
         "llama-1b": (MODELS / "llama-1b.json", 8), "llama-3b": (MODELS / "llama-3b.json", 8),
         "llama-7b": (MODELS / "llama-7b.json", 4)}
#: In the order in which they are tried, the fastest plan first.
PLANS = {"plain": (), "remat": ("--remat=block",), "all of bf16": ("--master=none", "--state-dtype=bf16"),
         "remat, all of bf16": ("--remat=block", "--master=none", "--state-dtype=bf16"),
         "remat, moments on host": ("--remat=block", "--offload-optimizer=cpu"),
         "remat, state on host": ("--remat=block", "--offload=cpu")}
#: Dense bf16 flops/s of NVIDIA's data sheets, by a part of nvidia-smi's name.
PEAKS = {"H100 PCIe": 756e12, "H100": 989e12, "H200": 989e12, "A100": 312e12}
#: The first steps load code and capture graphs.
WARM_UP = 4


class Failed(Exception):
    pass


@dataclasses.dataclass
class Result:
    name: str
    config: Path
    model: models.Model
    batch: int
    seq: int
    plan: str = None            # the first that fits
    needs: dict = dataclasses.field(default_factory=dict)  # bytes of device and host, of each plan
    seconds: float = None       # of a step, median
    torch: float = None

    @property
    def tokens(self):
        return self.batch * self.seq

    @property
    def flops(self):
        # `models` counts the causal half of attention.
        return 6 * self.model.weights * self.tokens + 2 * self.model.attention_flops(self.batch, self.seq)


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command[:2]))} ... failed\n{done.stderr}")
    return done.stdout


def gpu_at_hand():
    """The GPU's name, or None."""
    try:
        names = run("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()
    except (OSError, Failed):
        return None
    return names[0] if names else None


def peak_of(name):
    return next((peak for part, peak in PEAKS.items() if name and part in name), None)


def size(text):
    """Converts "78GiB" to bytes."""
    match = re.fullmatch(r"([\d.]+)(GiB|MiB)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text} is no size, such as 78GiB")
    return int(float(match[1]) * (1 << (30 if match[2] == "GiB" else 20)))


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)
        self.target = ["--target=cuda", f"--cuda-arch={options.arch}", "--precision=bf16"]

    def import_model(self, result):
        path = self.folder / f"{result.name}.mlir"
        run(ZEROC, "import", result.config, f"--batch={result.batch}", f"--seq={result.seq}", "-o", path)
        return path

    def arenas(self, model, options):
        """Bytes of device and host memory that a plan needs; does not compile it."""
        text = run(ZEROC, model, *self.target, *options, "--emit=memory")
        device, host, _ = re.search(r"zero\.arena = array<i64: (\d+), (\d+), (\d+)>", text).groups()
        return int(device), int(host)

    def choose(self, result, model):
        for plan, options in PLANS.items():
            need = result.needs[plan] = self.arenas(model, options)
            if need[0] <= self.options.memory and result.plan is None:
                result.plan = plan

    def train(self, result, binary):
        """Median seconds of a step."""
        vocab = result.model.vocab
        data, log = self.folder / "tokens.u32", self.folder / "steps.jsonl"
        random.seed(1)
        # As words of a text: the k-th is drawn about 1 / k as often as the first.
        data.write_bytes(array("I", (int(vocab ** random.random()) - 1 for _ in range(4 * result.tokens + 1))).tobytes())
        run(binary, "--data", data, "--steps", WARM_UP + self.options.steps, "--lr", 1e-4, "--metrics", log, "--quiet")
        times = [json.loads(line)["step_ms"] for line in log.read_text().splitlines()]
        return median(times[WARM_UP:]) * 1e-3

    def torch(self, result):
        """Same for PyTorch, or None without PyTorch or without enough memory."""
        try:
            line = run(self.options.torch_python, ROOT / "benchmark" / "peers" / "torch_gpu.py", result.config,
                       result.batch, result.seq, self.options.steps)
            return json.loads(line.splitlines()[-1])["seconds"]
        except (OSError, Failed) as error:
            print(f"{result.name}: no PyTorch beside it: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
            return None

    def measure(self, result, on_gpu):
        model = self.import_model(result)
        self.choose(result, model)
        if result.plan is None:
            return
        binary = self.folder / f"{result.name}.train"
        run(ZEROC, model, *self.target, *PLANS[result.plan], "-o", binary)
        if on_gpu:
            result.seconds = self.train(result, binary)
            if self.options.torch_python:
                result.torch = self.torch(result)
        binary.unlink()


def gib(size):
    return f"{size / 2**30:.1f}"


def memory_table(results):
    """Device and host memory of each plan."""
    lines = ["", "GiB of device memory by certificate (and of host memory); * is compiled",
             f"{'':12}{'batch':>6}" + "".join(f"{plan:>24}" for plan in PLANS)]
    for result in results:
        cells = (gib(need[0]) + (f" (+ {gib(need[1])})" if need[1] else "") + (" *" if plan == result.plan else "")
                 for plan, need in result.needs.items())
        lines.append(f"{result.name:12}{result.batch:6}" + "".join(f"{cell:>24}" for cell in cells))
    return lines


def speed_table(results, peak):
    lines = ["", f"{'':12}{'batch':>6}{'TFLOP a step':>14}{'ms':>9}{'tokens/s':>11}{'utilization':>13}"
                 f"{'PyTorch, tokens/s':>19}  plan"]
    for one in results:
        rate = f"{one.tokens / one.seconds:.0f}" if one.seconds else "-"
        share = f"{one.flops / one.seconds / peak:.1%}" if one.seconds and peak else "-"
        torch = f"{one.tokens / one.torch:.0f}" if one.torch else "-"
        lines.append(f"{one.name:12}{one.batch:6}{one.flops * 1e-12:14.2f}"
                     f"{f'{one.seconds * 1e3:.1f}' if one.seconds else '-':>9}{rate:>11}{share:>13}{torch:>19}  {one.plan or 'does not fit'}")
    return lines


def results_of(options):
    names = options.models.split(",") if options.models else list(CASES)
    for name in names:
        config, batch = CASES.get(name, (Path(name), 8))
        if not config.exists():
            sys.exit(f"gpu.py: error: {name} is no model; give a config.json, or some of {', '.join(CASES)}")
        yield Result(config.stem if name not in CASES else name, config, models.read(config), options.batch or batch,
                     options.seq)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help=f"some of {', '.join(CASES)}, or a config.json [all]")
    parser.add_argument("--arch", default="sm_90", help="zeroc's --cuda-arch [sm_90]")
    parser.add_argument("--memory", type=size, default=size("78GiB"), help="of the GPU, for a plan [78GiB]")
    parser.add_argument("--batch", type=int, help="sequences of a step [of each model its own]")
    parser.add_argument("--seq", type=int, default=1024, help="tokens of a sequence [1024]")
    parser.add_argument("--steps", type=int, default=20, help="that are measured [20]")
    parser.add_argument("--peak", type=float, help="TFLOP/s of bf16 that utilization is of [by the GPU's name]")
    parser.add_argument("--torch-python", default="python3", help='Python with PyTorch; "" for none [python3]')
    parser.add_argument("--dry-run", action="store_true", help="compile and measure nothing")
    options = parser.parse_args()
    name = "the emulated GPU" if options.arch == "emulated" else gpu_at_hand()
    if not name and not options.dry_run:
        sys.exit("gpu.py: error: there is no GPU here (nvidia-smi shows none); --dry-run compiles all models and "
                 "measures nothing")
    on_gpu = bool(name) and not options.dry_run
    peak = options.peak * 1e12 if options.peak else peak_of(name)
    print(f"{name}, peak {peak * 1e-12:.0f} TFLOP/s of bf16" if peak and on_gpu else
          f"{name}, no peak is known; give --peak" if on_gpu else
          f"no GPU is used: plans for {options.arch} with up to {gib(options.memory)} GiB are compiled, none is measured")
    print(f"sequences of {options.seq} tokens, bf16, AdamW; {BUILD}")
    results = list(results_of(options))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for result in results:
            try:
                bench.measure(result, on_gpu)
            except Failed as error:
                failed = True
                print(f"gpu.py: error: {result.name}: {error}", file=sys.stderr)
    print("\n".join(memory_table(results) + speed_table(results, peak)))
    print(published.text())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
