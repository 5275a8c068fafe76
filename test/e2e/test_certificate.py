"""The memory certificate: zeroc's numbers equal those that the binary prints and allocates."""
import json
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
        data = self.write_tokens(batch * seq + 1, config["vocab_size"])
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
        """The terms of ZeRO: each is either whole or one of N parts."""
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
            # At most 15 elements per member, and ranks x 16 - 1 per bucket.
            self.assertLess(padding, 4 * copies * 41 * 16 + 4 * copies * 6 * 16 * ranks, printed)
        self.assertEqual(sizes["parameters"], terms["parameters"][0])
        self.assertEqual(sizes["optimizer state"], terms["optimizer state"][0])

        data = self.write_tokens(23 * ranks * micro_steps + 1, support.ODD["vocab_size"])
        started = self.run_ok(binary, "--data", data, "--steps", 1,
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

    def check_json(self, config, ranks, *options):
        """Compiler and binary print one object each, with the numbers of the texts."""
        model = support.import_model(config, 2, 16)
        binary = self.folder / "train"
        command = (support.ZEROC, model, f"--world-size={ranks}", *options, "-o", binary)
        text = self.run_ok(*command).out
        made = self.run_ok(*command, "--certificate=json")
        self.assertIn(f"wrote {binary}", made.err)
        stated = self.run_ok(binary, "--certificate=json").out
        self.assertEqual(stated, made.out)
        of = json.loads(stated)

        self.assertEqual((of["format"], of["model"], of["ranks"]), (1, "model.mlir", ranks))
        self.assertEqual(of["parameters"], number(re.search(r"([\d,]+) parameters", text)[1]))
        shown = re.findall(r"^  ([a-z][a-z ]*?) +([\d,]+) B +[\d.]+ MiB$", text, re.MULTILINE)
        for arena in of["arenas"]:
            # Lines of a tier, up to its arena's.
            end = next(i for i, (name, _) in enumerate(shown) if name == f"{arena['tier']} arena")
            self.assertEqual(number(shown[end][1]), arena["bytes"])
            for name, size in shown[:end]:
                self.assertEqual(arena["categories"].pop(name.replace(" ", "_")), number(size), name)
            self.assertEqual(set(arena["categories"].values()) | {0}, {0})
            shown = shown[end + 1:]
            prefix = "" if arena["tier"] == "device" else arena["tier"] + " "
            peak = arena["peak"]
            self.assertIn(f"\n  {prefix}peak: {support.show_bytes(peak['bytes'])} live at "
                          f"{peak['at'] or 'the start'}\n", text)
            self.assertLessEqual(len(peak["largest"]), 5)
            for live in peak["largest"]:
                self.assertIn(f" {live['bytes']:,} B  {live['name']}\n", text)
        self.assertEqual(shown, [])
        for name, term in of["model_state"].items():
            self.assertRegex(text, rf"    {name.replace('_', ' ')} +{term['held']:,} B = .*"
                                   rf"padding {term['padding']:,}\n")
            self.assertEqual(term["held"], term["whole"] + term["sharded"] // ranks + term["padding"])
        for name, wire in of["wire"].items():
            if ranks > 1:
                self.assertRegex(text, rf"    {name} +{wire['bytes']:,} B  in {wire['calls']:,} call")
        for name in ("evaluation", "generation"):
            self.assertEqual(of[name] > 0, f"  {name}: {of[name]:,} bytes" in text)
        self.assertTrue(of["outside"])
        for what in of["outside"]:
            self.assertIn(f"  outside the arenas: {what}\n", text)
        self.assertIn(f" {support.show_bytes(of['checkpoint']['copies'])} of host memory for copies", text)

        # The transfers are those that the binary counts in its tables.
        own = self.run_ok(binary, "--certificate=text").out
        self.assertEqual(own, self.run_ok(binary, "--certificate").out)
        sizes = dict(re.findall(r"^  (.*?) each step +([\d,]+) ", own, re.MULTILINE))
        for name, size in of["links"].items():
            self.assertEqual(number(sizes.pop(name, "0")), size, own)
        self.assertEqual(number(sizes.pop("received", "0")),
                         sum(wire["bytes"] for wire in of["wire"].values()))
        self.assertEqual(sizes, {})
        return of

    def test_json(self):
        self.check_json(support.SMALL, 1, "--eval", "--sample")
        self.check_json(support.SMALL, 1, "--offload=nvme", "--accumulate=2")
        self.check_json(support.ODD, 2, "--stage=3", "--offload=cpu", "--accumulate=3",
                        "--accumulate-order=block", "--precision=bf16")
        of = self.check_json(support.ODD, 2, "--stage=3")
        gathered = of["arenas"][0]["peak"]["gathered"]
        self.assertTrue(all(re.match(r"@b\d+ \(.*\)$", live["name"]) for live in gathered), gathered)

    def test_json_of_bad_requests(self):
        model = support.import_model(support.SMALL, 2, 16)
        binary = support.compile_gpt2(support.SMALL, 2, 32)
        done = support.run(binary, "--certificate=xml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--certificate=xml is unknown; choose one of json, text", done.err)
        for options, message in (
                (("--certificate=xml",), "--certificate must be text or json, got xml"),
                (("--certificate=json", "--emit=memory"),
                 "--certificate changes nothing before --emit=obj, and --emit=memory stops before that")):
            done = support.run(support.ZEROC, model, *options, "-o", self.folder / "out")
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.err)
