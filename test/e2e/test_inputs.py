"""Model inputs: the ids that tables allow, and samples in files."""
import array
import os
import struct
import subprocess
import time

import support
from support import npy

#: Two tables, so that each input has its own bound.
LOOKUP = """
func.func @loss(
    %wte: tensor<40x6xf32> {{zero.param = "wte", zero.init = #zero.normal<std = 0.5>}},
    %head: tensor<{classes}x6xf32> {{zero.param = "head", zero.init = #zero.normal<std = 0.5>}},
    %tokens: tensor<2x8x{ids}> {{zero.input = "tokens"{tokens}}},
    %targets: tensor<2x8x{ids}> {{zero.input = "targets"{targets}}}) -> tensor<f32> {{
{rows}
  %x = nn.embedding {of}, %wte : tensor<2x8x{ids}>, tensor<40x6xf32> -> tensor<2x8x6xf32>
  %y = nn.linear %x, %head : tensor<2x8x6xf32>, tensor<{classes}x6xf32> -> tensor<2x8x{classes}xf32>
  %l = nn.cross_entropy %y, %targets : tensor<2x8x{classes}xf32>, tensor<2x8x{ids}> -> tensor<f32>
  return %l : tensor<f32>
}}
"""

NEXT = """  %one = arith.constant dense<1> : tensor<2x8xi32>
  %next = arith.addi %tokens, %one : tensor<2x8xi32>"""
CLAMPED = NEXT + """
  %last = arith.constant dense<39> : tensor<2x8xi32>
  %first = arith.constant dense<0> : tensor<2x8xi32>
  %low = arith.maxsi %next, %first : tensor<2x8xi32>
  %near = arith.minsi %low, %last : tensor<2x8xi32>"""


def lookup(classes=40, ids="i32", tokens=None, targets=None, rows="", of="%tokens"):
    def vocab(number):
        return f", zero.vocab = {number} : i64" if number else ""
    return LOOKUP.format(classes=classes, ids=ids, tokens=vocab(tokens), targets=vocab(targets),
                         rows=rows, of=of)


