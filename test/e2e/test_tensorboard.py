"""Events for TensorBoard: every number of the metrics, in valid records."""
import struct

import support

VOCAB = support.SMALL["vocab_size"]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields(message):
    """Returns (number, value) of each field of a protocol buffer."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or varint()
        yield key >> 3, message[at:at + size]
        at += size


def read_events(path):
    """Returns (step, {tag: value}, starts?) of each record; checksums must be right."""
    data, events = path.read_bytes(), []
    while data:
        head, (size,) = data[:8], struct.unpack_from("<Q", data)
        event = data[12:12 + size]
        assert struct.unpack_from("<I", data, 8)[0] == masked(head)
        assert struct.unpack_from("<I", data, 12 + size)[0] == masked(event)
        data = data[16 + size:]
        found, step, starts = {}, 0, False
        for number, value in fields(event):
            if number == 2:
                step = value
            elif number == 5:
                for _, scalar in fields(value):
                    parts = dict(fields(scalar))
                    found[parts[1].decode()] = struct.unpack("<f", parts[2])[0]
            elif number == 7:
                starts = dict(fields(value)) == {1: 1}
        events.append((step, found, starts))
    return events


class TensorBoard(support.Case):
    TAGS = {"train/loss": "loss", "train/lr": "lr", "train/grad_norm": "grad_norm", "eval/loss": "eval_loss",
            "speed/step_ms": "step_ms", "speed/tokens_per_s": "tokens_per_s",
            "eval/perplexity": "eval_perplexity", "train/loss_scale": "loss_scale"}

    def events(self, folder):
        return [read_events(path) for path in sorted((self.folder / folder).iterdir(),
                                                     key=lambda path: path.stat().st_mtime_ns)]

    def start(self, *options, ranks=1):
        self.data = self.folder / "data.u16"
        support.write_tokens(self.data, 900, VOCAB)
        self.binary = support.compile_gpt2(support.SMALL, 2, 16, f"--world-size={ranks}", *options)

    def test_crc(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_all_numbers(self):
        self.start("--eval", "--precision=fp16", ranks=2)
        lines, _ = self.train(self.binary, self.data, 7, 1e-2, "--tensorboard", self.folder / "a/b",
                              "--eval-data", self.data, "--eval-every", 3, ranks=2)
        (events,) = self.events("a/b")
        self.assertEqual(events[0], (0, {}, False))
        self.assertEqual([step for step, _, _ in events[1:]], list(range(7)))
        for line, (_, found, _) in zip(lines, events[1:], strict=True):
            self.assertEqual(set(found), {tag for tag, field in self.TAGS.items() if field in line})
            for tag, value in found.items():
                self.assert_close(value, line[self.TAGS[tag]], 1e-6, tag)

    def test_resumed(self):
        self.start()
        keep = ("--checkpoint", self.folder / "ck", "--save-every", 2, "--tensorboard", self.folder / "tb")
        self.train(self.binary, self.data, 3, 1e-2, *keep)
        self.run_ok(self.binary, "--data", self.data, "--steps", 5, "--lr", "1e-2", *keep, "--resume",
                    self.folder / "ck/step-2", "--quiet")
        _, second = self.events("tb")
        self.assertEqual(second[1], (2, {}, True))  # older events from here on are not shown
        self.assertEqual([step for step, _, _ in second[2:]], [2, 3, 4])

    def test_refusals(self):
        self.start()
        start = (self.binary, "--data", self.data, "--steps", 2, "--lr", 0)
        self.assert_refused(support.run(*start, "--tensorboard", ""), "--tensorboard needs the name", status=2)
        file = self.write("file", "")
        self.assert_refused(support.run(*start, "--tensorboard", file), "events", str(file), status=1)

    def test_full_disk(self):
        """Training continues, and the records written so far are complete."""
        self.start()
        done = support.run(self.binary, "--data", self.data, "--steps", 40, "--lr", 0, "--tensorboard",
                           self.folder / "tb", file_limit=2000)
        self.assertEqual(done.returncode, 4, done.err)
        self.assertIn("training continues without events", done.err)
        (events,) = self.events("tb")
        self.assertLess(2, len(events))
        self.assertLess(len(events), 40)
