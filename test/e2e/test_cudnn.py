"""Attention by cuDNN, --attention=cudnn.  The library is that of test/fakecuda, which computes the graphs that the
runtime makes operation by operation, in f64."""
import json
import os
import unittest
from pathlib import Path

import support
import test_cuda

CUDNN = "--attention=cudnn"
#: Three query heads on one of keys; every other layer has a window.
GEMMA3 = dict(model_type="gemma3_text", hidden_size=24, intermediate_size=40, num_hidden_layers=2,
              num_attention_heads=3, num_key_value_heads=1, head_dim=8, vocab_size=131, max_position_embeddings=96,
              sliding_window=5, query_pre_attn_scalar=8, hidden_activation="gelu_pytorch_tanh", rms_norm_eps=1e-6,
              rope_theta=10000.0, sliding_window_pattern=2)


@unittest.skipUnless((test_cuda.FAKE / "libcudnn.so.9").exists(), "this build has no cuDNN: its header was not found")
class Cudnn(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(4000, 131)
        self.kept = self.folder / "run" / "matmuls.json"

    def program(self, *options, config=support.SMALL, batch=2, precision="bf16"):
        return support.compile_gpt2(config, batch, 16, test_cuda.CPU, *test_cuda.GPU, f"--precision={precision}",
                                    *options)

    def start(self, binary, *run, ranks=1, steps=2, **more):
        env = test_cuda.fake(**more)
        return support.run(*support.launcher(ranks, env), binary, "--data", self.data, "--steps", steps, "--lr", 1e-2,
                           *run, cwd=self.folder, env={**support.MPI_ENVIRONMENT, **env})

    def losses(self, *options, ranks=1, steps=20, seed=1, **how):
        lines, _ = self.train(self.program(*options, **how), self.data, steps, 1e-3, ranks=ranks,
                              env=test_cuda.fake(seed))
        return [line["loss"] for line in lines]

    def compare(self, *options, **how):
        """The losses of 20 steps are those of the tensor cores' kernels, as far as 16 bits go."""
        for found, expected in zip(self.losses(CUDNN, *options, **how), self.losses(*options, **how), strict=True):
            self.assert_close(found, expected, 2e-3, "a loss")

    def test_losses(self):
        self.compare()
        self.compare(precision="fp16")

    def test_windows_and_shared_heads(self):
        self.compare(config=GEMMA3)

    def test_sequences_over_ranks(self):
        self.compare("--context=2", "--world-size=2", *test_cuda.HOST, ranks=2, batch=1)

    def test_stages(self):
        """Stages, and batches one after another, have the same bits in every order of the GPU."""
        outcomes = []
        for stage, seed in ((0, 1), (1, 2), (3, 3)):
            options = [CUDNN, *test_cuda.HOST, "--world-size=2", f"--stage={stage}"]
            binary = self.program(*options, batch=1)
            outcomes.append((f"stage {stage}", self.outcome_of(
                binary, self.data, 3, 1e-2, name=f"stage{stage}", ranks=2, env=test_cuda.fake(seed))))
        self.check_same_bits(outcomes)

    def test_recomputation_and_evaluation(self):
        binary = self.program(CUDNN, "--remat=block", "--eval")
        done = self.start(binary, "--eval-data", self.data, "--eval-every", 1, "--eval-batches", 1)
        self.assertEqual(done.returncode, 0, done.err)

    def test_device_check(self):
        """The twins on processors agree, and the workspace is not compared."""
        check = f"--device-check={self.folder / 'check.json'}"
        done = support.run(self.program(CUDNN), check, cwd=self.folder, env=test_cuda.fake())
        self.assertEqual(done.returncode, 0, done.out + done.err)
        self.assertRegex(done.out, "attention")
        done = support.run(self.program(CUDNN), check, cwd=self.folder,
                           env=test_cuda.fake(FAKE_CUDA_WRONG="cudnnBackendExecute"))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.out, "FAIL")

    def test_a_run_goes_on_with_its_engines(self):
        """An engine is named in the file beside the checkpoints; one that is not deterministic never runs."""
        binary = self.program(CUDNN)
        done = self.start(binary, "--checkpoint", "run", "--save-every", 1, steps=1)
        self.assertEqual(done.returncode, 0, done.err)
        engines = json.loads(self.kept.read_text())
        self.assertEqual(engines["attention_library"], "cuDNN 91900")
        self.assertEqual(set(engines["attentions"].values()), {"engine 6 (knob 24: 6)"})
        self.assertEqual(len(engines["attentions"]), 2)
        # Another engine is faster now.
        done = self.start(binary, "--resume", "run", "--checkpoint", "other", "--save-every", 1,
                          FAKE_CUDNN_ENGINES="7,6")
        self.assertEqual(done.returncode, 0, done.err)
        other = json.loads((self.folder / "other" / "matmuls.json").read_text())
        self.assertEqual(other["attentions"], engines["attentions"])
        done = self.start(binary, "--resume", "run", FAKE_CUDNN_ENGINES="7,8")
        self.assert_refused(done, r"was computed by engine 6 \(knob 24: 6\), which cuDNN 91900 does not have for it, "
                                  r"but engine 7 \(knob 24: 7\), engine 8", "--retune-matmuls", status=1)
        done = self.start(binary, "--resume", "run", FAKE_CUDNN_VERSION="92000")
        self.assert_refused(done, "are those of cuDNN 91900, and here is cuDNN 92000", "--retune-matmuls", status=1)
        self.kept.write_text(json.dumps({**engines, "attentions": {"one": 6}}))
        done = self.start(binary, "--resume", "run")
        self.assert_refused(done, "run/matmuls.json", "at one: the engine is not a text", status=1)

    def test_what_is_refused_at_the_start(self):
        binary = self.program(CUDNN)
        done = self.start(binary, FAKE_CUDNN_MORE="1000000")
        self.assert_refused(done, "needs a workspace of 1000256 bytes for attention of 2 x 16 queries and 16 keys, "
                                  "2 heads of 8 columns, 2 of keys, bf16, causal, rows 48 48 48 16 apart, and the plan "
                                  "has 4096 for it", "--attention=cudnn")
        self.assert_refused(self.start(binary, FAKE_CUDNN_ENGINES="3:unsteady"),
                            "cuDNN 91900 has no engine for", "equal bits")
        self.assert_refused(self.start(binary, FAKE_CUDNN_VERSION="90500"),
                            "this is cuDNN 90500, and --attention=cudnn needs 91600")
        # What is no library, before the fake ones.
        (self.folder / "libcudnn.so.9").touch()
        self.assert_refused(self.start(binary, LD_LIBRARY_PATH=f"{self.folder}:{test_cuda.FAKE}"),
                            r"needs NVIDIA's cuDNN \(--attention=cudnn\): .*libcudnn.so.9: .*; install it, or name its "
                            "folder in LD_LIBRARY_PATH")

    def test_models_that_cudnn_does_not_have(self):
        def refuse(*words, config=support.SMALL, imported=(), precision="bf16"):
            model = support.import_model(config, 2, 16, *imported)
            done = support.run(support.ZEROC, model, *test_cuda.GPU, CUDNN, f"--precision={precision}", "-o",
                               self.folder / "refused")
            self.assert_refused(done, *words, "drop --attention=cudnn")
        refuse("h.0.attn multiplies f32, and cuDNN's bf16 or f16; add --precision=bf16 or drop", precision="fp32")
        refuse("has heads of 13 columns", config=support.ODD)
        refuse("scores that are capped at 5", config=test_cuda.GEMMA2)
        refuse("has dropout of 0.1", config={**support.SMALL, "attn_pdrop": 0.1}, imported=["--dropout"])
        refuse("stays within documents", config={**GEMMA3, "vocab_size": 256}, imported=["--document-separator=5"])

    def test_where_it_is_no_option(self):
        model = support.import_model(support.SMALL, 2, 16)
        self.assert_refused(support.run(support.ZEROC, model, CUDNN, "-o", self.folder / "cpu"), "is for GPUs")
        plan = self.folder / "plan.mlir"
        self.run_ok(support.ZEROC, model, *test_cuda.GPU, "--precision=bf16", "--emit=memory", "-o", plan)
        done = support.run(support.ZEROC, plan, *test_cuda.GPU, CUDNN, "-o", self.folder / "late")
        self.assert_refused(done, "--attention comes too late")

    def test_printed_plans(self):
        """A printed plan has cuDNN's operations, and no option is needed with it.  Sequences one after another have
        the bits of all at once."""
        model, plan = support.import_model(support.SMALL, 2, 16), self.folder / "plan.mlir"
        self.run_ok(support.ZEROC, model, *test_cuda.GPU, "--precision=bf16", CUDNN, "--emit=memory", "-o", plan)
        text, parts = plan.read_text(), self.folder / "parts.mlir"
        # Sums of 64 rows, 64 x 128 gradients of scores of each of four or two heads, and what the library takes.
        both, one = 64 + 4 * 64 * 128 // 2 + 1024, 64 + 2 * 64 * 128 // 2 + 1024
        self.assertIn("at_once = 2 : i64", text)
        parts.write_text(text.replace("at_once = 2 : i64", "at_once = 1 : i64").replace(f"<{both}xf32>", f"<{one}xf32>")
                         .replace(f"+ {4 * both}>", f"+ {4 * one}>"))
        binaries = [support.compile_model(file, test_cuda.CPU, *test_cuda.GPU) for file in (plan, parts)]
        self.check_same_bits((name, self.outcome_of(binary, self.data, 2, 1e-3, name=name, env=test_cuda.fake()))
                             for name, binary in zip(("model", "plan", "parts"), (self.program(CUDNN), *binaries)))


