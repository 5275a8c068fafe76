"""zeroc plot: pictures of training runs."""
import json
import os
import random
import re
import subprocess
import xml.etree.ElementTree as xml

import support

SVG = "{http://www.w3.org/2000/svg}"


class Plot(support.Case):
    def draw(self, *runs):
        """Returns the elements of the picture, read by an XML parser."""
        picture = self.folder / "run.svg"
        done = support.run(support.ZEROC, "plot", *runs, "-o", picture)
        self.assertEqual(done.returncode, 0, done.err)
        return xml.parse(picture).getroot()

    def texts(self, picture):
        return [text.text for text in picture.iter(SVG + "text")]

    def test_trained_and_resumed(self):
        data, metrics = self.folder / "data.u16", self.folder / "a <run> & \"its\" 'name'.jsonl"
        support.write_tokens(data, 1500, support.SMALL["vocab_size"])
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--eval")
        options = ["--data", data, "--lr", 1e-3, "--metrics", metrics, "--progress=none", "--checkpoint", self.folder / "saved",
                   "--save-at-exit"]
        for more in (["--steps", 5, "--eval-data", data],
                     ["--steps", 12, "--resume", "latest", "--eval-data", data]):
            done = support.run(binary, *options, *more)
            self.assertEqual(done.returncode, 0, done.err)
        picture = self.draw(metrics, metrics)
        texts = self.texts(picture)
        for text in ("loss", "gradient norm", "learning rate", "tokens/s", "step", "evaluation"):
            self.assertIn(text, texts)
        # The loss of the console.
        last = float(re.search(r"final loss ([\d.]+) \(step 11\)", done.out)[1])
        self.assertEqual(sum(text.startswith(f"12 steps, last loss {last:.4g}, ") for text in texts), 2, texts)
        self.assertEqual(sum(text.endswith("its\" 'name'.jsonl") for text in texts), 2, texts)

    def test_pipe(self):
        """A pipe is written, and not replaced by a file."""
        run, pipe = self.write("run.jsonl", '{"step": 0, "loss": 1}\n'), self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            self.run_ok(support.ZEROC, "plot", run, "-o", pipe)
            self.assertIn(b"</svg>", reader.communicate()[0])
        self.assertTrue(pipe.is_fifo())

    def test_spikes_of_long_runs_stay(self):
        """A hundred thousand steps become a few thousand points, including the spike."""
        dice, long = random.Random(1), self.folder / "long.jsonl"
        with long.open("w") as file:
            for step in range(100_000):
                loss = 40 if step == 54_321 else None if 70_000 <= step < 75_000 else 2 + dice.random()
                file.write(json.dumps({"step": step, "loss": loss, "lr": 1e-3}) + "\n")
        picture = self.draw(long)
        last = json.loads(long.read_text().splitlines()[-1])["loss"]
        self.assertTrue(any(f", last loss {last:.4g} (average 2." in text for text in self.texts(picture)))
        paths = [path.get("d") for path in picture.iter(SVG + "path") if path.find(SVG + "title") is not None]
        raw = paths[0]
        points = [tuple(map(float, point.split())) for part in raw.split("M")[1:] for point in part.split("L")]
        self.assertLess(len(points), 4000)
        self.assertEqual(raw.count("M"), 2, "a gap is a gap")
        spike = min(points, key=lambda point: point[1])
        self.assertAlmostEqual(spike[0], 76 + 860 * 0.54321, delta=0.1)
        others = sorted(point[1] for point in points)[1]
        self.assertGreater(others - spike[1], 200)
        self.assertLess(len(paths[1].split("L")), 4000)
