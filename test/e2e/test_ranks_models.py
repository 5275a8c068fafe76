"""Models with unusual state, over ranks and micro-steps.

Every layout is compared with one rank that has the whole batch.
"""
import array

import covering
import support

#: Parameters without uses, at the front and in the middle; a scalar; two parameters that are each
#: other's gradient; three that share one gradient, in two blocks.
ODD = """
#row = affine_map<(r) -> (r)>
#none = affine_map<(r) -> ()>
func.func @loss(
    %unused: tensor<5xf32> {{zero.param = "unused"}},
    %wte: tensor<64x16xf32> {{zero.param = "h.0.wte", zero.init = #zero.normal<std = 0.5>}},
    %scale: tensor<f32> {{zero.param = "h.0.scale", zero.init = #zero.constant<0.3>}},
    %p: tensor<33xf32> {{zero.param = "h.0.p", zero.init = #zero.normal<std = 0.5>}},
    %q: tensor<33xf32> {{zero.param = "h.1.q", zero.init = #zero.normal<std = 0.5>}},
    %idle: tensor<7x3xf32> {{zero.param = "h.1.idle"}},
    %x1: tensor<16xf32> {{zero.param = "h.1.x1", zero.init = #zero.normal<std = 0.5>}},
    %x2: tensor<16xf32> {{zero.param = "h.1.x2", zero.init = #zero.normal<std = 0.5>}},
    %x3: tensor<16xf32> {{zero.param = "head.x3", zero.init = #zero.normal<std = 0.5>}},
    %head: tensor<16x64xf32> {{zero.param = "head.w", zero.init = #zero.normal<std = 0.3>}},
    %tokens: tensor<{batch}x8xi32> {{zero.input = "tokens", zero.vocab = 64 : i64}},
    %targets: tensor<{batch}x8xi32> {{zero.input = "targets", zero.vocab = 64 : i64}}) -> tensor<f32> {{
  %zero = arith.constant 0.0 : f32
  %e3 = nn.embedding %tokens, %wte : tensor<{batch}x8xi32>, tensor<64x16xf32> -> tensor<{batch}x8x16xf32>
  %e = tensor.collapse_shape %e3 [[0, 1], [2]] : tensor<{batch}x8x16xf32> into tensor<{rows}x16xf32>
  %xa = arith.addf %x1, %x2 : tensor<16xf32>
  %xb = arith.addf %xa, %x3 : tensor<16xf32>
  %empty = tensor.empty() : tensor<{rows}x16xf32>
  %bias = linalg.broadcast ins(%xb : tensor<16xf32>) outs(%empty : tensor<{rows}x16xf32>) dimensions = [0]
  %y = arith.addf %e, %bias : tensor<{rows}x16xf32>
  %logits_empty = tensor.empty() : tensor<{rows}x64xf32>
  %logits_zero = linalg.fill ins(%zero : f32) outs(%logits_empty : tensor<{rows}x64xf32>) -> tensor<{rows}x64xf32>
  %l2 = linalg.matmul ins(%y, %head : tensor<{rows}x16xf32>, tensor<16x64xf32>)
                      outs(%logits_zero : tensor<{rows}x64xf32>) -> tensor<{rows}x64xf32>
  %l3 = tensor.expand_shape %l2 [[0, 1], [2]] output_shape [{batch}, 8, 64]
      : tensor<{rows}x64xf32> into tensor<{batch}x8x64xf32>
  %ce = nn.cross_entropy %l3, %targets {ignore} : tensor<{batch}x8x64xf32>, tensor<{batch}x8xi32> -> tensor<f32>
  %s0 = tensor.empty() : tensor<f32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %pq = linalg.generic {{indexing_maps = [#row, #row, #none], iterator_types = ["reduction"]}}
      ins(%p, %q : tensor<33xf32>, tensor<33xf32>) outs(%s1 : tensor<f32>) {{
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %ab = arith.mulf %a, %b : f32
    %next = arith.addf %ab, %sum : f32
    linalg.yield %next : f32
  }} -> tensor<f32>
  %es = math.exp %scale : tensor<f32>
  %t1 = arith.addf %ce, %pq : tensor<f32>
  %t2 = arith.addf %t1, %es : tensor<f32>
  return %t2 : tensor<f32>
}}
"""


AXES = {
    "layout": ((2, 1), (1, 2), (2, 2), (4, 1)),  # ranks, micro-steps
    "stage": (0, 1, 2, 3),
    "bucket": ("300", "1GiB"),
    "order": ("batch", "block"),
}


def refuses(part):
    return part.get("order") == "block" and part.get("layout", (1, 2))[1] == 1


class Models(support.Case):
    def outcome(self, text, batch, data, *options, ranks=1, ignore="", decay=0.1):
        model = self.write("model.mlir", text.format(batch=batch, rows=batch * 8, ignore=ignore))
        binary = self.folder / "train"
        self.run_ok(support.ZEROC, model, "--optimizer=sgd", f"--weight-decay={decay}",
                    *options, "-o", binary)
        lines, saved = self.train(binary, data, 4, 1e-2, ranks=ranks)
        return lines, support.read_safetensors(saved), saved.read_bytes()

    def check(self, data, ignore=""):
        lines, weights, _ = self.outcome(ODD, 4, data, ignore=ignore)
        bits = {}
        for row in covering.Table(AXES, refuses).rows:
            ranks, micro_steps = row["layout"]
            with self.subTest(row):
                got, now, raw = self.outcome(
                    ODD, 4 // (ranks * micro_steps), data, f"--stage={row['stage']}",
                    f"--bucket-size={row['bucket']}", f"--world-size={ranks}",
                    f"--accumulate={micro_steps}", f"--accumulate-order={row['order']}",
                    ranks=ranks, ignore=ignore)
                for one, other in zip(got, lines):
                    self.assert_close(one["loss"], other["loss"], 2e-6, "loss")
                    self.assert_close(one["grad_norm"], other["grad_norm"], 2e-6, "norm")
                worst, where = support.largest_difference(now, weights)
                self.assertLessEqual(worst, 2e-6, where)
                group = row["layout"], row["stage"] // 2 if micro_steps > 1 else 0
                self.assertTrue(bits.setdefault(group, raw) == raw, "other bits")

    def test_odd_state(self):
        data = self.write_tokens(2000, 64)
        self.check(data)

    def test_ranks_without_targets(self):
        """The loss is averaged over all valid targets, wherever they are: every second sequence has
        only ignored targets."""
        tokens = array.array("H", ((i * 7) % 63 + 1 if (i - 1) // 8 % 2 == 0 else 0
                                   for i in range(2000)))
        data = self.write("tokens.u16", tokens.tobytes())
        self.check(data, ignore="{ignore_index = 0 : i32}")

    def test_no_targets_at_all(self):
        """The loss of no targets is zero, not a division by zero."""
        data = self.write("tokens.u16", array.array("H", [0] * 400).tobytes())
        text = ODD.replace("return %t2", "return %ce")
        lines, _, _ = self.outcome(text, 2, data, decay=0, ignore="{ignore_index = 0 : i32}")
        self.assertEqual([line["loss"] for line in lines], [0] * 4)
        self.assertEqual([line["grad_norm"] for line in lines], [0] * 4)

    def test_empty_parameter(self):
        text = ODD.replace("tensor<5xf32>", "tensor<0xf32>")
        model = self.write("model.mlir", text.format(batch=1, rows=8, ignore=""))
        done = support.run(support.ZEROC, model, "-o", self.folder / "out")
        self.assert_refused(done, r"model\.mlir:\d+:", "unused", "size of 0")
