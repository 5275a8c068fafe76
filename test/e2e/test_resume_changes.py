"""A run that is resumed with changes reports them, or refuses."""
import json
import os
import signal
import subprocess
import time

import support

VOCAB = support.SMALL["vocab_size"]


class ResumeChanges(support.Case):
    def setUp(self):
        super().setUp()
        support.write_tokens(self.folder / "tokens.u16", 2000, VOCAB)

    def start(self, *plan, seq=16, flags=(), config=support.SMALL):
        """A run of three steps with a checkpoint after the second."""
        binary = support.compile_gpt2(config, 4, seq, *plan)
        self.run_ok(binary, "--data", "tokens.u16", "--steps", 3, "--lr", 1e-3, "--checkpoint", "ck", "--save-every", 2,
                    "--quiet", *flags)

    def go_on(self, *plan, seq=16, flags=(), data="tokens.u16", config=support.SMALL):
        binary = support.compile_gpt2(config, 4, seq, *plan)
        return support.run(binary, "--data", data, "--steps", 3, "--lr", 1e-3, "--resume", "ck", *flags, cwd=self.folder)

    def test_choices_are_said(self):
        self.start("--weight-decay=0.1")
        done = self.go_on("--weight-decay=0.2", "--grad-clip=0.5", "--betas=0.8,0.9", "--offload=cpu")
        self.assertEqual(done.returncode, 0, done.err)
        for name, now, was in (("weight-decay", "0.2", "0.1"), ("grad-clip", "0.5", "1"),
                               ("betas", "0.8,0.9", r"0.9,0.95")):
            self.assertRegex(done.out + done.err, rf"--{name} of the plan is {now}, and was {was} until the checkpoint")
        self.assertNotIn("--offload of the plan", done.out + done.err)

    def test_a_bounded_run(self):
        self.start("--skip-nonfinite=on")
        done = self.go_on("--skip-nonfinite=on", flags=("--spike-guard", 6))
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("--spike-guard is 6, and was none until the checkpoint", done.out + done.err)

    def test_another_rise(self):
        self.start(flags=("--warmup", 2))
        done = self.go_on(flags=("--warmup", 2, "--warmup-shape", "log"))
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("--warmup-shape is log, and was linear until the checkpoint", done.out + done.err)

    def test_other_sequences_are_refused(self):
        self.start()
        self.assert_refused(self.go_on(seq=8), "a sample of the checkpoint's run is tokens 16, targets 16, and of this "
                                               "one tokens 8")

    def test_another_format_is_refused(self):
        self.start()
        self.assert_refused(self.go_on(flags=("--data-format", "text"), config={**support.SMALL}),
                            "were raw uint16, and are now read as text bytes|token .* is not")

    def test_another_alpha_is_refused(self):
        base = support.SMALL
        plain = support.compile_gpt2(base, 4, 16)
        self.run_ok(plain, "--data", "tokens.u16", "--steps", 1, "--lr", 1e-3, "--save", "base.safetensors")
        self.start("--lora=4:8", flags=("--init", "base.safetensors"))
        self.assert_refused(self.go_on("--lora=4:64"), "adapters of the checkpoint have r 4, lora_alpha 8, and this "
                                                       "plan's r 4, lora_alpha 64")

    def test_a_job_that_is_started_again(self):
        """--init is for the first start; later starts resume."""
        binary = support.compile_gpt2(support.SMALL, 4, 16)
        self.run_ok(binary, "--data", "tokens.u16", "--steps", 1, "--lr", 1e-2, "--seed", 9, "--save", "w.safetensors")

        def job(steps, init="w.safetensors"):
            return support.run(binary, "--data", "tokens.u16", "--steps", steps, "--lr", 1e-3, "--init", init,
                               "--checkpoint", "ck", "--save-every", 1, "--resume", "latest", "--save",
                               f"end-{steps}.safetensors", cwd=self.folder)

        first = job(1)
        self.assertEqual(first.returncode, 0, first.err)
        second = job(3)
        self.assertEqual(second.returncode, 0, second.err)
        self.assertEqual(second.err, "")
        (self.folder / "w.safetensors").rename(self.folder / "v.safetensors")
        moved = job(3, "v.safetensors")
        self.assertIn("--init=v.safetensors is not read: the run goes on from", moved.err)
        self.assertRegex(moved.err, "and began with .*/w.safetensors\n")
        (self.folder / "v.safetensors").rename(self.folder / "w.safetensors")
        self.run_ok(binary, "--data", "tokens.u16", "--steps", 3, "--lr", 1e-3, "--init", "w.safetensors", "--save",
                    "whole.safetensors")
        self.assert_same_bytes(self.folder / "end-3.safetensors", self.folder / "whole.safetensors")
        for option in "--init", "--adapter":
            done = support.run(binary, "--data", "tokens.u16", "--steps", 3, "--lr", 1e-3, "--resume", "ck", option, "x",
                               cwd=self.folder)
            self.assert_refused(done, f"{option} and --resume both say")

    def test_what_is_no_checkpoint(self):
        self.start()
        (self.folder / "ck/step-999").write_text("")
        (self.folder / "ck/step-1000").mkdir()
        done = self.go_on(flags=("--save", "w.safetensors"))
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("step-2", done.out)

    def test_metrics_of_another_program_stay(self):
        self.start()
        other = self.folder / "run.jsonl"
        other.write_text('{"epoch":1}\n{"epoch":2}\n')
        self.assert_refused(self.go_on(flags=("--metrics", "run.jsonl")), "run.jsonl is no file of metrics")
        self.assertEqual(other.read_text(), '{"epoch":1}\n{"epoch":2}\n')

    def test_a_closed_terminal(self):
        """SIGHUP saves as SIGTERM does; under nohup it is ignored."""
        binary = support.compile_gpt2(support.SMALL, 4, 16)
        for ignored, status in (False, 128 + signal.SIGHUP), (True, 128 + signal.SIGTERM):
            with self.subTest(ignored):
                name = f"ck-{ignored}"
                run = subprocess.Popen(
                    [binary, "--data", "tokens.u16", "--steps", "1000000", "--lr", "1e-4", "--checkpoint", name,
                     "--save-at-exit", "--metrics", f"{name}.jsonl"], cwd=self.folder, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL))
                metrics = self.folder / f"{name}.jsonl"
                while not metrics.exists() or metrics.stat().st_size == 0:
                    self.assertIsNone(run.poll())
                    time.sleep(0.05)
                run.send_signal(signal.SIGHUP)
                if ignored:
                    time.sleep(0.2)
                    self.assertIsNone(run.poll())
                    run.send_signal(signal.SIGTERM)
                out = run.communicate(timeout=60)[0].decode()
                self.assertEqual(run.returncode, status, out)
                self.assertTrue(list((self.folder / name).glob("step-*/manifest.json")), out)

    def test_output_that_does_not_block(self):
        """A pipe that is read slowly loses no line."""
        binary = support.compile_gpt2(support.SMALL, 1, 16)
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        run = subprocess.Popen([binary, "--data", "tokens.u16", "--steps", "2000", "--lr", "1e-4", "--metrics", "-",
                                "--quiet"], cwd=self.folder, stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        time.sleep(0.5)
        with os.fdopen(reading) as lines:
            steps = [json.loads(line)["step"] for line in lines]
        err = run.communicate(timeout=60)[1].decode()
        self.assertEqual((run.returncode, steps), (0, list(range(2000))), err)

    def test_a_small_checkpoint_memory(self):
        binary = support.compile_gpt2(support.SMALL, 4, 16)
        done = support.run(binary, "--data", "tokens.u16", "--steps", 1, "--lr", 1, "--checkpoint", "ck", "--save-every",
                           1, "--checkpoint-memory", "100KiB", cwd=self.folder)
        self.assert_refused(done, "--checkpoint-memory must be 4,194,304 bytes .* or more", status=2)