class Ids(support.Case):
    def binary(self, *options, **model):
        path = self.write("lookup.mlir", lookup(**model))
        self.run_ok(support.ZEROC, path, *options, "-o", self.folder / "train")
        return self.folder / "train"

    def start(self, binary, ids):
        data = self.write("ids.u16", struct.pack(f"<{len(ids)}H", *ids))
        return support.run(binary, "--data", data, "--steps", 3, "--lr", 0.1, "--quiet")

    def refuse(self, model, *keywords):
        done = support.run(support.ZEROC, self.write("lookup.mlir", model),
                           "-o", self.folder / "train")
        self.assert_refused(done, *keywords)

    def test_ids_beyond_the_table(self):
        """Without zero.vocab, the rows of the table that an input selects from bound its ids."""
        ids = [5] * 33
        for options in (), ("--reference",):
            binary = self.binary(*options, classes=50)
            for bound, at in (40, 3), (50, 32):
                with self.subTest(options=options, bound=bound):
                    self.assertEqual(self.start(binary, ids).returncode, 0)
                    bad = [*ids[:at], bound, *ids[at + 1:]]
                    name = "tokens" if at < 32 else "targets"
                    self.assert_refused(self.start(binary, bad), f"token {bound} at position {at}",
                                        f"0 to {bound - 1}", f'"{name}"', status=1)
                    self.assertEqual(self.start(binary, [*ids[:at], bound - 1, *ids[at + 1:]])
                                     .returncode, 0)

    def test_each_input_has_its_own(self):
        """Explicit stricter bounds are kept, and bounds are not confused."""
        binary = self.binary(classes=50, tokens=30, targets=45)
        self.assert_refused(self.start(binary, [5] * 10 + [30] + [5] * 22), "0 to 29", '"tokens"')
        self.assert_refused(self.start(binary, [5] * 32 + [45]), "0 to 44", '"targets"')
        self.assertEqual(self.start(binary, [29] * 32 + [44]).returncode, 0)

    def test_larger_than_the_table(self):
        for name in "tokens", "targets":
            line = 5 if name == "tokens" else 6
            self.refuse(lookup(**{name: 41}), rf"lookup\.mlir:{line}:5: error: input \"{name}\"",
                        "zero.vocab = 41", "one of 40")

    def test_computed_ids(self):
        self.refuse(lookup(rows=NEXT, of="%next"), r"lookup\.mlir:\d+:8: error:", "embedding",
                    "zero.vocab")
        self.refuse(lookup(rows=NEXT, of="%next", tokens=40), r"lookup\.mlir:\d+:8: error:",
                    "1 to 40 of 40")
        self.assertEqual(self.start(self.binary(rows=NEXT, of="%next", tokens=39),
                                    [38] * 33).returncode, 0)
        self.assertEqual(self.start(self.binary(rows=CLAMPED, of="%near"),
                                    [39] * 33).returncode, 0)

    def test_plans_that_say_more(self):
        """The judge tracks ids through the kernels of a plan, fused or not."""
        for options in (), ("--reference",), ("--stage=3", "--world-size=2", "--accumulate=2"):
            with self.subTest(options=options):
                model = self.write("lookup.mlir", lookup(classes=50))
                plan = self.run_ok(support.ZEROC, model, *options, "--emit=memory").out
                self.assertIn("zero.vocab = 40", plan)
                for text, refused in ((plan, False), (plan.replace("zero.vocab = 40",
                                                                   "zero.vocab = 41"), True)):
                    done = support.run(support.ZEROC, self.write("plan.mlir", text),
                                       "--emit=memory", "-o", self.folder / "out.mlir")
                    if refused:
                        self.assert_refused(done, "0 to 40 of 40", r"\(S8\)")
                    else:
                        self.assertEqual(done.returncode, 0, done.err)

    def test_64_bit_ids(self):
        """64-bit ids train to the same bits."""
        data = self.folder / "ids.u16"
        support.write_tokens(data, 900, 40)
        saved = {}
        for ids in "i32", "i64":
            for ranks, options in (1, ()), (1, ("--loss-chunk=256",)), (2, ("--stage=3",)):
                binary = self.binary(f"--world-size={ranks}", *options, ids=ids)
                saved[ids, ranks, options] = self.train(binary, data, 5, 1e-2, ranks=ranks,
                                                        name=f"{ids}{ranks}{len(options)}")[1]
        for (ids, ranks, options), path in saved.items():
            self.assert_same_bytes(path, saved["i32", ranks, options])
        reference = self.binary("--reference", ids="i64")
        self.assert_weights_close(self.train(reference, data, 5, 1e-2, name="reference")[1],
                                  saved["i64", 1, ()], 1e-5)

    def test_without_targets(self):
        """A model may predict its own tokens; then T tokens form a sequence."""
        text = lookup().replace('    %targets: tensor<2x8xi32> {zero.input = "targets"}) ', ') ')
        text = text.replace('"tokens"},\n)', '"tokens"})').replace("%y, %targets", "%y, %tokens")
        self.assertNotIn("targets", text)
        self.run_ok(support.ZEROC, self.write("lookup.mlir", text), "-o", self.folder / "train")
        lines = self.train(self.folder / "train", self.write("ids", bytes(range(16))), 30, 0.05)[0]
        self.assertLess(lines[-1]["loss"], 0.5 * lines[0]["loss"])
        done = self.start(self.folder / "train", [1] * 7)
        self.assert_refused(done, "7 tokens", "needs 8")


