"""The memory certificate: what zeroc prints is what the binary states and allocates."""
import re

import support


def number(text):
    return int(text.replace(",", ""))


class Certificate(support.Case):
    TEMPORARY = ("gradients", "activations", "workspace", "communication buffers")
    CATEGORIES = ("parameters", "optimizer state", "inputs and outputs", "unused", *TEMPORARY)

    def sizes(self, binary):
        printed = (binary.parent / "zeroc.txt").read_text()
        sizes = support.parse_sizes(printed)
        sizes.setdefault("communication buffers", 0)  # On one rank there are none.
        for name in (*self.CATEGORIES, "device arena"):
            self.assertIn(name, sizes, printed)
        return printed, sizes

    def check(self, config, batch, seq, slots, *options):
        binary = support.compile_gpt2(config, batch, seq, *options)
        printed, sizes = self.sizes(binary)

        # The categories add up to the arena.
        self.assertEqual(sum(sizes[name] for name in self.CATEGORIES), sizes["device arena"])

        # The binary states the same numbers.
        stated = support.parse_sizes(self.run_ok(binary, "--certificate").out)
        for name in (*self.CATEGORIES, "device arena"):
            if sizes[name] or name in stated:
                self.assertEqual(stated.get(name), sizes[name], name)

        # It allocates them.
        data = self.folder / "tokens.u16"
        support.write_tokens(data, batch * seq + 1, config["vocab_size"])
        saved = self.folder / "saved.safetensors"
        started = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 0.001, "--save", saved)
        memory = re.search(r"^memory\s+device ([\d,]+) bytes", started.out, re.MULTILINE)
        self.assertIsNotNone(memory, started.out)
        self.assertEqual(number(memory[1]), sizes["device arena"])

        # State is what arithmetic says: 4 bytes for each copy of a parameter, and
        # members padded to 16 elements.
        counts = [len(values) for _, values in support.read_safetensors(saved).values()]
        padded = sum((count + 15) // 16 * 16 for count in counts)
        self.assertEqual(sizes["parameters"], 4 * padded)
        self.assertEqual(sizes["optimizer state"], 4 * slots * padded)

        # With gradients, all of which are there when their norm is known.
        state = re.search(r"([\d.]+) bytes a parameter \+ ([\d,]+) bytes of padding", printed)
        self.assertIsNotNone(state, printed)
        copies = 2 + slots
        self.assertEqual(float(state[1]), 4 * copies)
        self.assertEqual(number(state[2]), 4 * copies * (padded - sum(counts)))
        return sizes

    def check_ranks(self, stage, ranks, micro_steps, *options):
        """The terms of ZeRO: each either whole or one of N parts."""
        binary = support.compile_gpt2(support.ODD, 1, 23, f"--stage={stage}",
                                      f"--world-size={ranks}", f"--accumulate={micro_steps}",
                                      *options)
        printed, sizes = self.sizes(binary)
        self.assertEqual(sum(sizes[name] for name in self.CATEGORIES), sizes["device arena"])
        count = number(re.search(r"([\d,]+) parameters; stage", printed)[1])
        terms = {name: [number(part) for part in parts] for name, *parts in re.findall(
            r"^    ([a-z ]+?) +([\d,]+) B = ([\d,]+)(?: / (\d+))? \+ padding ([\d,]+)$",
            re.sub(r"( B = [\d,]+) \+", r"\1 / 1 +", printed), re.MULTILINE)}
        sharded = {"parameters": stage >= 3, "gradients": stage >= 2,
                   "optimizer state": stage >= 1}
        for name, copies in (("parameters", 1), ("gradients", 1), ("optimizer state", 2)):
            held, members, parts, padding = terms[name]
            self.assertEqual(members, 4 * copies * count, printed)
            self.assertEqual(parts, ranks if sharded[name] else 1, printed)
            self.assertEqual(held, members // parts + padding, printed)
            # At most 15 elements a member, and ranks x 16 - 1 a bucket.
            self.assertLess(padding, 4 * copies * 41 * 16 + 4 * copies * 6 * 16 * ranks, printed)
        self.assertEqual(sizes["parameters"], terms["parameters"][0])
        self.assertEqual(sizes["optimizer state"], terms["optimizer state"][0])

        data = self.folder / "tokens.u16"
        support.write_tokens(data, 23 * ranks * micro_steps + 1, support.ODD["vocab_size"])
        started = self.run_ok(*support.launcher(ranks), binary, "--data", data, "--steps", 1,
                              "--lr", 0.001, env=support.MPI_ENVIRONMENT)
        memory = re.search(r"^memory\s+device ([\d,]+) bytes", started.out, re.MULTILINE)
        self.assertEqual(number(memory[1]), sizes["device arena"])
        return sizes

    def test_stages(self):
        for ranks, micro_steps, *options in ((2, 1), (4, 1), (3, 2),
                                             (2, 3, "--accumulate-order=block")):
            states = []
            for stage in range(4):
                with self.subTest(ranks=ranks, stage=stage, micro_steps=micro_steps, options=options):
                    sizes = self.check_ranks(stage, ranks, micro_steps, *options)
                    states.append(sizes["parameters"] + sizes["optimizer state"])
            self.assertEqual(states, sorted(states, reverse=True))

    def test_adamw(self):
        self.check(support.SMALL, 4, 32, 2, "--optimizer=adamw")

    def test_sgd(self):
        self.check(support.SMALL, 4, 32, 1, "--optimizer=sgd")

    def test_odd_sizes(self):
        self.check(support.ODD, 3, 23, 2)

    def test_reference(self):
        self.check(support.SMALL, 4, 32, 2, "--reference")

    def test_batch_moves_activations_only(self):
        small = self.check(support.SMALL, 2, 32, 2)
        large = self.check(support.SMALL, 16, 32, 2)
        self.assertEqual(small["parameters"], large["parameters"])
        self.assertEqual(small["optimizer state"], large["optimizer state"])
        self.assertGreater(large["device arena"], small["device arena"])
        self.assertGreater(large["activations"], 4 * small["activations"])
