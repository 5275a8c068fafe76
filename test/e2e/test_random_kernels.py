"""Random kernels are refused or right: a short run of test/random/kernels.py."""
import contextlib
import io
import json
import sys

import support

sys.path.insert(0, str(support.ROOT / "test" / "random"))
import kernels

#: Sums of fractions depend on the order, which the compiler chooses.
ROUNDED = """module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<1x333xf32>) -> tensor<1xf32>
      units rows [1] {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<1x333xf32>) outs(%f : tensor<1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %c = arith.constant 0.1 : f32
      %m = arith.mulf %a, %c : f32
      %r = arith.addf %o, %m : f32
      linalg.yield %r : f32
    } -> tensor<1xf32>
    zero.return %s : tensor<1xf32>
  }
  zero.program @step() {
    zero.return
  }
}
"""


class RandomKernels(support.Case):
    def test_short_run(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            outcomes = kernels.run(["--kernels=150", "--chaos=1", "--seed=1"])
        text = printed.getvalue()
        found = [line["outcome"] for line in outcomes.values()]
        self.assertEqual(found.count("wrong"), 0, text)
        self.assertGreaterEqual(found.count("right"), 60, text)
        self.assertGreaterEqual(found.count("S6"), 30, text)
        self.assertIn("150 kernels", text)

    def test_comparison_can_fail(self):
        """Wrong numbers, reads of undefined elements, and parse errors are distinguished."""
        undefined = ROUNDED.replace("1x333", "2x3").replace("tensor<1x", "tensor<2x").replace(
            "rows [1]", "rows [2]").replace("mulf %a, %c", "mulf %t, %c").replace(
            "%m =", "%i = arith.constant 5 : index\n      "
            "%t = tensor.extract %x[%i, %i] : tensor<2x3xf32>\n      %m =")
        path = self.write("kernels.mlir", "// -----\n".join(
            [ROUNDED, undefined, "func {", ROUNDED.replace("rows [1]", "rows [3]"),
             ROUNDED.replace("0.1 : f32", "2.0 : f32")]))
        done = support.run(kernels.ZERO_KERNELS, path)
        lines = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual([line["outcome"] for line in lines],
                         ["wrong", "wrong", "IR", "S6", "right"], done.out)
        self.assertIn("result 0: element 0 is", lines[0]["message"])
        self.assertIn("outside of its tensor", lines[1]["message"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(support.run(kernels.ZERO_KERNELS, self.folder / "none").returncode, 2)
