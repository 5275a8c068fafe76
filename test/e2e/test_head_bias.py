"""A trained bias of the logits: its gradient sums rows over the chunks of the loss."""
import support

MODEL = """
func.func @loss(
    %wte: tensor<90x16xf32> {zero.param = "wte", zero.init = #zero.normal<std = 0.5>},
    %head: tensor<90x16xf32> {zero.param = "head", zero.init = #zero.normal<std = 0.5>},
    %bias: tensor<90xf32> {zero.param = "bias", zero.init = #zero.normal<std = 0.5>},
    %tokens: tensor<2x20xi32> {zero.input = "tokens", zero.vocab = 90 : i64},
    %targets: tensor<2x20xi32> {zero.input = "targets", zero.vocab = 90 : i64}) -> tensor<f32> {
  %h = nn.embedding %tokens, %wte : tensor<2x20xi32>, tensor<90x16xf32> -> tensor<2x20x16xf32>
  %logits = nn.linear %h, %head, %bias : tensor<2x20x16xf32>, tensor<90x16xf32>, tensor<90xf32>
      -> tensor<2x20x90xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x20x90xf32>, tensor<2x20xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
"""


class HeadBias(support.Case):
    def test_against_reference(self):
        self.assert_weights_close(self.trained_weights(MODEL, 90, "fast", "--loss-chunk=1"),
                                  self.trained_weights(MODEL, 90, "slow", "--reference"), 1e-5)

    def test_stages_agree(self):
        zero, three = (self.trained_weights(MODEL, 90, f"stage{stage}", "--loss-chunk=1",
                                            f"--stage={stage}", ranks=2).read_bytes()
                       for stage in (0, 3))
        self.assertEqual(zero, three)

    def test_logits_are_never_whole(self):
        model = self.write("model.mlir", MODEL)
        sizes = []
        for chunk in (0, 1):
            plan = self.run_ok(support.ZEROC, model, f"--loss-chunk={chunk}", "--emit=memory").out
            sizes.append(max(plan.count(f"tensor<{rows}x90xf32>") for rows in ("40", "2x20x")))
        self.assertGreater(sizes[0], 0)
        self.assertEqual(sizes[1], 0)