#: A classifier with three classes: features, and one label each.
CLASSIFIER = """
#rows = affine_map<(r, c) -> (r, c)>
#cols = affine_map<(r, c) -> (c)>
func.func @loss(
    %w1: tensor<5x16xf32> {{zero.param = "w1", zero.init = #zero.normal<std = 0.5>}},
    %b1: tensor<16xf32> {{zero.param = "b1", zero.init = #zero.constant<0.0>}},
    %w2: tensor<3x16xf32> {{zero.param = "w2", zero.init = #zero.normal<std = 0.3>}},
    %features: tensor<{batch}x5xf32> {{zero.input = "features"}},
    %labels: tensor<{batch}x{ids}> {{zero.input = "labels"}}) -> tensor<f32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{batch}x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<{batch}x16xf32>) -> tensor<{batch}x16xf32>
  %p = linalg.matmul ins(%features, %w1 : tensor<{batch}x5xf32>, tensor<5x16xf32>)
                     outs(%z : tensor<{batch}x16xf32>) -> tensor<{batch}x16xf32>
  %h = linalg.generic {{indexing_maps = [#rows, #cols, #rows], iterator_types = ["parallel", "parallel"]}}
      ins(%p, %b1 : tensor<{batch}x16xf32>, tensor<16xf32>) outs(%e : tensor<{batch}x16xf32>) {{
  ^bb0(%x: f32, %b: f32, %o: f32):
    %s = arith.addf %x, %b : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  }} -> tensor<{batch}x16xf32>
  %y = nn.linear %h, %w2 : tensor<{batch}x16xf32>, tensor<3x16xf32> -> tensor<{batch}x3xf32>
  %l = nn.cross_entropy %y, %labels : tensor<{batch}x3xf32>, tensor<{batch}x{ids}> -> tensor<f32>
  return %l : tensor<f32>
}}
"""

#: Linear regression: the mean of squares.
REGRESSION = """
#each = affine_map<(r) -> (r)>
#one = affine_map<(r) -> ()>
func.func @loss(
    %w: tensor<1x5xf32> {{zero.param = "w", zero.init = #zero.constant<0.0>}},
    %b: tensor<1xf32> {{zero.param = "b", zero.init = #zero.constant<0.0>}},
    %x: tensor<{batch}x5xf32> {{zero.input = "x"}},
    %y: tensor<{batch}x1xf32> {{zero.input = "y"}}) -> tensor<f32> {{
  %zero = arith.constant dense<0.0> : tensor<f32>
  %count = arith.constant dense<{batch}.0> : tensor<f32>
  %p = nn.linear %x, %w, %b : tensor<{batch}x5xf32>, tensor<1x5xf32>, tensor<1xf32> -> tensor<{batch}x1xf32>
  %d = arith.subf %p, %y : tensor<{batch}x1xf32>
  %q = arith.mulf %d, %d : tensor<{batch}x1xf32>
  %f = tensor.collapse_shape %q [[0, 1]] : tensor<{batch}x1xf32> into tensor<{batch}xf32>
  %s = linalg.generic {{indexing_maps = [#each, #one], iterator_types = ["reduction"]}}
      ins(%f : tensor<{batch}xf32>) outs(%zero : tensor<f32>) {{
  ^bb0(%v: f32, %sum: f32):
    %next = arith.addf %sum, %v : f32
    linalg.yield %next : f32
  }} -> tensor<f32>
  %l = arith.divf %s, %count : tensor<f32>
  return %l : tensor<f32>
}}
"""

SAMPLES = 60


def points():
    """Returns samples, their weighted sums of features, and the class of each sum."""
    features = [((i * 37 + j * 61) % 101) / 50 - 1 for i in range(SAMPLES) for j in range(5)]
    sums = [sum((j + 1) * 0.2 * features[5 * i + j] for j in range(5)) for i in range(SAMPLES)]
    return features, sums, [0 if s < -0.3 else 1 if s < 0.3 else 2 for s in sums]


