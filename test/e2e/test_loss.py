"""Unusual losses: the fused loss and gradient against --reference."""
import array
import random

import covering
import support

BATCH, SEQ, WIDTH = 6, 8, 12
ROWS = BATCH * SEQ

#: %logits of one head, and the inputs of its loss; tests write the rest.
MODEL = """
func.func @loss(
    %wte: tensor<64x{width}xf32> {{zero.param = "wte", zero.init = #zero.normal<std = 1.0>}},
    %head: tensor<{vocab}x{width}xf32> {{zero.param = "head", zero.init = #zero.normal<std = 0.5>}},
    %head2: tensor<{vocab}x{width}xf32> {{zero.param = "head2", zero.init = #zero.normal<std = 0.5>}},
    %scale: tensor<f32> {{zero.param = "scale", zero.init = #zero.constant<0.3>}},
    %table: tensor<{table}x{vocab}xf32> {{zero.param = "table", zero.init = #zero.normal<std = 0.5>}},
    %tokens: tensor<{batch}x8xi32> {{zero.input = "tokens", zero.vocab = {tokens} : i64}},
    %targets: tensor<{batch}x8xi32> {{zero.input = "targets", zero.vocab = {tokens} : i64}}) -> tensor<f32> {{
  %h3 = nn.embedding %tokens, %wte : tensor<{batch}x8xi32>, tensor<64x{width}xf32> -> tensor<{batch}x8x{width}xf32>
  %h = tensor.collapse_shape %h3 [[0, 1], [2]] : tensor<{batch}x8x{width}xf32> into tensor<{rows}x{width}xf32>
  %t = tensor.collapse_shape %targets [[0, 1]] : tensor<{batch}x8xi32> into tensor<{rows}xi32>
  %u = tensor.collapse_shape %tokens [[0, 1]] : tensor<{batch}x8xi32> into tensor<{rows}xi32>
  %logits = nn.linear %h, %head : tensor<{rows}x{width}xf32>, tensor<{vocab}x{width}xf32> -> tensor<{rows}x{vocab}xf32>
{body}
}}
"""

ONE = """
  %loss = nn.cross_entropy %logits, %t {ignore} : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
  return %loss : tensor<f32>
"""

TWO = """
  %logits2 = nn.linear %h, %head2 : tensor<{rows}x{width}xf32>, tensor<{vocab}x{width}xf32> -> tensor<{rows}x{vocab}xf32>
  %a = nn.cross_entropy %logits, %t : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
  %b = nn.cross_entropy %logits2, %u : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
"""

SAME = """
  %a = nn.cross_entropy %logits, %t {{ignore_index = 3 : i32}} : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
  %b = nn.cross_entropy %logits, %u : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
  %c = arith.addf %a, %b : tensor<f32>
  return %c : tensor<f32>
"""

SQUARES = """
  %a = nn.cross_entropy %logits, %t : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %squares = linalg.generic {{indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> ()>],
      iterator_types = ["reduction", "reduction"]}}
      ins(%logits : tensor<{rows}x{vocab}xf32>) outs(%zero : tensor<f32>) {{
  ^bb0(%x: f32, %sum: f32):
    %small = arith.constant 1.0e-3 : f32
    %xx = arith.mulf %x, %x : f32
    %part = arith.mulf %xx, %small : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  }} -> tensor<f32>
  %loss = arith.addf %a, %squares : tensor<f32>
  return %loss : tensor<f32>
"""

#: The logits under another name, with a constant added.
SHIFTED = """
  %shift = arith.constant dense<{shift}> : tensor<{rows}x{vocab}xf32>
  %moved = arith.addf %logits, %shift : tensor<{rows}x{vocab}xf32>
  %goals = arith.constant dense<{goals}> : tensor<{rows}xi32>
  %loss = nn.cross_entropy %moved, %goals {ignore} : tensor<{rows}x{vocab}xf32>, tensor<{rows}xi32> -> tensor<f32>
  return %loss : tensor<f32>
"""


def bits(value):
    """Writes any float, even NaN, for MLIR."""
    return f"0x{array.array('I', array.array('f', [value]).tobytes())[0]:08X}"


def model_text(body, vocab=37, batch=BATCH, table=ROWS, **text):
    text = {"ignore": "", **text, "vocab": vocab, "tokens": min(vocab, 64), "batch": batch,
            "rows": batch * SEQ, "width": WIDTH, "table": table}
    return MODEL.format(body=body.format(**text), **text)


