#!/usr/bin/env python3
"""Prints what models train to, as a table of checksums: for changes that must move no bit.

    test/checksums/checksums.py -o before.txt                        # then change the compiler
    test/checksums/checksums.py -o after.txt --compare=before.txt    # what is not the same

A line a training run of three steps: losses, gradient norms and rates of all steps to the
last bit, the saved weights, and, to read, the last loss:

    golden/stage-3/accumulate-1/ranks-2  losses 0f5d7c1e8a913b62  weights 77ab...  loss 5.20842791

The models are the golden ones, mlp, those of test/e2e whose sizes, kernels, state and
inputs are odd, those of test/foreign, and random ones of test/random, each a seed.
There are 18 layouts: stages 0 to 3, --accumulate=1 and 3, 2 and 3 ranks, and one rank at
stage 0. Golden, mlp and odd models run in all of them, and at one higher stage on one
rank. Of losses, modules of test/foreign and random models each runs in a third of the
18, by its number, in which all stages are: of 60 random models 20 run in each layout.
Every model runs with --reference, too. Single ranks have two threads.

Then follow the numbers of the memory certificates of GPT-2 124M, stages 0 to 3,
--accumulate=1 and 3, on 1, 2 and 4 ranks, what travels among them.

Lines have the same names and order in every table. A run that fails is a line of `failed`,
and an error. Equal bits are promised on one machine only, so a table says its processor.
All of it is some 1,500 runs, which need a quarter of an hour of processor time.
"""
import argparse
import concurrent.futures
import hashlib
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "random"), str(HERE.parent / "e2e")]

import certificates
import subjects
import support
from workplace import Failure, Workplace

STEPS = 3


class Layout(NamedTuple):
    stage: int
    micro_steps: int
    ranks: int
    reference: bool = False

    def __str__(self):
        return ("reference" if self.reference else
                f"stage-{self.stage}/accumulate-{self.micro_steps}/ranks-{self.ranks}")

    def options(self):
        return ["--reference"] if self.reference else [
            f"--stage={self.stage}", f"--accumulate={self.micro_steps}", f"--world-size={self.ranks}"]


LAYOUTS = [Layout(stage, micro_steps, ranks) for stage in range(4) for micro_steps in (1, 3)
           for ranks in ((2, 3) if stage else (1, 2, 3))]
REFERENCE = Layout(0, 1, 1, reference=True)


def runs(random_models):
    """Returns [(subject, its layouts)]."""
    every, third = subjects.subjects(random_models)
    return ([(subject, [*LAYOUTS, Layout(1 + number % 3, 1, 1), REFERENCE])
             for number, subject in enumerate(every)] +
            [(subject, [*LAYOUTS[number % 3::3], REFERENCE]) for number, subject in enumerate(third)])


def digest(*parts):
    """A digest of 64 bits."""
    return hashlib.sha256(b"\0".join(map(bytes, parts))).hexdigest()[:16]


def summed(outcome):
    """The value of a line.  Nine digits distinguish all f32, so equal numbers are equal bits."""
    losses = [[line.get(name) for name in ("step", "loss", "grad_norm", "lr", "nonfinite")]
              for line in outcome.lines]
    weights = [part for name, (shape, values) in sorted(outcome.weights.items())
               for part in (f"{name} {shape}".encode(), values.tobytes())]
    return (f"losses {digest(repr(losses).encode())}  weights {digest(*weights)}  "
            f"loss {outcome.lines[-1]['loss']}")


def run_subject(subject, layouts):
    """Returns ([(name, value)], failures)."""
    found, failures = [], []
    with tempfile.TemporaryDirectory(prefix="zeroc-checksums-") as folder:
        place, flags, wrong = Workplace(folder), [], None
        try:
            flags = subject.prepare(place)
        except Exception as failure:
            wrong = failure
        for layout in layouts:
            name = f"{subject.name}/{layout}"
            try:
                if wrong:
                    raise wrong
                found.append((name, summed(train(place, subject, layout, flags))))
            except Exception as failure:  # also of reading what was written
                found.append((name, "failed"))
                failures.append(f"{name}: {failure}")
    return found, failures


def train(place, subject, layout, flags):
    options = [*subject.options, *layout.options()]
    if not layout.reference:
        options += subject.layout_options(layout.stage, str(layout))
    place.compile(subjects.MODEL, "train", *options)
    return place.train("train", layout.ranks, *flags, "--threads", 2 if layout.ranks == 1 else 1,
                       steps=STEPS, lr=subject.lr)


