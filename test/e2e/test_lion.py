"""--optimizer=lion: against PyTorch, against the same rule as a file, over checkpoints."""
import json

import resumes
import support

FILE = support.EXAMPLES / "optimizers" / "lion.mlir"
#: A key's bias does not change the loss: its gradient is only rounding, and Lion uses its sign.
KEYS = slice(64, 128)
#: Of 121,280 weights in 20 steps, those whose mixture of momentum and gradient came so near to zero
#: that f32 rounds it to the other sign.  PyTorch's own f32 has 9.
SIGNS = 24


class Golden(support.Case):
    """20 steps of a tiny GPT-2, which PyTorch trained in float64 (test/golden/make_lion.py)."""

    def check(self, *options, ranks=1):
        golden = json.loads((support.GOLDEN / "lion.json").read_text())
        hyper = golden["hyper"]
        binary = support.compile_gpt2(
            support.GOLDEN / "config.json", golden["batch"] // ranks, golden["seq"], "--optimizer=lion",
            f"--weight-decay={hyper['weight_decay']}", f"--grad-clip={hyper['clip']}", f"--world-size={ranks}", *options)
        lines, saved = self.train(binary, support.GOLDEN / "tokens.bin", golden["steps"], hyper["lr"], "--init",
                                  support.GOLDEN / "model.safetensors", *support.nvme_flags(options, self.folder),
                                  ranks=ranks)
        for step, line in enumerate(lines):
            self.assert_close(line["loss"], golden["loss"][step], 1e-6, f"loss of step {step}")
            self.assert_close(line["grad_norm"], golden["grad_norm"][step], 4e-6, f"gradient norm of step {step}")
        found, expected = map(support.read_safetensors, (saved, support.GOLDEN / "lion.safetensors"))
        self.assertEqual(found.keys(), expected.keys())
        apart = []
        for name, (_, values) in found.items():
            wanted = expected[name][1]
            if name.endswith("c_attn.bias"):
                for biases in (values, wanted):
                    biases[KEYS] = biases[:64]
            apart += [(name, abs(a - b)) for a, b in zip(values, wanted) if not abs(a - b) <= 1e-6]
        self.assertLessEqual(len(apart), SIGNS, apart[:5])
        # A different sign in one step, and its consequences.
        for name, difference in apart:
            self.assertLessEqual(difference, 4.1 * hyper["lr"], name)

    def test_one_rank(self):
        self.check()

    def test_reference(self):
        self.check("--reference")

    def test_stage_3_on_nvme(self):
        self.check("--stage=3", "--offload=nvme", ranks=2)

    def test_stage_2_in_host_memory(self):
        self.check("--stage=2", "--offload-optimizer=cpu", "--overlap-update", ranks=2)


class SameBits(support.Outcomes):
    def weights(self, ranks, options, *rule):
        return self.outcome(*options, *rule, ranks=ranks, steps=5)

    def test_as_the_file(self):
        """The file examples/optimizers/lion.mlir equals the built-in rule, also with other numbers;
        test_plans.py has all plans."""
        numbers = self.weights(1, (), f"--optimizer={FILE}", "--optimizer-numbers=beta1=0.95,beta2=0.98")
        self.assertEqual(self.weights(1, (), "--optimizer=lion", "--betas=0.95,0.98"), numbers)
        self.assertNotEqual(self.weights(1, (), "--optimizer=lion"), numbers)


class Checkpoints(support.Case):
    def test_resumes(self):
        pairs = resumes.Pairs(self.folder)
        layouts = [(1, "--optimizer=lion"),
                   (2, "--optimizer=lion", "--stage=3", "--offload=nvme", "--precision=bf16"),
                   (2, "--optimizer=lion", "--stage=1", "--state-dtype=bf16")]
        for source, target in [(layouts[i], layouts[j]) for i, j in ((0, 0), (1, 1), (0, 1), (1, 0), (2, 2))]:
            with self.subTest(source=source, target=target):
                self.assertIsNone(pairs.problem(source, target))

    def test_from_another_optimizer(self):
        """AdamW's first moment is a mean of gradients, too: it becomes the momentum, and the run
        says what is left out."""
        adamw, lion, sgd = ((1,), (1, "--optimizer=lion"), (1, "--optimizer=sgd"))
        for layout in (adamw, lion):
            done = resumes.train(layout, self.folder, "first", "--checkpoint", self.folder / resumes.name_of(layout),
                                 "--save-every", 3)
            self.assertEqual(done.returncode, 0, done.err)
        line = resumes.command(lion, self.folder, "second", "--resume", self.folder / resumes.name_of(adamw) / "step-3")
        line.remove("--quiet")
        done = support.run(*line)
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn('"v" of the checkpoint is not used: this optimizer does not keep it', done.out + done.err)
        for layout, missing in ((adamw, "v"), (sgd, "momentum")):
            done = resumes.train(layout, self.folder, "second", "--resume", self.folder / resumes.name_of(lion) / "step-3")
            self.assert_refused(done, f'no "{missing}" of parameter', "it has m, param")
