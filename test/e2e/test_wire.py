"""Collectives in fewer bits (--wire-params, --wire-gradients): the same bits for all schedules, and fewer bytes.

Blocks begin at multiples of 256 elements of a bucket, so plans with the same buckets round alike, wherever state lies
and whenever ranks exchange it.  Groups of ranks add up gradients within groups first, in their own bits.
"""
import json

import support

DEEP = {**support.SMALL, "n_layer": 3}
FORMS = ("bf16", "int8", "int4")
#: Plans with the same collectives of gradients: options, and the environment.
GRADIENTS = (
    ("--stage=0",), ("--stage=1", "--offload-optimizer=nvme"), ("--stage=2", "--remat=block"), ("--stage=3",),
    ("--stage=3", "--offload=nvme", "--reuse-distance=1GiB"),
)
#: The same for parameters: all are of stage 3.
PARAMETERS = (
    (), ("--reuse-distance=1GiB",), ("--reuse-distance=1KiB", "--prefetch=0"), ("--offload=cpu", "--prefetch=1GiB"),
    ("--offload=nvme", "--remat=block"), ("--eval",),
)
GROUPS = (("--stage=3", "--ranks-per-host=2"), ("--stage=3", "--secondary-shard=2"),
          ("--stage=3", "--secondary-shard=2", "--offload-params=cpu"))
ENVIRONMENTS = ({}, {"ZRT_CHAOS": "3"}, {"ZRT_RANKS_PER_HOST": "1"}, {}, {"ZRT_CHAOS": "7", "ZRT_RANKS_PER_HOST": "2"})