def write_points(folder):
    """Files of the samples; returns the options that feed CLASSIFIER and REGRESSION."""
    features, sums, labels = points()
    (folder / "features.npy").write_bytes(npy("f", (SAMPLES, 5), features))
    (folder / "labels.npy").write_bytes(npy("q", (SAMPLES,), labels))
    support.write_safetensors(folder / "points.safetensors", {
        "x": ([SAMPLES, 5], array.array("f", features)),
        "y": ([SAMPLES, 1], array.array("f", [s + 0.5 for s in sums]))})
    return (("--input", f"features={folder / 'features.npy'}", "--input", f"labels={folder / 'labels.npy'}"),
            ("--input", f"x={folder / 'points.safetensors'}:x", "--input", f"y={folder / 'points.safetensors'}:y"))


class Files(support.Case):
    def setUp(self):
        super().setUp()
        self.classes, self.line = write_points(self.folder)
        self.features, self.labels = self.folder / "features.npy", self.folder / "labels.npy"

    def compile(self, text, batch, *options, ids="i64"):
        binary = self.folder / "train"
        self.run_ok(support.ZEROC, self.write("model.mlir", text.format(batch=batch, ids=ids)),
                    *options, "-o", binary)
        return binary

    def fit(self, binary, inputs, steps=40, lr=0.05, ranks=1, name="run"):
        return self.run_plan(binary, *inputs, "--steps", steps, "--lr", lr, "--quiet", ranks=ranks, name=name)[1:]

    def check(self, text, inputs, least, orders):
        """Checks that it learns, and that all stages have the correct bits of stage 0.  `orders`
        are those of micro-steps at each stage."""
        lines, reference = self.fit(self.compile(text, 12, "--reference"), inputs, name="reference")
        self.assertLess(lines[-1]["loss"], least * lines[0]["loss"])
        self.assertIn("samples_per_s", lines[0])
        for ranks, micro_steps in (1, 1), (2, 1), (3, 2):
            first = None
            for stage, order in enumerate(orders if micro_steps > 1 else ("batch",) * 4):
                if stage and ranks == 1:
                    continue
                binary = self.compile(text, 12 // ranks // micro_steps, f"--world-size={ranks}",
                                      f"--stage={stage}", f"--accumulate={micro_steps}",
                                      f"--accumulate-order={order}")
                saved = self.fit(binary, inputs, ranks=ranks, name=f"r{ranks}s{stage}{order}")[1]
                # With micro-steps, stages 2 and 3 have their own sums.
                if first is None or (micro_steps > 1 and stage == 2):
                    first = saved
                self.assert_same_bytes(saved, first)
                # Samples are distributed so that a step has the same ones.
                self.assert_weights_close(saved, reference, 2e-4)

    def test_classifier(self):
        self.check(CLASSIFIER, self.classes, 0.5, ("batch", "block", "block", "batch"))

    def test_regression(self):
        self.check(REGRESSION, self.line, 0.1, ("block", "batch", "batch", "block"))

    def test_other_types_of_the_same_values(self):
        """Values are converted if that is exact."""
        features, _, labels = points()
        binary = self.compile(CLASSIFIER, 12, ids="i32")
        expected = self.fit(binary, self.classes)[1].read_bytes()
        for kind in "b", "B", "i":
            other = self.write("l.npy", npy(kind, (SAMPLES,), labels))
            self.assertEqual(self.fit(binary, (*self.classes[:3], f"labels={other}"))[1].read_bytes(),
                             expected, kind)
        double = self.write("f.npy", npy("d", (SAMPLES, 5), features))
        self.refuse(binary, (f"features={double}", f"labels={self.labels}"), "features", "F64",
                    "float32")

    def refuse(self, binary, inputs, *keywords, status=1, options=(), ranks=1):
        flags = [part for one in inputs for part in ("--input", one)]
        done = support.run(binary, *flags, "--steps", 1, "--lr", 0.1,
                           *options, env=support.MPI_ENVIRONMENT, cwd=self.folder)
        self.assert_refused(done, *keywords, status=status)

    def test_files_that_do_not_fit(self):
        binary = self.compile(CLASSIFIER, 4)
        features, labels = f"features={self.features}", f"labels={self.labels}"
        few = self.write("few.npy", npy("q", (SAMPLES - 1,), [1] * (SAMPLES - 1)))
        wide = self.write("wide.npy", npy("f", (50, 6), [0] * 300))
        beyond = self.write("beyond.npy", npy("q", (SAMPLES,), [1] * 59 + [3]))
        cut = self.write("cut.npy", self.features.read_bytes()[:-4])
        for inputs, keywords in (
                ((features, f"labels={few}"), ("59 samples", "60 samples", r"few\.npy")),
                ((f"features={wide}", labels), ('"features" is 4 x 5', "50 x 6", r"wide\.npy")),
                ((features, f"labels={beyond}"), (r"beyond\.npy", "sample 59 holds 3",
                                                  "0 to 2 or -100", '"labels"')),
                ((f"features={cut}", labels), (r"cut\.npy", "cut short")),
                ((features, f"labels={self.folder}"), ("not a regular file",)),
                ((features, "labels=none.npy"), (r"none\.npy", "no such file"))):
            with self.subTest(inputs=inputs):
                self.refuse(binary, inputs, *keywords)

    def test_a_fifo(self):
        """The program does not wait for the other end."""
        os.mkfifo(self.folder / "fifo")
        self.refuse(self.compile(CLASSIFIER, 4),
                    (f"features={self.features}", f"labels={self.folder / 'fifo'}"),
                    "fifo", "not a regular file")

    def test_file_cut_while_training(self):
        """An error on both ranks that names file and step, and no signal."""
        binary, metrics = self.compile(CLASSIFIER, 4, "--world-size=2"), self.folder / "m.jsonl"
        job = subprocess.Popen(
            [str(part) for part in (binary, *self.classes, "--steps", 1000000,
                                    "--lr", 1e-3, "--metrics", metrics, "--quiet")],
            env={**os.environ, **support.MPI_ENVIRONMENT}, stderr=subprocess.PIPE)
        self.addCleanup(job.kill)
        deadline = time.monotonic() + 60
        while not (metrics.exists() and metrics.read_text().count("\n") > 3):
            self.assertLess(time.monotonic(), deadline, "the job does not train")
            time.sleep(0.02)
        os.truncate(self.features, 0)
        err = job.communicate(timeout=60)[1].decode()
        self.assertEqual(job.returncode, 1, err)
        for rank in 0, 1:
            self.assertRegex(err, rf"rank {rank}: error: (rank \d failed: )?step \d+: "
                                  r".*features\.npy ends at byte 0")

    def test_command_line(self):
        binary = self.compile(CLASSIFIER, 4)
        features, labels = f"features={self.features}", f"labels={self.labels}"
        self.refuse(binary, (features,), "--input labels=FILE is missing", "i64 of 4", status=2)
        self.refuse(binary, (features, labels, "x=f"), "--input x", "features, labels", status=2)
        self.refuse(binary, (features, labels), "--data feeds no input", status=2,
                    options=("--data", self.labels))

    def test_fewer_samples_than_a_batch(self):
        """Samples are repeated, as those of a text are."""
        few = self.write("few.npy", npy("f", (2, 5), [0.5] * 5 + [-0.5] * 5))
        ids = self.write("ids.npy", npy("q", (2,), [0, 2]))
        many = self.write("many.npy", npy("f", (4, 5), ([0.5] * 5 + [-0.5] * 5) * 2))
        more = self.write("more.npy", npy("q", (4,), [0, 2] * 2))
        binary = self.compile(CLASSIFIER, 4)
        once = self.fit(binary, ("--input", f"features={few}", "--input", f"labels={ids}"))[1]
        once = once.read_bytes()
        self.assertEqual(self.fit(binary, ("--input", f"features={many}", "--input",
                                           f"labels={more}"))[1].read_bytes(), once)

    def test_labels_that_are_ignored(self):
        """-100 is not a class, and contributes nothing, as if its sample were missing."""
        features, _, labels = points()
        some = self.write("some.npy", npy("q", (SAMPLES,), [
            -100 if i % 4 == 3 else label for i, label in enumerate(labels)]))
        kept = [i for i in range(SAMPLES) if i % 4 != 3]
        small = self.write("small.npy", npy("f", (45, 5), [features[5 * i + j] for i in kept
                                                            for j in range(5)]))
        rest = self.write("rest.npy", npy("q", (45,), [labels[i] for i in kept]))
        a = self.fit(self.compile(CLASSIFIER, 12), (*self.classes[:3], f"labels={some}"))[1]
        a = a.rename(self.folder / "a.safetensors")
        b = self.fit(self.compile(CLASSIFIER, 9), ("--input", f"features={small}", "--input",
                                                   f"labels={rest}"))[1]
        self.assert_weights_close(a, b, 1e-4)

    def test_ranks_with_other_files(self):
        binary = self.compile(CLASSIFIER, 4, "--world-size=2")
        other = self.write("other.npy", npy("q", (SAMPLES,), [1] * SAMPLES))
        script = self.write("start.sh", f'''#!/bin/sh
labels={self.labels}
[ "${support.RANK_VARIABLE}" = 1 ] && labels={other}
exec {binary} --input features={self.features} --input labels=$labels --steps 1 --lr 0.1
''')
        os.chmod(script, 0o755)
        done = support.run(*support.mpirun(2), script, env=support.MPI_ENVIRONMENT)
        self.assert_refused(done, "rank 1 has other --input files than rank 0")


