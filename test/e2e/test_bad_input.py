"""Invalid inputs give a clear error, and no incomplete files."""
import json
import os
import re
import struct

import support

LOSS = """
func.func @loss(
    %w: tensor<256x8xf32> {{zero.param = "w", zero.init = #zero.normal<std = 0.02>}},
    %tokens: tensor<2x8xi32> {{zero.input = "tokens"}},
    %targets: tensor<2x8xi32> {{zero.input = "targets"}}) -> {result} {{
  %x = nn.embedding %tokens, %w : tensor<2x8xi32>, tensor<256x8xf32> -> tensor<2x8x8xf32>
{body}
}}
"""


class Compiler(support.Case):
    """zeroc MODEL"""

    def refuse(self, model, *keywords, options=(), **arguments):
        before = {path.name for path in self.folder.iterdir()}
        done = support.run(support.ZEROC, model, *options, "-o", self.folder / "out",
                           cwd=self.folder, **arguments)
        self.assert_refused(done, *keywords)
        self.assert_files(*before)

    def model(self, body, result="tensor<f32>"):
        return self.write("model.mlir", LOSS.format(body=body, result=result))

    def good(self):
        return support.import_model(support.SMALL, 4, 32)

    def test_missing_file(self):
        self.refuse("nowhere.mlir", r"nowhere\.mlir", "no such file")

    def test_folder_as_model(self):
        (self.folder / "folder").mkdir()
        self.refuse("folder", "folder")

    def test_empty_file(self):
        self.refuse(self.write("empty.mlir", ""), "loss|empty|parameter|function")

    def test_malformed(self):
        self.refuse(self.write("model.mlir", "func.func @loss( {"), r"model\.mlir:1:")

    def test_binary_file(self):
        self.refuse(self.write("model.mlir", os.urandom(4096)), "error")

    def test_truncated_model(self):
        text = self.good().read_text()
        self.refuse(self.write("cut.mlir", text[:len(text) // 2]), r"cut\.mlir:\d+:")

    def test_unknown_operation(self):
        self.refuse(self.model("  %y = \"magic.trick\"(%x) : (tensor<2x8x8xf32>) -> tensor<f32>\n"
                               "  return %y : tensor<f32>"), r"model\.mlir:\d+:", "magic")

    def test_no_derivative(self):
        self.refuse(self.model("  %y = math.clampf %x to [%x, %x] : tensor<2x8x8xf32>\n"
                               "  %l = nn.cross_entropy %y, %targets : tensor<2x8x8xf32>, "
                               "tensor<2x8xi32> -> tensor<f32>\n"
                               "  return %l : tensor<f32>"),
                    r"model\.mlir:\d+:", r"math\.clampf", "no derivative")

    def test_loss_is_no_scalar(self):
        self.refuse(self.model("  return %x : tensor<2x8x8xf32>", result="tensor<2x8x8xf32>"),
                    "scalar", "2x8x8")

    def test_inputs_that_training_lacks(self):
        """The compiler reports them, at the argument."""
        body = """  %y = nn.linear %x, %w : tensor<2x8x8xf32>, tensor<256x8xf32> -> tensor<2x8x256xf32>
  %l = nn.cross_entropy %y, %targets : tensor<2x8x256xf32>, tensor<2x8xi32> -> tensor<f32>
  return %l : tensor<f32>"""
        good = self.model(body).read_text()
        self.refuse(self.write("model.mlir", good.replace(
            "%targets:", '%mask: tensor<2x8xf64> {zero.input = "mask"},\n    %targets:')),
            r"model\.mlir:5:5: error:", '"mask"', "2x8xf64", "cannot feed")
        flat = good.replace("%targets: tensor<2x8xi32>", "%flat: tensor<16xi32>").replace(
            "  %l = ", "  %targets = tensor.expand_shape %flat [[0, 1]] output_shape [2, 8] "
            ": tensor<16xi32> into tensor<2x8xi32>\n  %l = ")
        self.refuse(self.write("model.mlir", flat), r"model\.mlir:5:5: error:", '"targets"',
                    "16 samples", '"tokens" has 2')

    def test_no_parameters(self):
        text = LOSS.format(body="  return %l : tensor<f32>", result="tensor<f32>")
        text = ("func.func @loss(%l: tensor<f32> {zero.input = \"tokens\"}) -> tensor<f32> {\n"
                "  return %l : tensor<f32>\n}\n")
        self.refuse(self.write("model.mlir", text), "param")

    def test_unknown_option(self):
        self.refuse(self.good(), "unknown", "--stag", "--stage", options=("--stag=1",))

    def test_options_of_ranks(self):
        for option, keyword in (("--stage=4", "0, 1, 2 or 3"), ("--stage=two", "0, 1, 2 or 3"),
                                ("--world-size=0", "number of ranks"),
                                ("--world-size=-2", "number of ranks"),
                                ("--accumulate=0", "micro-steps"),
                                ("--bucket-size=0", "number of bytes"),
                                ("--bucket-size=1M", "number of bytes"),
                                ("--bucket-size=9999999999999GiB", "number of bytes"),
                                ("--persist-below=1KiB", "--stage=3"),
                                ("--max-live=1KiB", "--stage=3"), ("--prefetch=1KiB", "--offload"),
                                ("--offload-gradients=cpu", "--accumulate=K"),
                                ("--offload-ratio=0.5", "--offload-optimizer=cpu"), ("--offload-ratio=0", "more than 0"),
                                ("--offload-ratio=2", "at most 1"), ("--remat-ratio=0.5", "--remat=block"),
                                ("--reuse-distance=1KiB", "--stage=3")):
            with self.subTest(option):
                self.refuse(self.good(), option.split("=")[0], keyword, options=(option,))

    def test_reference_of_several_ranks(self):
        for option in ("--world-size=2", "--accumulate=2"):
            with self.subTest(option):
                self.refuse(self.good(), "--reference", option, options=("--reference", option))

    def test_chunks_of_the_loss(self):
        self.refuse(self.good(), "--loss-chunk", "number of bytes", options=("--loss-chunk=-1",))
        self.refuse(self.good(), "--reference", "--loss-chunk",
                    options=("--reference", "--loss-chunk=1KiB"))

    def test_wrong_values(self):
        for option in ("--optimizer=magic", "--betas=0.9", "--betas=2,0.9", "--eps=-1",
                       "--weight-decay=no", "--grad-clip=-1", "--emit=soup", "--cpu=magic",
                       "--eps=nan"):
            with self.subTest(option=option):
                self.refuse(self.good(), option.split("=")[0], options=(option,))

    def test_no_model(self):
        self.assert_refused(support.run(support.ZEROC, cwd=self.folder))
        self.assert_files()

    def test_two_models(self):
        self.refuse(self.good(), "", options=(str(self.good()),))

    def test_unwritable_output(self):
        done = support.run(support.ZEROC, self.good(), "-o", self.folder / "no" / "such" / "out")
        self.assert_refused(done, "out")
        (self.folder / "folder").mkdir()
        done = support.run(support.ZEROC, self.good(), "-o", self.folder / "folder")
        self.assert_refused(done, "folder")
        self.assert_files("folder")

    def test_full_disk(self):
        for emit in ("memory", "obj", "exe"):
            with self.subTest(emit=emit):
                self.refuse(self.good(), options=(f"--emit={emit}",), file_limit=4096)

    def test_failure_keeps_the_old_output(self):
        old = self.write("out", "old")
        done = support.run(support.ZEROC, self.write("model.mlir", "nonsense"), "-o", old)
        self.assert_refused(done)
        self.assertEqual(old.read_text(), "old")
        self.assert_files("out", "model.mlir")


class Import(support.Case):
    """zeroc import CONFIG"""

    def refuse(self, config, *keywords, batch=2, seq=16, **arguments):
        path = config if isinstance(config, str) else self.write("config.json", config)
        before = {path.name for path in self.folder.iterdir()}
        done = support.run(support.ZEROC, "import", path, f"--batch={batch}", f"--seq={seq}", "-o",
                           "model.mlir", cwd=self.folder, **arguments)
        self.assert_refused(done, *keywords)
        self.assert_files(*before)

    def change(self, **values):
        config = {**support.SMALL, **values}
        return {key: value for key, value in config.items() if value is not None}

    def test_missing_file(self):
        self.refuse("nowhere.json", r"nowhere\.json", "no such file")

    def test_not_json(self):
        self.refuse(self.write("c.json", "{\"n_layer\": 2,").name, r"c\.json", "json")

    def test_wrong_values(self):
        for key, value in (("n_layer", 0), ("n_layer", -2), ("n_layer", "2"), ("n_layer", 2.5),
                           ("n_embd", 17), ("n_embd", None), ("vocab_size", None),
                           ("vocab_size", 0), ("n_head", 0), ("n_positions", "many"),
                           ("activation_function", "magic"), ("model_type", "rnn"),
                           ("model_type", None), ("layer_norm_epsilon", -1),
                           ("tie_word_embeddings", "yes")):
            with self.subTest(key=key, value=value):
                self.refuse(self.change(**{key: value}), key)

    def test_sequence_beyond_positions(self):
        self.refuse(support.SMALL, "33", "n_positions", seq=33)

    def test_batch_and_sequence(self):
        for batch, seq in ((0, 16), (-1, 16), ("two", 16), (2, 0), (2, "")):
            with self.subTest(batch=batch, seq=seq):
                self.refuse(support.SMALL, "--batch|--seq", batch=batch, seq=seq)

    def test_full_disk(self):
        self.refuse(support.SMALL, "model.mlir", file_limit=1024)


class Training(support.Case):
    """The training binary."""

    STATUS_USAGE = 2

    def setUp(self):
        super().setUp()
        self.binary = support.compile_gpt2(support.SMALL, 4, 32)
        self.data = self.write("text.txt", support.TEXT)

    def refuse(self, *options, keywords=(), status=None, data=None, binary=None, **arguments):
        before = {path.name for path in self.folder.iterdir()}
        done = support.run(binary or self.binary, "--data", data or self.data, "--steps", 3, "--lr",
                           0.001, *options, cwd=self.folder, **arguments)
        self.assert_refused(done, *keywords, status=status)
        self.assert_files(*before)

    def weights(self):
        _, saved = self.train(self.binary, self.data, 1, 1e-3, name="good")
        (self.folder / "good.jsonl").unlink()
        return saved

    def test_unknown_option(self):
        self.refuse("--magic", keywords=("--magic", "unknown"), status=self.STATUS_USAGE)

    def test_wrong_values(self):
        for option, value in (("--seed", "-1"), ("--threads", "-1"), ("--schedule", "magic"),
                              ("--warmup", "1.5"), ("--min-lr", "0.1"), ("--data-format", "x")):
            with self.subTest(option=option):
                self.refuse(option, value, keywords=(option,), status=self.STATUS_USAGE)

    def test_missing_options(self):
        done = support.run(self.binary, "--data", self.data, "--lr", 1)
        self.assert_refused(done, "--steps", status=self.STATUS_USAGE)

    def test_missing_data(self):
        self.refuse(data="nowhere.bin", keywords=(r"nowhere\.bin", "no such file"))

    def test_empty_data(self):
        self.refuse(data=self.write("empty.txt", ""), keywords=(r"empty\.txt", "33"))

    def test_short_data(self):
        self.refuse(data=self.write("short.txt", "x" * 32), keywords=("32 tokens", "33"))

    def test_half_a_token(self):
        self.refuse(data=self.write("half.u16", b"x" * 101), keywords=(r"half\.u16", "101"))

    def test_token_beyond_vocabulary(self):
        tokens = struct.pack("<100H", *[5] * 70, 256, *[5] * 29)
        self.refuse(data=self.write("tokens.u16", tokens), keywords=("256", "position 70", "vocab"))

    def test_lying_data_header(self):
        header = struct.pack("<256i", 20240520, 1, 1000, *[0] * 253)
        self.refuse(data=self.write("t.bin", header + b"\0" * 200), keywords=("1000", "header"))

    def test_missing_weights(self):
        self.refuse("--init", "nowhere.safetensors", keywords=("nowhere", "no such file"))

    def test_wrong_weights(self):
        """Missing, misshapen, truncated, and invalid headers."""
        good = self.weights()
        raw = good.read_bytes()
        (length,) = struct.unpack_from("<Q", raw)
        header, body = json.loads(raw[8:8 + length]), raw[8 + length:]
        name = "transformer.wpe.weight"
        self.assertIn(name, header)

        def file(changed, data=body):
            text = json.dumps(changed).encode()
            return struct.pack("<Q", len(text)) + text + data

        def entry(**change):
            return {**header, name: {**header[name], **change}}

        tensors = support.read_safetensors(good)
        support.write_safetensors(self.folder / "few.safetensors",
                                  {k: v for k, v in tensors.items() if k != name})
        shape = header[name]["shape"]
        begin, end = header[name]["data_offsets"]
        cases = {
            "missing": ((self.folder / "few.safetensors").read_bytes(), (name, "missing")),
            "misshapen": (file(entry(shape=shape[::-1])), (name, "16 x 32")),
            "truncated": (raw[:-100], ("bytes",)),
            "truncated in the header": (raw[:100], ("header",)),
            "no header": (b"\x08", ("safetensors",)),
            "long header": (struct.pack("<Q", 1 << 60) + raw[8:], ("header",)),
            "no JSON": (struct.pack("<Q", 10) + b"{not json}" + body, ("json",)),
            "short range": (file(entry(data_offsets=[begin, end - 4])), (name,)),
            "outside": (file(entry(data_offsets=[begin, 1 << 50])), (name,)),
            "backwards": (file(entry(data_offsets=[end, begin])), (name,)),
            "negative": (file(entry(shape=[-1, -1])), (name,)),
            "overflowing": (file(entry(shape=[1 << 62, 1 << 62])), (name,)),
            "integers": (file(entry(dtype="I32")), (name, "I32")),
            "more data": (raw + b"\0" * 16, ("16 bytes",)),
        }
        for what, (content, keywords) in cases.items():
            with self.subTest(what=what):
                path = self.write("bad.safetensors", content)
                self.refuse("--init", path, "--save", "out.safetensors", keywords=keywords)

    def test_unwritable_save(self):
        """Found before training, not afterwards."""
        (self.folder / "folder").mkdir()
        os.symlink("nowhere", self.folder / "link")
        for path in ("no/such/out.safetensors", "folder", "link"):
            with self.subTest(path=path):
                done = support.run(self.binary, "--data", self.data, "--steps", 3, "--lr", 1e-3,
                                   "--save", path, cwd=self.folder)
                self.assert_refused(done, path)
                self.assertNotIn("step 0", done.out)

    def test_unwritable_metrics(self):
        self.refuse("--metrics", "no/such/m.jsonl", keywords=("metrics",))

    def test_full_disk_under_metrics(self):
        """Training continues, and its weights are saved."""
        done = support.run(self.binary, "--data", self.data, "--steps", 1, "--lr", 1e-3,
                           "--metrics", "/dev/full", "--save", "out", cwd=self.folder)
        self.assertEqual(done.returncode, 4, done.err)
        self.assertRegex(done.err, "warning: .*metrics.*no space")
        self.assert_same_bytes(self.folder / "out", self.weights())

    def test_a_fifo(self):
        """The program does not wait for the other end."""
        os.mkfifo(self.folder / "fifo")
        self.refuse(data="fifo", keywords=("fifo", "not a regular file"))
        self.refuse("--init", "fifo", keywords=("fifo", "not a regular file"))
        self.refuse("--metrics", "fifo", keywords=("fifo", "nobody reads"))

    def test_divergence(self):
        """Good weights are kept, and the status reports the divergence."""
        good = self.weights()
        raw = good.read_bytes()
        for ranks, binary in enumerate((self.binary, support.compile_gpt2(
                support.SMALL, 2, 32, "--stage=3", "--world-size=2")), 1):
            with self.subTest(ranks=ranks):
                done = support.run(binary, "--data", self.data, "--steps", 1000, "--lr",
                                   1e30, "--init", good, "--save", good, "--metrics", "m.jsonl",
                                   cwd=self.folder, env=support.MPI_ENVIRONMENT)
                self.assertEqual(done.returncode, 3, done.err)
                said = re.findall(r"error: step (\d+): the (?:loss|norm of the gradients) is "
                                  r"-?(?:nan|inf); the training has diverged", done.err)
                lines = (self.folder / "m.jsonl").read_text().splitlines()
                self.assertEqual(said, [str(len(lines) - 1)], done.err)
                self.assertTrue(json.loads(lines[-1])["nonfinite"])
                self.assertTrue(good.read_bytes() == raw, "the good weights changed")

    def test_full_disk_while_saving(self):
        self.refuse("--save", "out.safetensors", keywords=(r"out\.safetensors",), file_limit=4096)

    def test_full_disk_keeps_the_old_weights(self):
        good = self.weights()
        raw = good.read_bytes()
        self.refuse("--save", good, keywords=("unchanged",), file_limit=4096)
        self.assertTrue(good.read_bytes() == raw, "the old file changed")

    def test_one_file_twice(self):
        self.refuse("--save", "x", "--metrics", "x", keywords=("--save", "--metrics"),
                    status=self.STATUS_USAGE)
