"""Weights and programs that zeroc writes and reads are unchanged."""
import subprocess

import support


class Weights(support.Case):
    def test_hugging_face_file_survives(self):
        """Loading and saving without a step keeps every tensor, bit for bit."""
        binary = support.compile_gpt2(support.GOLDEN / "config.json", 4, 64)
        source = support.GOLDEN / "model.safetensors"
        _, saved = self.train(binary, support.GOLDEN / "tokens.bin", 0, 1e-3, "--init", source)
        before, after = support.read_safetensors(source), support.read_safetensors(saved)
        self.assertEqual(sorted(before), list(after), "names; they are saved in order")
        for name, (shape, values) in before.items():
            self.assertEqual(shape, after[name][0], name)
            self.assertTrue(values.tobytes() == after[name][1].tobytes(), name)

    def test_saved_file_loads_again(self):
        for config, batch, seq in ((support.SMALL, 4, 32), (support.ODD, 3, 23)):
            with self.subTest(config=config):
                binary = support.compile_gpt2(config, batch, seq)
                data = self.write_tokens(3 * batch * seq + 1, config["vocab_size"])
                _, first = self.train(binary, data, 3, 1e-3, name="first")
                _, again = self.train(binary, data, 0, 1e-3, "--init", first, name="again")
                self.assert_same_bytes(first, again)

    def test_names_without_prefix(self):
        """Files of the bare GPT-2 module lack the leading "transformer."."""
        binary = support.compile_gpt2(support.SMALL, 4, 32)
        data = self.write("text.txt", support.TEXT)
        _, first = self.train(binary, data, 2, 1e-3, name="first")
        bare = {name.removeprefix("transformer."): tensor
                for name, tensor in support.read_safetensors(first).items()}
        support.write_safetensors(self.folder / "bare.safetensors", bare)
        _, again = self.train(binary, data, 0, 1e-3, "--init", "bare.safetensors", name="again")
        self.assert_same_bytes(first, again)


class Names(support.Case):
    LEVELS = ("model", "step", "kernels", "partitioned", "scheduled", "memory")

    def known(self, model, *options):
        """Returns the certificate, and all names in profiles, traces and errors of a run."""
        binary = self.folder / "train"
        certificate = self.run_ok(support.ZEROC, model, *options, "-o", binary).out
        plan = self.run_ok(binary, "--plan").out.splitlines()
        return certificate, plan[1:]  # without the name of the file

    def check(self, model, *options):
        certificate, plan = self.known(model, *options)
        self.assertNotIn("nn.", certificate)
        self.assertNotIn("zero.", certificate)
        self.assertRegex("\n".join(plan), r"launch +kernel\.1 of ")
        for line in plan:
            self.assertNotRegex(line, r"(launch +\w+\.\d+|matmul +matmul) (?!of )")
        for level in self.LEVELS:
            with self.subTest(model=model, level=level):
                printed, again = self.folder / f"{level}.mlir", self.folder / "again.mlir"
                early = level in ("model", "step", "kernels")
                before, after = ((), options) if early else (options, ())
                self.run_ok(support.ZEROC, model, *before, f"--emit={level}", "-o", printed)
                self.run_ok(support.ZEROC, printed, f"--emit={level}", "-o", again)
                self.assert_same_bytes(printed, again)
                self.assertEqual(self.known(printed, *after), (certificate, plan))

    def test_of_an_imported_model(self):
        self.check(support.import_model(support.SMALL, 4, 32), "--stage=3", "--world-size=2")

    def test_of_a_model_by_hand(self):
        self.check(support.EXAMPLES / "mlp.mlir", "--accumulate=2", "--offload=cpu")

    def test_of_a_printed_module(self):
        for name in "torch_group_norm", "jax_attention_heads":
            self.check(support.ROOT / f"test/foreign/modules/{name}.mlir")


class Programs(support.Case):
    LEVELS = ("model", "step", "kernels", "partitioned", "scheduled", "memory")

    def setUp(self):
        super().setUp()
        self.model = support.import_model(support.SMALL, 4, 32)
        self.data = self.write("text.txt", support.TEXT)
        direct = support.compile_model(self.model)
        self.lines, self.saved = self.train(direct, self.data, 4, 1e-3, name="direct")

    def check(self, binary, name):
        lines, saved = self.train(binary, self.data, 4, 1e-3, name=name)
        self.assertEqual([line["loss"] for line in lines], [line["loss"] for line in self.lines])
        self.assert_same_bytes(saved, self.saved)

    def test_printed_levels_compile(self):
        """A program printed at any level compiles to the same training."""
        for level in self.LEVELS:
            with self.subTest(level=level):
                printed = self.folder / f"{level}.mlir"
                self.run_ok(support.ZEROC, self.model, f"--emit={level}", "-o", printed)
                binary = self.folder / f"train-{level}"
                self.run_ok(support.ZEROC, printed, "-o", binary)
                self.check(binary, level)

    def test_pipe(self):
        """zeroc MODEL --emit=memory | zeroc - -o train"""
        printed = self.run_ok(support.ZEROC, self.model, "--emit=memory")
        binary = self.folder / "train-piped"
        self.run_ok(support.ZEROC, "-", "-o", binary, stdin=printed.stdout)
        self.check(binary, "piped")

    def test_binary_stands_alone(self):
        """It needs neither zeroc nor LLVM."""
        binary = support.compile_model(self.model)
        needed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True).stdout
        self.assertIn("libstdc++", needed)
        self.assertNotRegex(needed, "LLVM|MLIR|dnnl|gomp")
        self.assertNotIn("not found", needed)