class Wire(support.Outcomes):
    def outcomes(self, ways, *options, ranks=2, **how):
        """Returns the outcome of each plan, with some delays, and some ranks apart."""
        for number, way in enumerate(ways):
            env = ENVIRONMENTS[number % len(ENVIRONMENTS)]
            if "--ranks-per-host=2" in way and "ZRT_RANKS_PER_HOST" in env:
                env = {"ZRT_RANKS_PER_HOST": "2"}
            yield f"{' '.join(way)} {env}", self.outcome(*way, *options, ranks=ranks, steps=3, lr=1e-2, env=env, **how)

    def test_gradients(self):
        for form, precision, ways in zip(FORMS, ("fp32", "fp32", "fp16"), (GRADIENTS[::2], GRADIENTS, GRADIENTS[1::2])):
            with self.subTest(form=form, precision=precision):
                self.check_same_bits(self.outcomes(ways, f"--wire-gradients={form}", f"--precision={precision}",
                                                   ranks=3, config=DEEP))

    def test_parameters(self):
        for form, precision, ways in zip(FORMS, ("fp32", "bf16", "fp32"), (PARAMETERS[::3], PARAMETERS, PARAMETERS[1::2])):
            with self.subTest(form=form, precision=precision):
                self.check_same_bits(self.outcomes(ways, "--stage=3", f"--wire-params={form}",
                                                   f"--precision={precision}"))

    def test_plan(self):
        """The printed plan says what is exchanged."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--world-size=2", "--stage=3", "--wire-gradients=int8", "--wire-params=int4")
        plan = self.run_ok(binary, "--plan").out
        self.assertRegex(plan, r"quantize .* elements to \w+")
        self.assertRegex(plan, r"dequantize .* elements of \w+")

    def test_groups(self):
        """Gradients are quantized only between groups, parameters are gathered quantized over both."""
        self.check_same_bits(self.outcomes(GROUPS, "--wire-params=int8", "--wire-gradients=int4", ranks=4))
        ways = [("--stage=1", "--ranks-per-host=2"), ("--stage=2", "--shard-size=2"), ("--stage=3", "--shard-size=2")]
        self.check_same_bits(self.outcomes(ways, "--wire-gradients=int8", ranks=4))

    def test_micro_steps(self):
        for ways in (GRADIENTS[:2], GRADIENTS[2:]):  # two orders of sums
            self.check_same_bits(self.outcomes(ways, "--accumulate=2", "--wire-gradients=int8", config=DEEP))
        block = ("--stage=3", "--accumulate-order=block")
        self.check_same_bits(self.outcomes((GRADIENTS[3], block), "--accumulate=2", "--wire-gradients=int4"))

    def test_adapters(self):
        """Packed parameters are gathered as they are."""
        ways = (("--stage=3",), ("--stage=3", "--offload=cpu", "--prefetch=0"))
        for lora in (("--lora=4:8",), ("--lora=4:8", "--dora", "--base-storage=nf4")):
            self.check_same_bits(self.outcomes(ways, *lora, "--wire-params=int8", "--wire-gradients=int8"))

    def test_is_near(self):
        """One step of plain descent: a gradient of 8 bits is off by 1/254 of the largest of its block at most."""
        def weights(name, *options):
            binary = support.compile_gpt2(DEEP, 2, 16, "--world-size=2", "--stage=2", "--optimizer=sgd", "--grad-clip=0",
                                          "--weight-decay=0", *options)
            tokens = self.write_tokens(400, DEEP["vocab_size"])
            return support.read_safetensors(self.train(binary, tokens, 1, 1.0, name=name, ranks=2)[1])
        full = weights("full")
        for form, least, most in (("bf16", 1e-5, 0.004), ("int8", 1e-4, 0.004), ("int4", 2e-3, 0.08)):
            error, where = support.largest_difference(weights(form, f"--wire-gradients={form}"), full)
            self.assertGreater(error, least, form)
            self.assertLess(error, most, where)

    def test_fewer_bytes(self):
        """The program refuses collectives of other bytes than its plan says; a block has 260 or 132 bytes, not 1,024."""
        wire = {}
        for form in ("full", *FORMS):
            binary = support.compile_gpt2(DEEP, 2, 16, "--world-size=4", "--stage=3", f"--wire-params={form}",
                                          f"--wire-gradients={form}")
            wire[form] = json.loads(self.run_ok(binary, "--certificate=json").out)["wire"]
            self.train(binary, self.write_tokens(400, DEEP["vocab_size"]), 2, 1e-3, name=form, ranks=4)
        for kind in ("all_gather", "reduce_scatter"):
            full = wire["full"][kind]["bytes"]
            for form, share in (("bf16", 1 / 2), ("int8", 260 / 1024), ("int4", 132 / 1024)):
                # Buckets of blocks have more padding.
                self.assertGreaterEqual(wire[form][kind]["bytes"], share * full)
                self.assertLess(wire[form][kind]["bytes"], 1.5 * share * full)

    def test_digest(self):
        """What a rank computes is digested before it is quantized."""
        binary = support.compile_gpt2(DEEP, 2, 16, "--world-size=2", "--stage=2", "--wire-gradients=int8")
        flags = ("--data", self.write_tokens(400, DEEP["vocab_size"]), "--steps", 4, "--lr", 1e-3, "--quiet")
        self.run_ok(binary, *flags, "--digest", self.folder / "flipped", "--digest-for=ranks",
                    env={"ZRT_FLIP": "2:1:computed:1:7:30"})
        done = support.run(binary, *flags, "--against", self.folder / "flipped")
        self.assert_refused(done, "step 2: rank 1 computed another gradient of bucket b1", status=5)

    def test_is_refused(self):
        model = support.import_model(support.SMALL, 2, 16)
        for options, error in (
                (("--wire-params=int8", "--stage=3"), "is for what ranks exchange, and there is one rank"),
                (("--wire-gradients=int8",), "is for what ranks exchange, and there is one rank"),
                (("--wire-params=int8", "--world-size=2", "--stage=2"), "--wire-params=int8 needs --stage=3"),
                (("--wire-params=int8", "--world-size=4", "--stage=3", "--shard-size=2"), "take --secondary-shard instead"),
                (("--wire-gradients=int8", "--world-size=2", "--virtual-shards=2"), "so sums depend on their number"),
                (("--wire-params=int8", "--world-size=2", "--stage=3", "--virtual-shards=2"), "gathers nothing"),
                (("--wire-gradients=int3", "--world-size=2"), "int3"),
                (("--wire-params=bf16", "--world-size=2", "--stage=3", "--precision=bf16"), "would leave all as it is"),
                (("--wire-gradients=bf16", "--world-size=2", "--precision=fp16"), "would leave all as it is"),
                (("--wire-params=int8", "--world-size=2", "--stage=3", "--persist-below=1GiB"),
                 "finds no parameter that ranks gather"),
                (("--wire-gradients=int8", "--world-size=2", "--target=cuda"), "is for processors")):
            with self.subTest(options):
                self.assert_refused(support.run(support.ZEROC, model, *options, "-o", self.folder / "t"), error)