class Losses(support.Case):
    def outcome(self, name, body, *options, vocab=37, ranks=1, **text):
        model = self.write("model.mlir", model_text(body, vocab, **text))
        data = self.write_tokens(2000, min(vocab, 64))
        binary = self.folder / "train"
        self.run_ok(support.ZEROC, model, "--optimizer=sgd", *options, "-o", binary)
        return self.train(binary, data, 4, 0.1, name=name, ranks=ranks)

    def compare(self, fast, slow, loose=1):
        for one, other in zip(fast[0], slow[0]):
            self.assertLessEqual(abs(one["loss"] - other["loss"]),
                                 loose * 2e-6 * max(other["loss"], 1))
            self.assertLessEqual(abs(one["grad_norm"] - other["grad_norm"]),
                                 loose * 2e-5 * max(other["grad_norm"], 0.1))
        self.assert_weights_close(fast[1], slow[1], loose * 1e-5)
        return fast[0]

    def check(self, body, loose=1, **text):
        return self.compare(self.outcome("fast", body, **text),
                            self.outcome("slow", body, "--reference", **text), loose)

    def check_shifted(self, shift, goals, vocab=37, ignore=""):
        rows = [[bits(shift(row, column)) for column in range(vocab)] for row in range(ROWS)]
        text = "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
        self.check(SHIFTED.replace("{ignore}", ignore), vocab=vocab, shift=text,
                   goals=[goals(row) for row in range(ROWS)])

    def test_vocabularies(self):
        for vocab in (1, 2, 7, 8, 15, 16, 17, 64, 131):
            with self.subTest(vocab=vocab):
                self.check(ONE, vocab=vocab)

    def test_logits_with_another_reader(self):
        self.check(SQUARES)

    def test_two_losses_of_the_same_logits(self):
        """They share their exponentials, and both gradients could reuse the memory of the logits."""
        self.check(SAME)

    def test_two_losses_of_the_same_wide_logits(self):
        """A row of logits is larger than a thread's stack.  --reference adds its elements in
        sequence, and is the less exact of the two."""
        self.check(SAME, vocab=300001, batch=1, table=1, loose=2000)

    def test_wide_logits_with_another_reader(self):
        self.check(SQUARES, vocab=300001, batch=1, table=1, loose=2000)

    def test_sum_of_two_losses(self):
        self.check(TWO + """
  %third = arith.constant dense<0.3> : tensor<f32>
  %part = arith.mulf %b, %third : tensor<f32>
  %loss = arith.addf %a, %part : tensor<f32>
  return %loss : tensor<f32>
""")

    def test_product_of_two_losses(self):
        """Each is the other's adjoint."""
        self.check(TWO + """
  %loss = arith.mulf %a, %b : tensor<f32>
  return %loss : tensor<f32>
""")

    def test_adjoint_is_computed(self):
        self.check(ONE.replace("return %loss", """%factor = math.exp %scale : tensor<f32>
  %scaled = arith.mulf %loss, %factor : tensor<f32>
  return %scaled"""))

    def test_adjoint_depends_on_the_loss(self):
        self.check(ONE.replace("return %loss", """%square = arith.mulf %loss, %loss : tensor<f32>
  return %square"""))

    def test_logits_are_a_parameter(self):
        """The gradient must not overwrite logits that are used later."""
        self.check(ONE.replace("%logits,", "%table,"))

    def test_one_row(self):
        """Logits of one dimension, and a target of none."""
        self.check("""
  %row = tensor.extract_slice %logits[1, 0] [1, {vocab}] [1, 1] : tensor<{rows}x{vocab}xf32> to tensor<{vocab}xf32>
  %one = tensor.extract_slice %t[1] [1] [1] : tensor<{rows}xi32> to tensor<i32>
  %loss = nn.cross_entropy %row, %one : tensor<{vocab}xf32>, tensor<i32> -> tensor<f32>
  return %loss : tensor<f32>
""")

    def test_large_logits(self):
        """Far apart, and far from zero: exponentials are of differences."""
        rng = random.Random(3)
        shifts = [[rng.choice((0, 80, -80, -1e30)) for _ in range(37)] for _ in range(ROWS)]
        self.check_shifted(lambda row, column: shifts[row][column],
                           lambda row: max(range(37), key=lambda column: shifts[row][column]))

    def test_classes_without_probability(self):
        """A class is masked by -inf."""
        self.check_shifted(lambda row, column: -float("inf") if column % 3 == row % 3 else 0.0,
                           lambda row: (row + 1) % 3)

    def test_ignored_rows_may_be_anything(self):
        values = (float("nan"), float("inf"), -float("inf"))
        for ignored in (-100, 5, 1000):
            with self.subTest(ignored=ignored):
                self.check_shifted(lambda row, column: values[row % 4] if row % 4 < 3 else 0.0,
                                   lambda row: ignored if row % 4 < 3 else row % 5,
                                   ignore=f"{{{{ignore_index = {ignored} : i32}}}}")

    def test_targets_that_are_no_class(self):
        self.check_shifted(lambda row, column: 2.0, lambda row: (row, -3, 37, 1000)[row % 4] % 40)

    def test_micro_steps(self):
        """Counts of valid targets are averages over micro-steps and ranks."""
        body = ONE.replace("{ignore}", "{{ignore_index = 3 : i32}}")
        slow = self.outcome("slow", body, "--reference")
        bits = {}
        axes = {"layout": ((1, 3), (2, 3), (3, 2)), "stage": (0, 1, 2, 3), "order": ("batch", "block")}
        for row in covering.Table(axes).rows:
            ranks, micro_steps = row["layout"]
            with self.subTest(row):
                fast = self.outcome("fast", body, f"--world-size={ranks}", f"--stage={row['stage']}",
                                    f"--accumulate={micro_steps}", f"--accumulate-order={row['order']}",
                                    ranks=ranks, batch=BATCH // ranks // micro_steps)
                self.compare(fast, slow)
                group = ranks, row["stage"] // 2
                raw = fast[1].read_bytes()
                self.assertTrue(bits.setdefault(group, raw) == raw, "other bits")
