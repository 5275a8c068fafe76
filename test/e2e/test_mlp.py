"""examples/mlp.mlir: a model written by hand in upstream dialects, trained on text."""
import support

STEPS = 60


class Mlp(support.Case):
    MODEL = support.EXAMPLES / "mlp.mlir"

    def learn(self, lr, *options, steps=STEPS):
        """Returns loss and gradient norm of the run; the loss must fall."""
        binary = support.compile_model(self.MODEL, *options)
        data = self.write("text.txt", support.TEXT)
        lines, saved = self.train(binary, data, steps, lr)
        first = lines[0]["loss"]
        last = sum(line["loss"] for line in lines[-5:]) / 5
        self.assertLess(last, 0.9 * first, f"the loss went from {first} to {last}")
        return lines, saved

    def test_adamw(self):
        self.learn(3e-3, "--optimizer=adamw")

    def test_adamw_without_clipping(self):
        self.learn(3e-3, "--optimizer=adamw", "--grad-clip=0")

    def test_sgd(self):
        self.learn(0.3, "--optimizer=sgd")

    def test_sgd_without_clipping(self):
        self.learn(1.0, "--optimizer=sgd", "--grad-clip=0", "--momentum=0.5")

    def test_against_reference(self):
        fast, fast_saved = self.learn(3e-3, steps=20)
        fast_saved = fast_saved.rename(self.folder / "fast.safetensors")
        slow, slow_saved = self.learn(3e-3, "--reference", steps=20)
        for a, b in zip(fast, slow):
            self.assert_close(a["loss"], b["loss"], 1e-5, f"loss of step {a['step']}")
        self.assert_weights_close(fast_saved, slow_saved, 1e-3)
