"""The output of a run: a progress bar on a terminal, lines elsewhere, metrics, and closed pipes."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

import support


class Output(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data.u16"
        support.write_tokens(self.data, 1500, support.SMALL["vocab_size"])

    def command(self, steps, *options, ranks=1):
        binary = support.compile_gpt2(support.SMALL, 2, 16, f"--world-size={ranks}")
        return [str(part) for part in (*support.mpirun(ranks), binary, "--data", self.data, "--steps", steps,
                                       "--lr", 1e-3, *options)]

    def on_terminal(self, columns, command):
        """Returns the output on a terminal of that width."""
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(command, stdout=inner, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env={**os.environ, **support.MPI_ENVIRONMENT})
        os.close(inner)
        text = b""
        while True:
            try:
                part = os.read(outer, 65536)
            except OSError:  # the last writer has gone
                part = b""
            if not part:
                break
            text += part
        os.close(outer)
        errors = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), 0, errors)
        return text.decode()

    def bars(self, text):
        return re.findall(r"\r(\[[^\r\n]*)", text)

    def test_bar_within_the_terminal(self):
        for columns, ranks in ((132, 1), (40, 1), (7, 1), (60, 2)):
            with self.subTest(columns, ranks=ranks):
                text = self.on_terminal(columns, self.command(30, ranks=ranks))
                bars = self.bars(text)
                self.assertTrue(bars, text)
                self.assertLess(max(map(len, bars)), columns)
                self.assertNotIn("step 0/30", text)
        bars = self.bars(self.on_terminal(132, self.command(30)))
        self.assertRegex(bars[-1], r"^\[#{20}\] 30/30  loss .* ETA 0:00")

    def test_lines_elsewhere(self):
        """Also under mpirun, which gives its ranks a terminal."""
        for ranks in (1, 2):
            done = support.run(*self.command(5, ranks=ranks), env=support.MPI_ENVIRONMENT)
            self.assertIn("step 0/5  loss", done.out)
            self.assertEqual(self.bars(done.out), [])

    def test_choice(self):
        text = self.on_terminal(80, self.command(5, "--progress=lines"))
        self.assertIn("step 0/5  loss", text)
        self.assertEqual(self.bars(text), [])
        text = self.on_terminal(80, self.command(5, "--progress=none"))
        self.assertNotIn("step 0/5", text)
        self.assertEqual(self.bars(text), [])
        self.assertIn("final loss", text)
        done = support.run(*self.command(5, "--progress=bar"))
        self.assertLess(max(map(len, self.bars(done.out))), 80)

    def test_what_is_not_kept(self):
        note = "note      what is trained is not kept: add --save FILE, or --checkpoint DIR --save-at-exit\n"
        self.assertIn(note, self.run_ok(*self.command(2)).out)
        for options in (("--save", "w"), ("--checkpoint", "run", "--save-at-exit"), ("--quiet",)):
            self.assertNotIn("not kept", self.run_ok(*self.command(2), *options).out)
        begins = "there is no --checkpoint, with which zeroc replay of --digest begins"
        self.assertIn(begins, self.run_ok(*self.command(2), "--digest", "d", "--save", "v").out)
        self.assertNotIn(begins, self.run_ok(*self.command(2), "--digest", "e", "--checkpoint", "other", "--save-at-exit").out)

    def test_metrics_on_standard_output(self):
        for ranks in (1, 2):
            done = support.run(*self.command(4, "--metrics", "-", ranks=ranks), env=support.MPI_ENVIRONMENT)
            self.assertEqual(done.returncode, 0, done.err)
            self.assertEqual([json.loads(line)["step"] for line in done.out.splitlines()], [0, 1, 2, 3])
            self.assertIn("final loss", done.err)
        picture = support.run(support.ZEROC, "plot", "-", stdin=done.stdout)
        self.assertEqual(picture.returncode, 0, picture.err)
        self.assertIn("4 steps, last loss ", picture.out)

    def test_closed_pipe(self):
        for options in ((), ("--metrics", "-")):
            weights = self.folder / "weights"
            process = subprocess.Popen(self.command(10_000_000, "--save", weights, *options), stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            process.stdout.readline()
            process.stdout.close()
            errors = process.stderr.read().decode()
            process.stderr.close()
            self.assertEqual(process.wait(), 141, errors)
            self.assertIn("stopped by a closed pipe after ", errors)
            self.assertTrue(weights.exists())
            weights.unlink()