class Shuffled(support.Case):
    """--shuffle with a rate of 0: the loss of a sequence does not depend on when it is read."""
    SEQUENCES = 12

    def losses(self, ranks, batch, micro_steps, epochs, *flags):
        binary = support.compile_gpt2(support.SMALL, batch, 16, f"--world-size={ranks}", "--stage=1",
                                      f"--accumulate={micro_steps}")
        data = self.write_tokens(self.SEQUENCES * 16 + 1, support.SMALL["vocab_size"])
        steps = epochs * self.SEQUENCES // (ranks * batch * micro_steps)
        lines, _ = self.train(binary, data, steps, 0, *flags, ranks=ranks)
        return [line["loss"] for line in lines]

    def test_epochs(self):
        """Each epoch contains all sequences, in an order given by the seed and the epoch."""
        plain = self.losses(1, 1, 1, 2)
        once = self.losses(1, 1, 1, 2, "--shuffle")
        self.assertEqual(once, self.losses(1, 1, 1, 2, "--shuffle"))
        first, second = once[:self.SEQUENCES], once[self.SEQUENCES:]
        self.assertEqual(plain[:self.SEQUENCES], plain[self.SEQUENCES:])
        for epoch in (first, second):
            self.assertEqual(sorted(epoch), sorted(plain[:self.SEQUENCES]))
            self.assertNotEqual(epoch, plain[:self.SEQUENCES])
        self.assertNotEqual(first, second)

    def test_splits(self):
        """Splits of the same batch into ranks, micro-steps and rows read the same samples."""
        expected = self.losses(1, 6, 1, 2, "--shuffle")
        for ranks, batch, micro_steps in ((2, 3, 1), (3, 2, 1), (1, 2, 3), (3, 1, 2)):
            with self.subTest(ranks=ranks, batch=batch, micro_steps=micro_steps):
                for loss, other in zip(self.losses(ranks, batch, micro_steps, 2, "--shuffle"), expected,
                                       strict=True):
                    self.assert_close(loss, other, 1e-6, "the mean of a batch")
