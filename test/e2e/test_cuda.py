"""Plans for GPUs train with the bits of plans for CPUs.  The GPU is emulated, with the driver of
test/fakecuda, which multiplies with instructions of every CPU; --cpu excludes newer instructions
for 16-bit products, whose sums differ."""
import json
import re
import sys
import unittest

import support

sys.path.insert(0, str(support.ROOT / "test" / "random"))
from generator import random_model

FAKE = support.BUILD / "lib" / "fakecuda"
CPU = "--cpu=x86-64-v3"
GPU = ("--target=cuda", "--cuda-arch=emulated")
HOST = ("--collectives=host",)
#: Tensor cores produce other bits.
EXACT = "--attention=f32"
NCCL = ("--collectives=nccl",)
DIRECT = ("--collectives=direct",)
needs_nccl = unittest.skipUnless((FAKE / "libnccl.so.2").exists(), "this build has no NCCL: nccl.h was not found")


def fake(seed=1, **more):
    return {"LD_LIBRARY_PATH": str(FAKE), "FAKE_CUDA_SEED": str(seed), **more}


#: Four query heads on two key heads, windows in every other layer, and capped scores.
GEMMA2 = dict(model_type="gemma2", hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
              num_key_value_heads=2, head_dim=8, vocab_size=131, max_position_embeddings=96, sliding_window=20,
              attn_logit_softcapping=5.0, final_logit_softcapping=10.0, query_pre_attn_scalar=8,
              hidden_activation="gelu_pytorch_tanh", rms_norm_eps=1e-6, rope_theta=10000.0)

#: A layer of experts, and one without.
EXPERTS = dict(num_hidden_layers=2, num_experts=7)

#: Operations of f32 on the head's result, which therefore is of float32.
HEAD = """func.func @loss(
    %wte: tensor<61x24xf32> {zero.param = "wte", zero.init = #zero.normal<std = 0.5>},
    %w: tensor<61x24xf32> {zero.param = "head.weight", zero.init = #zero.normal<std = 0.2>},
    %b: tensor<61xf32> {zero.param = "head.bias", zero.init = #zero.normal<std = 0.2>},
    %tokens: tensor<2x12xi32> {zero.input = "tokens", zero.vocab = 61 : i64},
    %weights: tensor<2x12xf32> {zero.input = "token_weights"},
    %targets: tensor<2x12xi32> {zero.input = "targets", zero.vocab = 61 : i64}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<2x12xi32>, tensor<61x24xf32> -> tensor<2x12x24xf32>
  %logits = nn.linear %x, %w, %b : tensor<2x12x24xf32>, tensor<61x24xf32>, tensor<61xf32> -> tensor<2x12x61xf32>
  %twice = arith.addf %logits, %logits : tensor<2x12x61xf32>
  %loss = nn.cross_entropy %twice, %targets weights(%weights : tensor<2x12xf32>) {label_smoothing = 0.1 : f64, z_loss = 0.01 : f64}
    : tensor<2x12x61xf32>, tensor<2x12xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
"""


@unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
class Cuda(support.Case):
    def outcome(self, model, vocab, tokens, name, *options, ranks=1, steps=2, env=None, run=()):
        data = self.write_tokens(tokens, vocab)
        binary = support.compile_model(model, CPU, *options)
        return self.outcome_of(binary, data, steps, 1e-2, *run, *support.init_flags(options), name=name, ranks=ranks, env=env)

    def check(self, model, vocab, tokens, *options, seeds=(1,), ranks=1, steps=2, run=(), gpu=HOST, env=None):
        expected = self.outcome(model, vocab, tokens, "cpu", *options, ranks=ranks, steps=steps, run=run)
        for seed in seeds:
            found = self.outcome(model, vocab, tokens, f"gpu{seed}", *options, *GPU, EXACT, *gpu, ranks=ranks,
                                 steps=steps, env=fake(seed, **(env or {})), run=run)
            self.assertEqual(found[0], expected[0], f"losses or gradient norms, seed {seed}")
            self.assertTrue(found[1] == expected[1], f"weights, seed {seed}")
        return expected

    def family(self, case, *options, batch=2, other=None, **keywords):
        config = json.loads((support.ROOT / "test" / "golden" / case / "config.json").read_text())
        model = support.import_model({**config, **(other or {})}, batch, 12)
        self.check(model, 64, 1200, *options, **keywords)

    def gpt2(self, *options, config=support.SMALL, batch=None, seq=16, ranks=1, **keywords):
        batch = batch or (2 if ranks == 1 else 1)  # an emulator is slow
        model = support.import_model(config, batch, seq)
        more = [f"--world-size={ranks}"] if ranks > 1 else []
        self.check(model, config["vocab_size"], 40 * batch * seq * ranks, *more, *options, ranks=ranks,
                   **keywords)

    def mlp(self, *options, **keywords):
        self.check(support.EXAMPLES / "mlp.mlir", 256, 20000, *options, **keywords)

    def test_layers(self):
        self.mlp("--precision=bf16", "--optimizer=lion")

    def test_optimizer_file(self):
        self.mlp("--precision=bf16", f"--optimizer={support.EXAMPLES / 'optimizers' / 'lion.mlir'}", "--stage=1",
                 "--world-size=2", ranks=2)

    def test_bias_of_a_head(self):
        """A bias of 16 bits, and logits of float32; a loss with all options."""
        weights = self.write("weights.npy", support.npy("f", (99, 12), [i % 4 / 2 for i in range(99 * 12)]))
        self.check(self.write("head.mlir", HEAD), 61, 1200, "--precision=bf16", "--sample", run=(
            "--sample", 2, "--prompt-ids", 1, "--sample-tokens", 3, "--input", f"token_weights={weights}"))

    def test_gpt2(self):
        self.gpt2(seeds=(1, 2), steps=3)

    def test_bf16(self):
        self.gpt2("--precision=bf16")

    def test_fp16(self):
        self.gpt2("--precision=fp16")

    def test_without_masters(self):
        self.gpt2("--precision=bf16", "--master=none")

    def test_large_vocabulary(self):
        """Rows of logits that are copied to shared memory: 24,581 numbers of 16 bits, 24,640 apart."""
        self.gpt2("--precision=bf16", "--loss-chunk=1MiB", config={**support.SMALL, "vocab_size": 24581}, steps=1)

    def test_stages(self):
        for stage in (1, 3):
            with self.subTest(stage=stage):
                self.gpt2("--precision=bf16", f"--stage={stage}", ranks=2)

    def test_offload(self):
        self.gpt2("--precision=bf16", "--offload=cpu", "--accumulate=2")
        self.gpt2("--precision=bf16", "--offload=cpu", "--accumulate=3", "--offload-gradients=cpu")
        self.gpt2("--precision=bf16", "--offload-optimizer=cpu", "--offload-ratio=0.5", "--stage=1", ranks=2)

    def test_heads_of_odd_width(self):
        self.family("gpt_neox", "--precision=bf16")

    def test_windows_and_caps(self):
        self.family("gemma2")

    def test_layers_without_rotary_positions(self):
        self.family("cohere2", "--precision=bf16")

    def test_layers_with_states(self):
        """States of a chunk and a part of one, convolutions, and documents in both; stages have the same bits."""
        for case, length in (("qwen3_5", 70), ("lfm2", 40)):
            model = support.import_model(support.ROOT / "test" / "golden" / case / "config.json", 1, length,
                                         "--document-separator=5")
            for precision in ("fp32", "bf16"):
                stages = []
                for ranks, stage in ((1, 0), (2, 0), (2, 3)):
                    with self.subTest(case=case, precision=precision, ranks=ranks, stage=stage):
                        found = self.check(model, 64, 3000, f"--precision={precision}", f"--world-size={ranks}",
                                           f"--stage={stage}", ranks=ranks, run=("--document-separator", 5))
                        if ranks == 2:
                            stages.append((f"stage {stage}", found))
                self.check_same_bits(stages)

    def test_random_models(self):
        for seed, precision in ((100, "fp32"), (101, "bf16")):
            with self.subTest(seed=seed):
                model = random_model(seed)
                self.check(self.write(f"random{seed}.mlir", model.text(2)), model.vocab, 3000,
                           f"--precision={precision}")

    def test_accumulates_in_blocks(self):
        self.gpt2("--accumulate=2", "--accumulate-order=block", "--optimizer=sgd")

    def test_packed_weights(self):
        """Adapters beside weights of 4 and 8 bits, whole or sliced at any byte."""
        for ranks, *options in (
                (1, "--base-storage=nf4", "--offload=cpu", "--dora"),
                (2, "--base-storage=nf4", "--precision=bf16", "--dora", "--stage=3", "--bucket-size=2KiB", "--remat=block"),
                (2, "--base-storage=int8", "--precision=fp16", "--stage=3", "--offload=cpu")):
            with self.subTest(options):
                self.gpt2("--lora=4:8", *options, ranks=ranks)
        self.family("qwen3_moe", "--lora=2", "--base-storage=int8", "--precision=bf16", batch=1, other=EXPERTS)

    def test_experts(self):
        """Groups of rows whose sizes only the GPU knows, and matrices of odd sizes."""
        for options, keywords in (((), {}),
                                  (("--precision=bf16", "--stage=3", "--world-size=2", "--remat=block"),
                                   dict(ranks=2, batch=1)),
                                  (("--precision=fp16", "--offload=cpu", "--accumulate=2"), dict(batch=1))):
            with self.subTest(options):
                self.family("qwen3_moe", *options, other=EXPERTS, **keywords)

    def test_odd_sizes(self):
        # Rows of logits in chunks are padded.
        for options in ((), ("--precision=bf16", "--loss-chunk=1KiB")):
            with self.subTest(options=options):
                self.gpt2(*options, config=support.ODD, batch=1, seq=23)

    def test_attention(self):
        """More queries than a tile, and more keys than a panel."""
        for options in ((), ("--precision=bf16",)):
            with self.subTest(options=options):
                self.gpt2(*options, config=GEMMA2, batch=1, seq=70)

    def test_tensor_cores(self):
        """16-bit attention: the same bits in any order of threads, and close to the CPU's numbers."""
        for precision, config in (("bf16", GEMMA2), ("fp16", dict(support.SMALL, n_positions=70))):
            with self.subTest(precision=precision):
                model = support.import_model(config, 1, 70)
                rest = (config["vocab_size"], 3000)
                options = (f"--precision={precision}",)
                expected = self.outcome(model, *rest, "cpu", *options)
                found = [self.outcome(model, *rest, f"gpu{seed}", *options, *GPU, env=fake(seed)) for seed in (1, 2)]
                self.assertEqual(found[0], found[1])
                self.assertNotEqual(found[0][1], expected[1])
                (loss, norm), *later = found[0][0]
                self.assert_close(loss, expected[0][0][0], 2e-4, "the first loss")
                self.assert_close(norm, expected[0][0][1], 2e-3, "the first norm")
                for (loss, _), (of_cpu, _) in zip(later, expected[0][1:]):
                    self.assert_close(loss, of_cpu, 2e-3, "a later loss")

    def test_tensor_cores_at_stages(self):
        """Two ranks have the same bits at stages, and with offload."""
        model = support.import_model(support.SMALL, 2, 16)
        rest = (support.SMALL["vocab_size"], 3000)
        self.check_same_bits(
            (" ".join(options), self.outcome(model, *rest, f"plan{i}", "--precision=bf16", "--world-size=2", *options,
                                             *GPU, "--attention=tensor-cores", ranks=2, env=fake(i)))
            for i, options in enumerate((("--stage=0",), ("--stage=2",), ("--stage=3", "--offload=cpu"))))

    def test_nvme(self):
        self.gpt2("--offload=nvme", "--stage=3", ranks=2, run=("--nvme-path", self.folder))

    def test_overlapped_updates(self):
        self.gpt2("--precision=bf16", "--stage=3", "--offload=cpu", "--overlap-update", ranks=2, seeds=(1, 2), steps=3)

    @needs_nccl
    def test_nccl(self):
        """GPUs communicate by NCCL, and sum in the CPUs' order."""
        for stage in (0, 1, 3):
            with self.subTest(stage=stage):
                self.gpt2("--precision=bf16", f"--stage={stage}", ranks=2, gpu=NCCL)

    @needs_nccl
    def test_nccl_of_float32(self):
        """Slices of many chunks, with streams synchronized after each operation."""
        self.gpt2("--stage=3", "--accumulate=2", ranks=2, gpu=NCCL, seeds=(3,),
                  env={"ZRT_NCCL_STAGE": "2048", "ZRT_CHAOS": "2"})

    @needs_nccl
    def test_nccl_of_a_slow_host(self):
        """Threads that issue late, short queues of launches, and NCCL that keeps no order."""
        for env in ({"FAKE_CUDA_DELAY": "200", "FAKE_CUDA_MEMORY": str(550 << 20), "ZRT_GPU_FILL": "98"},
                    {"ZRT_DELAYS": "3", "FAKE_CUDA_DEPTH": "2"},
                    {"FAKE_CUDA_DELAY": "200", "FAKE_NCCL_VERSION": "22100"}):
            with self.subTest(env):
                self.gpt2("--precision=bf16", "--stage=3", ranks=2, gpu=NCCL, seeds=(7,), env=env)

    @needs_nccl
    def test_nccl_of_three(self):
        """Ranks whose order of summation matters; and updates in host memory."""
        self.gpt2("--precision=bf16", "--stage=2", "--offload=cpu", ranks=3, gpu=NCCL)

    @needs_nccl
    def test_nccl_memory(self):
        """NCCL's memory is expected before it is taken; a user's channels count."""
        binary = support.compile_gpt2(support.SMALL, 1, 16, CPU, "--stage=3", "--world-size=2", *GPU, *NCCL)
        data = self.write_tokens(2000, 256)

        def run(**env):
            env = fake(FAKE_CUDA_MEMORY=str(550 << 20), **env)
            return support.run(*support.launcher(2, env), binary, "--data", data, "--steps", 2, "--lr", 1e-2,
                               cwd=self.folder, env={**support.MPI_ENVIRONMENT, **env}, timeout=60)

        done = run()
        self.assertEqual(done.returncode, 0, done.out)
        took, expected = (int(number.replace(",", "")) for number in re.search(
            r"by NCCL .*, which took ([\d,]+) bytes .* where ([\d,]+) bytes .* were expected", done.out).groups())
        # Rings of two lanes, four channels to the other GPU from one of them, and contributions.
        self.assertIn((took >> 20) - (2 * 140 + 4 * 14), range(2, 10))
        self.assertEqual(expected >> 20, 2 * 160 + 4 * 15 + 32)
        self.assert_refused(run(NCCL_MAX_P2P_NCHANNELS="32"),
                            r"leave less than 1,006,632,960 bytes .* for libraries")
        # As without an estimate: in NCCL's words.
        self.assert_refused(run(NCCL_MAX_P2P_NCHANNELS="32", ZRT_GPU_RESERVE="1"), "NCCL: another error")

    @needs_nccl
    def test_nccl_in_groups(self):
        """A communicator for the members of each group, and for ranks of the same number in theirs."""
        for option in ("--ranks-per-host=2", "--shard-size=2"):
            with self.subTest(option):
                self.gpt2("--precision=bf16", "--stage=3", option, ranks=4, gpu=NCCL, batch=1, seeds=(1,))

    def test_direct_in_groups(self):
        self.gpt2("--stage=3", "--secondary-shard=2", ranks=4, gpu=("--collectives=direct",), batch=1, seeds=(1,))

    def test_context(self):
        """Ranks that share sequences exchange heads through the host, and by copies from each other."""
        for gpu in (HOST, DIRECT):
            with self.subTest(gpu):
                self.gpt2("--context=2", "--stage=3", ranks=4, gpu=gpu, batch=1, seeds=(1, 2))

    @needs_nccl
    def test_context_by_nccl(self):
        for options in (("--stage=3",), ("--stage=2", "--remat=block", "--ranks-per-host=2")):
            with self.subTest(options):
                self.gpt2("--context=2", *options, ranks=4, gpu=NCCL, batch=1, seeds=(1,))

    def test_virtual_shards(self):
        """The tree of sums over micro-steps is on the GPU, that over ranks on the host."""
        for options, ranks in (("--accumulate=4",), 1), (("--stage=3", "--accumulate=2"), 2):
            with self.subTest(ranks=ranks):
                self.gpt2("--virtual-shards=4", *options, ranks=ranks, batch=1, seeds=(1,))

    @needs_nccl
    def test_nccl_that_fails(self):
        """No rank waits for one that failed, at the start or in a step."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, "--stage=2", "--world-size=2", *GPU, *NCCL)
        data = self.write_tokens(2000, 256)
        for env, *words in (
                (fake(FAKE_NCCL_FAILS="1:1"), "rank 1 failed: the first collective between GPUs: NCCL: .* cable is out"),
                (fake(FAKE_NCCL_FAILS="1:9"), "step 0: rank 1 failed: .* cable is out",
                 "rank 0 was waiting for it in a collective between GPUs"),
                (fake(FAKE_NCCL_VERSION="21700"), "is NCCL 2.17.0, and this program needs 2.18.1 or later"),
                (fake(FAKE_CUDA_DEVICES="1"), "ranks 0 and 1 have the same GPU, Fake GPU .*, and NCCL needs one for"),
                (fake(CUDA_DEVICE_MAX_COPY_CONNECTIONS="1"), "CUDA_DEVICE_MAX_COPY_CONNECTIONS is 1, and the plan has"),
                (fake(NCCL_RUNTIME_CONNECT="1"), "NCCL_RUNTIME_CONNECT is 1, and this program needs 0")):
            done = support.run(binary, "--data", data, "--steps", 1, "--lr", 1e-2,
                               cwd=self.folder, env={**support.MPI_ENVIRONMENT, **env}, timeout=60)
            self.assert_refused(done, *words)

    def test_direct(self):
        """GPUs access each other's memory; streams run in odd orders."""
        for stage in (1, 3):
            with self.subTest(stage=stage):
                self.gpt2("--precision=bf16", f"--stage={stage}", ranks=2, gpu=DIRECT)
        self.gpt2("--stage=3", "--accumulate=2", ranks=2, gpu=DIRECT, seeds=(3,), env={"ZRT_CHAOS": "2"})
        self.gpt2("--precision=bf16", "--stage=2", "--offload=cpu", ranks=3, gpu=DIRECT, seeds=(5,))

    def test_notes(self):
        """A check says how GPUs exchange; there are no digests on them."""
        options = (CPU, "--stage=1", "--world-size=2", *GPU, *DIRECT)
        binary, data = support.compile_gpt2(support.SMALL, 1, 8, *options), self.write_tokens(2000, 256)
        env = {**support.MPI_ENVIRONMENT, **fake()}
        done = support.run(*support.launcher(2, fake()), binary, f"--device-check={self.folder / 'check.json'}", cwd=self.folder,
                           env=env, timeout=300)
        self.assertIn("GPUs read each other's memory", done.out)
        done = support.run(*support.launcher(2, fake()), binary, "--data", data, "--steps", 1, "--lr", 0, "--digest=run.digest",
                           "--digest-for=ranks", cwd=self.folder, env=env, timeout=60)
        self.assert_refused(done, "there are no digests on GPUs; compile with --target=cpu")

    def test_direct_that_fails(self):
        """GPUs without access to each other, and ranks without shared memory."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, "--stage=2", "--world-size=2", *GPU, *DIRECT)
        data = self.write_tokens(2000, 256)
        for env, *words in (
                (fake(FAKE_CUDA_NO_PEERS="1"), "cannot reach the memory of rank .: .*CUDA_VISIBLE_DEVICES"),
                (fake(FAKE_CUDA_NO_PEERS="2"), "reads other bytes from the memory of rank . than are there; .*IOMMU"),
                (fake(ZRT_RANKS_PER_HOST="1"), "is for ranks of one host, and ranks . and . share no memory.*nccl")):
            done = support.run(*support.launcher(2, env), binary, "--data", data, "--steps", 2, "--lr", 1e-2,
                               cwd=self.folder, env={**support.MPI_ENVIRONMENT, **env}, timeout=60)
            self.assert_refused(done, *words)

    def test_one_by_one(self):
        """Operations are synchronized one by one, as for profiles and chaos, without graphs."""
        data = self.write_tokens(2000, 256)
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, *GPU)
        self.check_same_bits(
            (name, self.losses_and_weights(binary, data, name, *run, env=fake(**env)))
            for name, run, env in (("graphs", (), {}), ("profile", ("--profile",), {}),
                                   ("chaos", (), {"ZRT_CHAOS": "3"}), ("eager", (), {"ZRT_CUDA_GRAPHS": "0"})))

    def test_a_capture_of_several_streams(self):
        """Threads that issue to several streams take turns in a capture."""
        self.gpt2("--offload-activations=cpu", seeds=(4,), steps=4, env={"FAKE_CUDA_DELAY": "100"})

    def losses_and_weights(self, binary, data, name, *run, env=None):
        lines, saved = self.train(binary, data, 4, 1e-2, *run, name=name, env=env)
        return [line["loss"] for line in lines], saved.read_bytes()

    def test_every_wait_is_needed(self):
        """Without waits between streams, training gives other results, or none."""
        data = self.write_tokens(2000, 256)
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, "--offload=cpu", *GPU)
        right = self.losses_and_weights(binary, data, "right", env=fake())[1]
        wrong = 0
        for seed in range(1, 6):
            saved = self.folder / f"{seed}.safetensors"
            done = support.run(binary, "--data", data, "--steps", 4, "--lr", 1e-2, "--save", saved, "--quiet",
                               cwd=self.folder, env=fake(seed, FAKE_CUDA_NO_WAITS="1"))
            wrong += done.returncode != 0 or saved.read_bytes() != right
        self.assertGreater(wrong, 0)

    def test_every_word_is_needed(self):
        """Ranks do not wait until they may read each other's memory, or overwrite data that others
        read."""
        data = self.write_tokens(2000, 256)
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, "--stage=3", "--world-size=2", *GPU, *DIRECT)
        saved = []
        for env in (fake(), fake(FAKE_CUDA_NO_WORDS="1")):
            path = self.folder / f"{len(saved)}.safetensors"
            done = support.run(binary, "--data", data, "--steps", 2, "--lr", 1e-2, "--save", path,
                               "--quiet", cwd=self.folder, env={**support.MPI_ENVIRONMENT, **env})
            saved.append(path.read_bytes() if done.returncode == 0 else b"")
        self.assertNotEqual(saved[0], b"")
        self.assertNotEqual(saved[0], saved[1])

    def test_resume(self):
        """A GPU and a CPU resume a checkpoint of a GPU."""
        data = self.write_tokens(2000, 256)
        cpu, gpu = (support.compile_gpt2(support.SMALL, 2, 16, CPU, *target) for target in ((), GPU))
        expected = self.losses_and_weights(cpu, data, "whole")[1]
        half = self.folder / "half"
        self.train(gpu, data, 2, 1e-2, "--checkpoint", half, "--save-every", 2, name="half", env=fake())
        for name, binary, env in (("gpu", gpu, fake(5)), ("cpu", cpu, None)):
            with self.subTest(name):
                saved = self.folder / f"resumed-{name}.safetensors"
                self.run_ok(binary, "--data", data, "--steps", 4, "--lr", 1e-2, "--resume", half, "--save", saved,
                            "--quiet", env=env)
                self.assertTrue(saved.read_bytes() == expected)

    def test_versions_of_cublaslt(self):
        """Version 12 where the driver is older."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, *GPU)
        data = self.write_tokens(2000, 256)
        libraries = self.folder / "lib"
        libraries.mkdir()
        (libraries / "libcuda.so.1").symlink_to(FAKE / "libcuda.so.1")
        newest = next(FAKE.glob("libcublasLt.so.*"))

        def run():
            return support.run(binary, "--data", data, "--steps", 1, "--lr", 1e-2, cwd=self.folder,
                               env=fake(LD_LIBRARY_PATH=str(libraries), FAKE_CUDA_VERSION="12040"))

        (libraries / "libcublasLt.so.13").symlink_to(newest)
        self.assert_refused(run(), "needs NVIDIA's cuBLASLt: libcublasLt.so.12: cannot open", status=1)
        (libraries / "libcublasLt.so.13").rename(libraries / "libcublasLt.so.12")
        done = run()
        self.assertEqual(done.returncode, 0, done.out)

    def test_errors(self):
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, *GPU)
        data = self.write_tokens(2000, 256)
        for env, *words in (
                ({"LD_LIBRARY_PATH": ""}, "compiled with --target=cuda", "libcuda.so.1"),
                (fake(FAKE_CUDA_DEVICES="0"), "no GPU of NVIDIA", "CUDA_ERROR_NO_DEVICE"),
                (fake(FAKE_CUDA_MEMORY="2097152"), "cannot take", "device arena", r"2,097,152 bytes \(2.0 MiB\) free"),
                (fake(FAKE_CUDA_MEMORY="16777216"), "for the device arena .* leave less than .* for libraries"),
                (fake(FAKE_CUDA_VERSION="11080"), "is of CUDA 11.8")):
            done = support.run(binary, "--data", data, "--steps", 1, "--lr", 1e-2, cwd=self.folder, env=env)
            self.assert_refused(done, *words, status=1)