#: What cuDNN asks of a GPU; sm_90 is an H100's, others have its numbers.
DEVICE = dict(maxGridSize=[2147483647, 65535, 65535], maxBlockSize=[1024, 1024, 64], regsPerBlock=65536,
              multiProcessorCount=132, warpSize=32, maxSharedMemoryPerBlock=49152, maxSharedMemoryPerBlockOptin=232448,
              reservedSharedMemoryPerBlock=1024, maxRegistersPerSM=65536, maxCtasPerSM=32, maxThreadsPerBlock=1024,
              maxThreadsPerSM=2048, pciDeviceId=0, isTccDriver=0, supportCoopLaunch=1, totalGlobalMem=85014544384,
              smClockRateKHz=1980000, memClockRateKHz=2619000, l2CacheSize=52428800, cudaDeviceId=0, deviceVer=900,
              driverVer=13000, deviceName="a GPU")
TOOL = support.BUILD / "bin" / "cudnn-support"
TOOLKIT = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


def of_toolkit(name):
    return next(iter(path for part in ("lib64", "lib") for path in (TOOLKIT / part).glob(name)), None)


@unittest.skipUnless(TOOL.exists() and of_toolkit("libcudnn.so.9") and of_toolkit("stubs/libcuda.so"),
                     "there is no libcudnn.so.9")
