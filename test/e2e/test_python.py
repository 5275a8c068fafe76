"""import zeroc: the package, and the examples of docs/python.md."""
import array
import contextlib
import gc
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from unittest import mock

import chats
import support

sys.path.insert(0, str(support.ROOT / "python"))
import zeroc

try:
    import numpy as np
except ImportError:
    pass  # ChatCase skips

DOC = support.ROOT / "docs" / "python.md"
BLOCK = re.compile(r"(<!-- torch -->\n)?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONFIG = dict(model_type="qwen3", hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
              num_key_value_heads=1, head_dim=16, max_position_embeddings=64, tie_word_embeddings=True)


def has_torch():
    try:
        import torch_mlir.fx  # noqa: F401
        return True
    except ImportError:
        return False


class Python(chats.ChatCase):
    def setUp(self):
        super().setUp()
        self.base = self.model(**CONFIG)
        vocab = json.loads((self.base / "config.json").read_text())["vocab_size"]
        self.tokens = self.write_tokens(2000, vocab)
        patched = mock.patch.dict(os.environ, ZEROC_PROGRAM=str(support.ZEROC))
        patched.start()
        self.addCleanup(patched.stop)
        quiet = contextlib.redirect_stdout(io.StringIO())  # of calls that print what a run prints
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def compile(self, **options):
        return zeroc.compile(self.base / "config.json", batch=2, seq=16, **options)

    def test_bits_of_the_command_line(self):
        program = self.compile(stage=3, world_size=2, accumulate=2, optimizer="lion", eval=True)
        self.assertEqual(program.certificate["stage"], 3)
        self.assertIn("--optimizer=lion", program.certificate["options"])
        run = program.train(self.tokens, steps=4, lr=1e-3, seed=7, threads=1, eval_data=self.tokens, eval_every=2)
        lines = list(run)
        self.assertEqual([line["step"] for line in lines if "grad_norm" in line], [0, 1, 2, 3])
        self.assertEqual(sum("eval_loss" in line for line in lines), 2)
        saved, metrics = self.folder / "saved.safetensors", self.folder / "metrics.jsonl"
        self.run_ok(program.path, "--data", self.tokens, "--steps", 4, "--lr", 1e-3, "--seed", 7, "--threads", 1, "--save",
                    saved, "--metrics", metrics, "--eval-data", self.tokens, "--eval-every", 2)
        self.assertEqual([line.get("loss") for line in lines], [line.get("loss") for line in support.read_metrics(metrics)])
        expected = support.read_safetensors(saved)
        self.assertEqual(set(run.weights), set(expected))
        for name, value in run.weights.items():
            shape, values = expected[name]
            self.assertEqual((value.shape, value.tobytes()), (tuple(shape), values.tobytes()))
            self.assertFalse(value.flags.writeable)
            self.assertFalse(value.flags.owndata)

    def test_metrics_of_the_user(self):
        """A file of the user is read as that of the Run is."""
        program, path = self.compile(), self.folder / "own.jsonl"
        for _ in range(2):  # the second run begins it again
            lines = list(program.train(self.tokens, steps=3, lr=1e-3, metrics=path))
            self.assertEqual([line["step"] for line in lines], [0, 1, 2])
            self.assertEqual(lines, support.read_metrics(path))
        with self.assertRaisesRegex(zeroc.Error, "metrics=/dev/null is no file that the Run could read"):
            program.train(self.tokens, steps=3, lr=1e-3, metrics="/dev/null")

    def test_names_of_inputs(self):
        """No name leaves the folder of the run."""
        program = self.compile(import_options={"packed": True})
        rows = np.zeros((4, 16), np.int32)
        outside, inputs = self.folder / "outside", {"tokens": rows, "targets": rows, "starts": rows}
        with self.assertRaisesRegex(zeroc.Error, "the model has no such input"):
            program.train(inputs={**inputs, str(outside): rows}, steps=1, lr=1e-3).wait()
        self.assertEqual(list(self.folder.glob("outside*")), [])
        self.assertEqual(len(list(program.train(inputs=inputs, steps=1, lr=1e-3))), 1)
        inputs["starts"] = rows + (np.arange(16) == 5) * 6
        with self.assertRaisesRegex(zeroc.Error, "sample 0 holds 6 at position 5"):
            list(program.train(inputs=inputs, steps=1, lr=1e-3))

    def test_stops(self):
        checkpoints = self.folder / "run"
        program = self.compile()
        with program.train(self.tokens, steps=10**6, lr=1e-3, checkpoint=checkpoints, save_at_exit=True, wait=False) as run:
            for line in run:
                if line["step"] == 3:
                    break
        self.assertIsNotNone(run.process.poll())
        self.assertTrue(any(checkpoints.glob("step-*")))
        self.assertGreater(len(run.weights), 2)
        # A reader that is slow, and a limit of time.
        run = program.train(self.tokens, steps=10**7, lr=1e-3, wait=False)
        self.assertEqual(next(iter(run))["step"], 0)
        time.sleep(1)
        run.stop()
        self.assertEqual(run.process.poll(), 130)
        run = program.train(self.tokens, steps=10**7, lr=1e-3, time_limit="1s", checkpoint=self.folder / "limited",
                            save_at_exit=True)
        self.assertGreater(sum(1 for _ in run), 1)
        self.assertEqual(run.process.poll(), 75)

    def write_weights(self):
        config = json.loads((self.base / "config.json").read_text())
        self.run_ok(support.compile_model(support.import_model(config, 1, 8)), "--data", self.tokens, "--steps", 1, "--lr",
                    "0", "--save", self.base / "model.safetensors")
        self.chats = self.write("chats.jsonl", "".join(json.dumps({"messages": [
            {"role": "user", "content": "red"}, {"role": "assistant", "content": "blue"}]}) + "\n" for _ in range(40)))

    def finetune(self, wait=False, **options):
        return zeroc.finetune(self.base, self.chats, self.folder / "tuned", accumulate=1, seq=32, threads=1, lr=1e-3,
                              wait=wait, **options)

    def test_finetune(self):
        """Stops what it has started; gives the steps that it did, when it goes on and when it begins again."""
        self.write_weights()
        with self.finetune(steps=10**6, save_every=1000) as run:
            for line in run:
                if line["step"] == 3:
                    break
            begun = time.monotonic()
        self.assertLess(time.monotonic() - begun, 60)
        self.assertLess(len(support.read_metrics(self.folder / "tuned" / "zeroc" / "metrics.jsonl")), 10**6)
        self.assertEqual([line["step"] for line in self.finetune(steps=4, save_every=2, restart=True)], [0, 1, 2, 3])
        shutil.rmtree(self.folder / "tuned" / "zeroc" / "run" / "step-4")
        self.assertEqual([line["step"] for line in self.finetune(steps=4, save_every=2)], [2, 3])
        run = self.finetune(steps=4, save_every=2, restart=True).wait()
        self.assertEqual([line["step"] for line in run], [0, 1, 2, 3])
        self.assertEqual(list(run), [])

    def script(self, out, options, more):
        return [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(support.ROOT / 'python')!r}); import zeroc\n"
                f"run = zeroc.finetune({str(self.base)!r}, {str(self.chats)!r}, {str(self.folder / out)!r}, {options}, seq=32, "
                f"accumulate=1, threads=1)\n{more}"]

    def test_call_alone(self):
        """A call runs to its end, prints what the command prints, and throws its error; Ctrl-C stops it."""
        self.write_weights()
        done = self.run_ok(*self.script("all", "steps=3, progress='lines'", "print(len(list(run)), len(run.weights) > 2)"))
        for text in ("step 2/3  loss ", "wrote ", "\n3 True\n"):
            self.assertIn(text, done.out)
        self.assertTrue((self.folder / "all" / "model.safetensors").exists())
        done = support.run(*self.script("none", "steps=3, optimizer='none'", ""))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.err, r"Error: .*error: .*optimizer")
        left = subprocess.Popen(self.script("stopped", "steps=10**6", ""), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True, text=True)
        metrics = self.folder / "stopped" / "zeroc" / "metrics.jsonl"
        for _ in range(2000):
            if metrics.exists() and metrics.stat().st_size or left.poll() is not None:
                break
            time.sleep(0.02)
        os.killpg(left.pid, signal.SIGINT)
        out, err = left.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", err)
        self.assertTrue(any((self.folder / "stopped" / "zeroc" / "run").glob("step-*")), out)

    def test_end_of_python(self):
        """A run that is not waited for is stopped with the last reference to it, and with Python; a warning says so."""
        self.write_weights()
        with self.assertWarnsRegex(RuntimeWarning, "stopped before its end, because nothing waits for it"):
            run = self.finetune(steps=10**6)
            process = run.process
            del run
            gc.collect()
        self.assertIsNotNone(process.poll())
        done = self.run_ok(*self.script("left", "steps=10**6, wait=False", "next(iter(run)); print(run.process.pid)"))
        self.assertIn("RuntimeWarning: a run of zeroc is stopped", done.err)
        with self.assertRaises(ProcessLookupError):
            os.killpg(int(done.out), 0)

    def test_errors(self):
        program = self.compile()
        for call, *keywords in (
                (lambda: zeroc.compile(self.folder / "none.mlir"), "none.mlir", "No such file"),
                (lambda: zeroc.compile(self.base), "needs batch"),
                (lambda: self.compile(stag=3), "--stag", "--stage"),
                (lambda: zeroc.compile("model.mlir", batch=2), "has its own batch"),
                (lambda: list(program.train(self.folder / "none.bin", steps=1, lr=1)), "none.bin"),
                (lambda: program.train(self.tokens, steps=1, lr=1, seeds=3).wait(), "--seeds"),
                (lambda: list(zeroc.finetune(self.base, self.folder / "none.jsonl", self.folder / "out")), "none.jsonl"),
                (lambda: zeroc.Weights(self.folder / "zeroc-none"), "cannot read"),
                (lambda: zeroc.Weights(self.base), "no *.safetensors"),
                (lambda: zeroc.Weights(self.tokens), "cannot read")):
            with self.subTest(keywords), self.assertRaises(zeroc.Error) as caught:
                call()
            for keyword in keywords:
                self.assertIn(keyword, str(caught.exception))

    def test_weights(self):
        path = self.folder / "kinds.safetensors"
        header = {"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
                  "b": {"dtype": "F32", "shape": [1, 2], "data_offsets": [4, 12]}}
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + b"\x80\x3f\x00\x40" + array.array("f", [1, 2]).tobytes())
        weights = zeroc.Weights(path)
        self.assertEqual(weights["b"].tolist(), [[1, 2]])
        with mock.patch.dict(sys.modules, ml_dtypes=None):
            self.assertEqual(weights["a"].tolist(), [0x3F80, 0x4000])
        for wrong, keyword in (({"shape": [3]}, "8 bytes, and its shape needs 12"), ({"dtype": "F3"}, "nothing that is known")):
            text = json.dumps({"b": {**header["b"], "data_offsets": [0, 8], **wrong}}).encode()
            path.with_name("wrong").write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
            with self.assertRaisesRegex(zeroc.Error, keyword):
                zeroc.Weights(path.with_name("wrong"))
        path.write_bytes(path.read_bytes()[:-1])
        with self.assertRaisesRegex(zeroc.Error, "ends before its tensor b"):
            zeroc.Weights(path)

    def test_examples(self):
        """The examples of the document, in one folder, one after the other."""
        self.write_weights()
        self.base.rename(self.folder / "model")
        self.write("text.txt", "red green blue " * 400)
        names, before = {}, os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        blocks = BLOCK.findall(DOC.read_text())
        self.assertEqual(len(blocks), 6)
        for needs_torch, block in blocks:
            if needs_torch and not has_torch():
                continue
            exec(compile(block, str(DOC), "exec"), names)
        self.assertTrue((self.folder / "train").exists())
        self.assertEqual(names["embedding"].ndim, 2)
        self.assertEqual(len(names["adapters"]) % 2, 0)

    def test_torch(self):
        """Losses and weights of PyTorch's own steps."""
        if not has_torch():
            self.skipTest("torch-mlir is not installed")
        import torch
        torch.manual_seed(1)
        names = {}
        exec(BLOCK.findall(DOC.read_text())[-1][1].split("x, y =")[0], names)
        model, x, y = names["Classifier"](), torch.randn(64, 8), torch.randint(0, 4, (64,))
        plain = dict(optimizer="sgd", momentum=0, weight_decay=0, grad_clip=0)
        for module in (model, torch.export.export(model, (x[:16], y[:16]))):
            run = zeroc.compile(module, (x[:16], y[:16]), **plain).train(inputs={"x": x.numpy(), "y": y.numpy()}, steps=4,
                                                                         lr=0.5)
            losses = [line["loss"] for line in run]
            other = names["Classifier"]()
            other.load_state_dict(model.state_dict())
            optimizer, expected = torch.optim.SGD(other.parameters(), lr=0.5), []
            for first in range(0, 64, 16):
                loss = other(x[first:first + 16], y[first:first + 16])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                expected.append(loss.item())
            np.testing.assert_allclose(losses, expected, atol=1e-6)
            for name, value in other.state_dict().items():
                np.testing.assert_allclose(run.weights[name], value.numpy(), atol=1e-6)