def run_certificate(layout):
    name = f"certificate/{certificates.MODEL}/{Layout(*layout)}"
    with tempfile.TemporaryDirectory(prefix="zeroc-checksums-") as folder:
        try:
            return [(f"{name}/{line}", value)
                    for line, value in certificates.of_layout(Workplace(folder), layout)], []
        except Failure as failure:
            return [(name, "failed")], [f"{name}: {failure}"]


def processor():
    """The features of the processor that may affect bits, as far as Linux reports them."""
    fields = dict(re.findall(r"^(\w[\w ]*?)\s*: (.*)$", Path("/proc/cpuinfo").read_text().partition("\n\n")[0],
                             re.MULTILINE))
    return (f"{fields.get('model name')}, family {fields.get('cpu family')}, model {fields.get('model')}, "
            f"{'AVX-512' if 'avx512f' in fields.get('flags', '') else 'no AVX-512'}")


def chooser(patterns, models):
    """Returns a function that tells whether a line of that name is selected."""
    def chosen(name):
        number = re.match(r"random-(\d+)/", name)
        return ((not number or int(number[1]) <= models) and
                (not patterns or any(pattern in name for pattern in patterns)))
    return chosen


def make_table(models, jobs, chosen, report=print):
    """Returns ([(name, value)], failures)."""
    tasks = []
    for subject, layouts in runs(models):
        if layouts := [layout for layout in layouts if chosen(f"{subject.name}/{layout}")]:
            tasks.append((run_subject, subject, layouts))
    tasks += [(run_certificate, layout) for layout in certificates.layouts()
              if chosen(f"certificate/{certificates.MODEL}/{Layout(*layout)}/")]
    lines, failures, said = [], [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, future in enumerate([pool.submit(*task) for task in tasks]):
            found, failed = future.result()
            lines += found
            failures += failed
            if time.monotonic() > said + 60:
                said = time.monotonic()
                report(f"{number + 1} of {len(tasks)} models")
    return lines, failures


def read_table(path):
    """Returns ({name: value}, processor)."""
    lines = path.read_text().splitlines()
    head = [line.removeprefix("# processor: ") for line in lines if line.startswith("# processor: ")]
    return dict(line.split(None, 1) for line in lines if not line.startswith("#")), head[0] if head else None


def differences(before, after):
    """Returns lines that describe the differences."""
    return [f"{name}\n    was {before.get(name, 'not there')}\n    is  {after.get(name, 'not there')}"
            for name in dict.fromkeys([*after, *before]) if before.get(name) != after.get(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zeroc", type=Path, default=support.ZEROC,
                        help="the compiler (default: of ZERO_BUILD_DIR, build/release)")
    parser.add_argument("-o", dest="output", type=Path, help="where to write the table (default: print it)")
    parser.add_argument("--compare", metavar="TABLE", type=Path,
                        help="print the lines that are not as in TABLE; the status is 1 if there are any")
    parser.add_argument("--models", type=int, default=60, help="how many random models (default 60)")
    parser.add_argument("--only", metavar="WORD", action="append",
                        help="lines with this in their names, in both tables; may be given again")
    parser.add_argument("--jobs", type=int, default=3, help="models tried at once (default 3)")
    options = parser.parse_args()
    if min(options.models + 1, options.jobs) < 1:
        parser.error("--models must not be negative, --jobs must be positive")
    support.ZEROC = options.zeroc.resolve()
    support.require_zeroc()
    before, machine = read_table(options.compare) if options.compare else (None, None)

    started = time.monotonic()
    chosen = chooser(options.only, options.models)
    lines, failures = make_table(options.models, options.jobs, chosen,
                                 report=lambda text: print(text, file=sys.stderr, flush=True))
    text = f"# processor: {processor()}\n" + "".join(f"{name}  {value}\n" for name, value in lines)
    if options.output:
        options.output.write_text(text)
    elif before is None:
        print(text, end="")
    for failure in failures:
        print(f"FAIL: {failure}", file=sys.stderr)
    print(f"{len(lines)} lines, {len(failures)} failures, {time.monotonic() - started:.0f} s", file=sys.stderr)
    different = []
    if before is not None:
        if machine != processor():
            print(f"{options.compare} is of another processor: {machine}", file=sys.stderr)
        before = {name: value for name, value in before.items() if chosen(name)}
        different = differences(before, dict(lines))
        print("\n".join([*different, f"{len(different)} of {len(lines)} lines are not as in {options.compare}"]))
    return 1 if failures or different or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
