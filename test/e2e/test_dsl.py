"""Models written in C++: examples/dsl/swiglu-gpt.cpp writes its layers from sums,
products and functions of single elements."""
import support


class Dsl(support.Case):
    def model(self):
        done = self.run_ok(support.BUILD / "bin" / "swiglu-gpt")
        return support.written_model(done.out)

    def learn(self, model, steps, *options, name="run", ranks=1):
        binary = support.compile_model(model, f"--world-size={ranks}", *options)
        data = self.write("text.txt", support.TEXT * 2)
        return self.train(binary, data, steps, 2e-3, name=name, ranks=ranks)

    def test_learns(self):
        lines, _ = self.learn(self.model(), 30, "--precision=bf16", "--remat=block")
        last = sum(line["loss"] for line in lines[-5:]) / 5
        self.assertLess(last, 0.65 * lines[0]["loss"])

    def test_against_reference(self):
        model = self.model()
        fast, fast_saved = self.learn(model, 3, name="fast")
        slow, slow_saved = self.learn(model, 3, "--reference", name="slow")
        for a, b in zip(fast, slow):
            self.assert_close(a["loss"], b["loss"], 1e-5, f"loss of step {a['step']}")
        self.assert_weights_close(fast_saved, slow_saved, 1e-3)

    def test_stages_have_the_same_bits(self):
        model = self.model()

        def outcome(stage):
            lines, saved = self.learn(model, 3, f"--stage={stage}", ranks=2)
            return support.bits_of(lines), support.saved_bytes(saved)

        self.check_same_bits((f"stage {stage}", outcome(stage)) for stage in range(4))
