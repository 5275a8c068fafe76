"""With --virtual-shards, losses, norms and weights do not depend on ranks, micro-steps, stages and groups.

Also those of runs that go on on another number of ranks.  Sums depend on the order, so plans without the option
differ; docs/zero.md says by how much a sum of float32 may.
"""
import support

DEEP = {**support.SMALL, "n_layer": 3}
#: Options of plans, by what they are compared with.
KINDS = {
    "fp32": (), "bf16": ("--precision=bf16",), "fp16": ("--precision=fp16",),
    "by chance": ("--precision=bf16", "--master=none", "--state-dtype=bf16"),
    "lora": ("--lora=4:8", "--dora", "--base-storage=nf4"),
    "lion": ("--optimizer=lion", "--grad-clip=0"),
    "norm": ("--grad-clip=0.05",),
}
#: Ranks, and options; 8 micro-batches are left to the micro-steps.
WAYS = (
    (1, ()), (2, ("--stage=0",)), (4, ("--stage=1",)), (8, ("--stage=2",)), (2, ("--stage=3",)), (8, ("--stage=3",)),
    (4, ("--stage=0", "--ranks-per-host=2")), (8, ("--stage=1", "--ranks-per-host=4")),
    (4, ("--stage=2", "--shard-size=2")), (4, ("--stage=3", "--shard-size=2")), (8, ("--stage=3", "--secondary-shard=2")),
    (8, ("--stage=3", "--ranks-per-host=2", "--reuse-distance=1GiB")),
)
#: Where state is kept, and what else must not change a bit.
PLACES = (
    ("--stage=3", "--offload=cpu"), ("--stage=3", "--offload=nvme", "--offload-gradients=cpu"),
    ("--stage=1", "--offload-optimizer=nvme", "--offload-ratio=0.5"), ("--stage=3", "--remat=block", "--prefetch=1GiB"),
    ("--stage=2", "--offload-gradients=nvme"),
)


class VirtualShards(support.Outcomes):
    def outcome(self, *options, ranks=1, shards=8, **how):
        return super().outcome(f"--virtual-shards={shards}", f"--accumulate={shards // ranks}", *options, ranks=ranks,
                               steps=how.pop("steps", 3), lr=1e-2, **how)

    def check(self, kind, ways):
        self.check_same_bits((f"{ranks} ranks {' '.join(options)}", self.outcome(*KINDS[kind], *options, ranks=ranks, env=env))
                             for ranks, options, env in ways)

    def test_places(self):
        self.check("fp32", [(1, (), {})] + [(2, options, {}) for options in PLACES])
        self.check("bf16", [(1, (), {})] + [(4, options, {"ZRT_CHAOS": "5"}) for options in PLACES[:2]])

    def test_more_shards_than_members_of_a_tree_level(self):
        """16 leaves, which 4 sums of one rank hold, or none of 16 ranks."""
        self.check_same_bits((f"{ranks} ranks", self.outcome(*options, ranks=ranks, shards=16, config=support.ODD))
                             for ranks, options in ((1, ()), (4, ("--stage=3",)), (16, ("--stage=3", "--ranks-per-host=4"))))

    def test_order_matters(self):
        """Otherwise equality would show nothing."""
        plain = support.Outcomes.outcome(self, "--stage=2", "--accumulate=4", ranks=2, steps=3, lr=1e-2)
        self.assertFalse(plain[1] == self.outcome("--stage=2", ranks=2)[1])

    def test_goes_on_on_other_ranks(self):
        whole = self.outcome(*KINDS["bf16"], ranks=2, steps=6)
        folder = self.folder / "checkpoints"
        begun, options = 0, (("--stage=3",), ("--stage=3", "--ranks-per-host=4"), ())
        for ranks, of_plan in zip((2, 8, 1), options):
            resumed = ("--resume", folder) if begun else ()
            steps = begun + 2
            with self.subTest(ranks=ranks, begun=begun):
                binary = support.compile_gpt2(support.SMALL, 2, 16, f"--world-size={ranks}", f"--accumulate={8 // ranks}",
                                              "--virtual-shards=8", *KINDS["bf16"], *of_plan)
                _, lines, saved = self.run_plan(
                    binary, "--data", self.folder / "tokens256.u16", "--steps", steps, "--lr", 1e-2, "--quiet",
                    "--checkpoint", folder, "--save-every", 2, *resumed, *(() if begun else ("--init", "random")),
                    ranks=ranks)
                self.assertEqual(support.bits_of(lines), whole[0][:steps])
                if steps == 6:
                    self.assertTrue(support.saved_bytes(saved) == whole[1], "weights differ")
            begun = steps

    def test_is_refused(self):
        model = support.import_model(support.SMALL, 2, 16)
        for options, error in (
                (("--virtual-shards=8", "--world-size=2"),
                 "--virtual-shards=8 is world-size x accumulate, got --world-size=2 --accumulate=1; give --accumulate=4"),
                (("--virtual-shards=8", "--world-size=3"), "take a world-size that divides it"),
                (("--virtual-shards=6", "--world-size=2", "--accumulate=3"), "--virtual-shards=6 is no power of two from 2 on"),
                (("--virtual-shards=8", "--accumulate=8", "--accumulate-order=block"), "drop --accumulate-order=block"),
                (("--virtual-shards=8", "--accumulate=8", "--precision=bf16", "--grad-dtype=bf16"), "sums in f32"),
                (("--virtual-shards=8", "--world-size=8", "--target=cuda", "--collectives=direct"),
                 "--virtual-shards adds up ranks on the host; take --collectives=host instead of direct")):
            with self.subTest(options):
                self.assert_refused(support.run(support.ZEROC, model, *options, "-o", self.folder / "t"), error)


def all_ways(kind, number):
    """Returns a test of `kind`, with delays in some of its runs."""
    def test(self):
        self.check(kind, [(ranks, options, {"ZRT_CHAOS": str(i + number)} if i % 4 == number % 4 else {})
                          for i, (ranks, options) in enumerate(WAYS)])
    return test


for number, kind in enumerate(KINDS):
    setattr(VirtualShards, "test_" + kind.replace(" ", "_"), all_ways(kind, number))