class CudnnItself(support.Case):
    """NVIDIA's library says without a GPU whether it has the graphs that the runtime makes, and their workspaces."""

    def workspaces(self, batch, heads, key_heads, queries, keys, width, backward, causal=1, window=0, dtype="bf16",
                   arch=900):
        device = self.write("device.json", json.dumps({**DEVICE, "deviceVer": arch}))
        stub = self.folder / "libcuda.so.1"
        if not stub.exists():
            stub.symlink_to(of_toolkit("stubs/libcuda.so"))
        path = f"{self.folder}:{of_toolkit('libcudnn.so.9').parent}"
        done = support.run(TOOL, device, batch, heads, key_heads, queries, keys, width, dtype, backward, causal, window,
                           env={"LD_LIBRARY_PATH": path})
        self.assertEqual(done.returncode, 0, done.out + done.err)
        return [int(line) for line in done.out.split()]

    def certified(self, batch, heads, key_heads, queries, keys, width, backward):
        """The bytes of nn.library_attention's `room` without the sums."""
        pairs = (queries + 63) // 64 * 64 * ((keys + 127) // 128 * 128)
        of_keys = 0 if heads == key_heads else 2 * keys * width
        return (batch * heads * (pairs + of_keys) * 2 if backward else 0) + 4096

    def check(self, *sizes, **more):
        for backward in (0, 1):
            with self.subTest(sizes=sizes, backward=backward, **more):
                found = self.workspaces(*sizes, backward, **more)
                self.assertLessEqual(max(found), self.certified(*sizes, backward))
                # What is certified is not much more.
                self.assertLessEqual(self.certified(*sizes, backward) - found[0], 4096)

    def test_models(self):
        self.check(8, 12, 12, 1024, 1024, 64)
        self.check(2, 32, 8, 2048, 2048, 64)
        self.check(1, 28, 4, 4096, 4096, 128, window=1024)
        self.check(1, 8, 4, 2048, 2048, 256)

    def test_masks_types_and_odd_sizes(self):
        self.check(2, 12, 4, 1000, 1000, 80, dtype="f16")
        self.check(2, 4, 4, 70, 70, 8, causal=0)
        self.check(2, 4, 2, 300, 1001, 40, window=33)

    def test_other_gpus(self):
        for arch in (800, 890, 1000, 1030, 1200):
            self.check(1, 12, 4, 1024, 1024, 128, arch=arch)
            self.check(1, 12, 4, 1024, 1024, 128, arch=arch, window=100)


if __name__ == "__main__":
    unittest.main()
