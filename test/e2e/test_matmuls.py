"""cuBLASLt's algorithms are chosen by time, once, and kept beside the checkpoints.  The algorithms and their times are
those of test/fakecuda/LtAlgorithms.h."""
import json
import unittest

import support
import test_cuda

#: Number 5 is the fastest that may be used, and 1 where a rank on an odd GPU would choose for itself.
SEVERAL = "3,2,0.5:inplace,0.1:large,0.2:refused,1,4"
FASTEST, SLOWEST = 5, 6
#: The same with number 1 as the fastest.
OTHERS = "3,0.3,0.5:inplace,0.1:large,0.2:refused,1,4"


@unittest.skipUnless((test_cuda.FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
class Matmuls(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(2000, 256)
        self.kept = self.folder / "run" / "matmuls.json"

    def program(self, *options):
        return support.compile_gpt2(support.SMALL, 2, 16, test_cuda.CPU, *test_cuda.GPU, *options)

    def start(self, name, *run, algorithms=SEVERAL, steps=2, ranks=1, binary=None, **more):
        """Runs a program; returns it, and the file of the matmuls that were executed."""
        log = self.folder / f"{name}.matmuls"
        env = test_cuda.fake(FAKE_CUDA_ALGORITHMS=algorithms, FAKE_CUDA_MATMULS=str(log), **more)
        done = support.run(*support.launcher(ranks, env), binary or self.program(), "--data", self.data, "--steps", steps,
                           "--lr", 1e-2, *run, cwd=self.folder, env={**support.MPI_ENVIRONMENT, **env})
        return done, log

    def executed(self, *arguments, **keywords):
        """The output of a run; the algorithms that each GPU has executed, and of these the last for each size."""
        done, log = self.start(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.err + done.out)
        every, last = {}, {}
        for line in log.read_text().splitlines():
            algorithm, gpu, *sizes = map(int, line.split())
            every.setdefault(gpu, set()).add(algorithm)
            last[gpu, *sizes] = algorithm
        return done.out, every, set(last.values())

    def save(self, name="begun", **keywords):
        return self.executed(name, "--checkpoint", "run", "--save-every", 1, steps=1, **keywords)

    def resume(self, name, *run, **keywords):
        return self.executed(name, "--resume", "run", *run, **keywords)

    def test_the_fastest_is_taken(self):
        """Algorithms that may not be used are never executed (the fake library would end the run)."""
        out, every, last = self.executed("whole")
        self.assertEqual(every, {0: {0, 1, 5, 6}})
        self.assertEqual(last, {FASTEST})
        self.assertIn("without --checkpoint, another run may choose others", out)
        for most, expected in (1, 0), (2, 1):
            with self.subTest(most=most):
                _, every, last = self.executed(f"most{most}", "--matmul-algorithms", most)
                self.assertEqual(every, {0: set(range(most))})
                self.assertEqual(last, {expected})

    def test_a_run_goes_on_with_its_own(self):
        """Others are faster now; without the times of a new run, no other algorithm is executed."""
        out, _, last = self.save()
        self.assertIn("kept in run/matmuls.json", out)
        self.assertEqual(last, {FASTEST})
        text = self.kept.read_text()
        self.assertEqual({one["is"] for one in json.loads(text)["products"].values()},
                         {f"algorithm {FASTEST}, tile 0, stages 0"})
        out, every, _ = self.resume("resumed", "--checkpoint", "other", "--save-every", 9, algorithms=OTHERS)
        self.assertIn("algorithms of", out)
        self.assertEqual(every, {0: {FASTEST}})
        self.assertEqual((self.folder / "other" / "matmuls.json").read_text(), text)
        _, _, last = self.resume("again", "--retune-matmuls", algorithms=OTHERS)
        self.assertEqual(last, {1})
        out, every, _ = self.resume("first", "--matmul-algorithms=1")
        self.assertEqual(every, {0: {0}})
        self.assertIn("--matmul-algorithms is 1, and was several until the checkpoint", out)
        # A product that the file does not have.
        changed = json.loads(text)
        product = next(iter(changed["products"]))
        del changed["products"][product]
        self.kept.write_text(json.dumps(changed))
        out, _, last = self.resume("missing", algorithms=OTHERS)
        self.assertIn("matmuls.json has none", out)
        self.assertEqual(last, {1, FASTEST})

    def test_a_run_without_a_file(self):
        """What has begun with the first algorithms goes on with them, also in a folder of another run."""
        (self.folder / "run").mkdir()
        (self.folder / "run" / ".lock").touch()
        self.kept.write_text("of another run")
        self.executed("begun", "--checkpoint", "run", "--save-every", 1, "--matmul-algorithms=1", steps=1)
        self.assertFalse(self.kept.exists())
        out, every, _ = self.resume("resumed")
        self.assertEqual(every, {0: {0}})
        self.assertIn("note      there is no ", out)

    def test_ranks_take_that_of_rank_0(self):
        """Rank 1, on another GPU with other times, neither times nor chooses."""
        for way in (test_cuda.HOST, test_cuda.DIRECT):
            with self.subTest(way=way):
                binary = self.program("--world-size=2", "--stage=2", *way)
                _, every, last = self.executed(way[0][-4:], ranks=2, binary=binary)
                self.assertEqual(last, {FASTEST})
                self.assertEqual(every[0], {0, 1, 5, 6})
                # It loads the first ones before rank 0 has chosen.
                self.assertLessEqual(every[1], {0, FASTEST})
                done, _ = self.start("kinds", ranks=2, binary=binary, FAKE_CUDA_TWO_KINDS="1")
                self.assert_refused(done, r"are for Fake GPU \(sm_90\) with cuBLASLt 130000, and here are Other GPU",
                                    "give all ranks GPUs and cuBLASLt of one kind, or --matmul-algorithms=1")
                self.executed("first", "--matmul-algorithms=1", ranks=2, binary=binary, FAKE_CUDA_TWO_KINDS="1")

    def test_files_that_are_refused(self):
        self.save()
        text = self.kept.read_text()

        def changed(change):
            json_now = json.loads(text)
            change(json_now)
            return json.dumps(json_now)

        def each(json_now, **fields):
            for one in json_now["products"].values():
                one.update(fields)

        digits = next(iter(json.loads(text)["products"].values()))["data"]
        for now, *words in (
                (text[:len(text) // 2], "matmuls.json: is not JSON"),
                ("", "matmuls.json: is not JSON"),
                ("[]", r'damaged: it has no "device"'),
                (changed(lambda now: now.update(products=[])), 'no "products", or not as object'),
                (changed(lambda now: each(now, data=7)), 'no "data", or not as string'),
                (changed(lambda now: each(now, data=digits[2:])), '"data" are not 64 bytes'),
                (changed(lambda now: each(now, data="xy" + digits[2:])), '"data" are not 64 bytes'),
                (changed(lambda now: each(now, data="0" * len(digits))), "cuBLASLt refuses the algorithm"),
                (changed(lambda now: now.update(device="NVIDIA A100 (sm_80)")),
                 r"are for NVIDIA A100 \(sm_80\) with cuBLASLt 130000, and here are Fake GPU"),
                (changed(lambda now: now.update(library="cuBLASLt 120400")), "with cuBLASLt 120400, and here"),
                (None, "matmuls.json is missing, which has the algorithms")):
            with self.subTest(words):
                self.kept.unlink(missing_ok=True)
                if now is not None:
                    self.kept.write_text(now)
                done, _ = self.start("refused", "--resume", "run")
                self.assert_refused(done, "run/matmuls.json", *words, "--retune-matmuls", status=1)
        _, _, last = self.resume("again", "--retune-matmuls")
        self.assertEqual(last, {FASTEST})

    def test_an_algorithm_that_may_not_be_used(self):
        """Not even if the file has it: its kinds have changed since."""
        self.save()
        for kind in "inplace", "large":
            with self.subTest(kind):
                done, _ = self.start(kind, "--resume", "run", algorithms=f"3,2,0.5,0.1,0.2,1:{kind},4")
                self.assert_refused(done, "run/matmuls.json", "cuBLASLt refuses the algorithm", status=1)
        for algorithms, words in (("1:refused,2:refused", "matmul of h.0.attn.c_attn: cublasLtMatmul: CUBLAS_STATUS"),
                                  ("1:inplace", "cuBLASLt has no product of f32 and f32")):
            done, _ = self.start("none", algorithms=algorithms)
            self.assert_refused(done, words, status=1)

    def test_options(self):
        cpu = support.compile_gpt2(support.SMALL, 2, 16)
        for option in "--matmul-algorithms=4", "--retune-matmuls":
            done, _ = self.start("cpu", option, binary=cpu)
            self.assert_refused(done, f"{option.split('=')[0]} is for GPUs", "--target=cuda", status=2)
        done, _ = self.start("both", "--retune-matmuls", "--matmul-algorithms=1")
        self.assert_refused(done, "drop one of them", status=2)
        done, _ = self.start("none", "--matmul-algorithms=0")
        self.assert_refused(done, "--matmul-algorithms", status=2)
