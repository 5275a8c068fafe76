"""benchmark/experts_over_ranks.py: its arithmetic, and its table of a small mixture of experts."""
import sys

import support

sys.path.append(str(support.ROOT / "benchmark"))
import experts_over_ranks as over

SCRIPT = support.ROOT / "benchmark" / "experts_over_ranks.py"
#: 16 experts of 3 x 256 x 512.
MIXTURE = dict(model_type="mixtral", vocab_size=256, hidden_size=256, intermediate_size=512, num_hidden_layers=2,
               num_attention_heads=4, num_key_value_heads=4, num_local_experts=16, num_experts_per_tok=2,
               max_position_embeddings=64)
SECONDS = {"all_gather.call": 1, "reduce_scatter.call": 1, "all_gather.byte": 10, "reduce_scatter.byte": 20, "*.memory": 0.5}
HOST, HOSTS = over.Place("a host", 1), over.Place("hosts", 4, network=2)


def task(name, alone, stream="compute"):
    return {"name": name, "alone": alone, "stream": stream}


def program(*tasks):
    memory = {"categories": ["state", "communication"], "points": [[0, 100, 50], [1, 100, 900], [2, 100, 0]]}
    return {"tasks": tasks, "memory": {"device": memory}}


class ExpertsOverRanks(support.Case):
    def test_exchange(self):
        """7 other members, after 3 other hosts; a call for each round, and memory as the simulator counts it."""
        self.assertEqual(over.exchange("all_gather", 6, 8, HOST, SECONDS), {"gather": 8 + 6 * (7 * 10 + 9 * 0.5)})
        self.assertEqual(over.exchange("reduce_scatter", 6, 32, HOSTS, SECONDS),
                         {"reduce": 32 + 4 * 6 * (7 * 20 + 9 * 0.5), "reduce_groups": 32 + 6 * (3 / 2 + 5 * 0.5)})

    def test_streams(self):
        """Of the bucket with experts the rest is gathered and reduced, of the other all."""
        model = over.Model(width=1, experts={"b1": (48, 64)})
        step = program(task("all_gather of b0", 5, "gather"), task("all_gather over members of b1", 9, "gather"),
                       task("all_gather over groups of b1", 17, "gather_groups"),
                       task("reduce_scatter over groups of b1", 21, "reduce_groups"),
                       task("matmul of b1", 3), task("grouped_matmul of experts", 10),
                       task("grouped_matmul_backward of experts", 100))
        tokens = 4
        gathers = 3 * (8 + 8 * (7 * 10 + 9 * 0.5))
        for place, group, between in ((HOSTS, 8, (17, 21)), (HOSTS, 32, (1 + 16 / 4, 1 + 20 / 4))):
            way = over.tokens_move(step, model, place, SECONDS, tokens, group)
            written = (1 - 1 / group) * 2 * 16 * 0.5
            self.assertEqual(way.streams["compute"], 3 + 10 + 100 - written)
            if group == 8:
                self.assertEqual(way.streams["gather"], 5 + (1 + 8 / 4) + gathers)
                self.assertEqual((way.streams["gather_groups"], way.streams["reduce_groups"]), between)
            else:
                exchange = over.exchange("all_gather", 8, 32, place, SECONDS)["gather_groups"]
                self.assertEqual(way.streams["gather_groups"], between[0] + 3 * exchange)
                exchange = over.exchange("reduce_scatter", 8, 32, place, SECONDS)["reduce_groups"]
                self.assertEqual(way.streams["reduce_groups"], between[1] + 2 * exchange)
        uneven = over.tokens_move(step, model, HOSTS, SECONDS, tokens, 8, uneven=2)
        self.assertEqual(uneven.streams["compute"], 3 + 2 * (10 + 100 - 7 / 8 * 16))

    def test_memory(self):
        """At the peak, 900 bytes of communication: whole buckets, but for parts of 2 x 64 / 8 between hosts."""
        model = over.Model(width=1, experts={"b1": (48, 64)})
        self.assertEqual(over.zero3(program()).memory, 1000)
        for place, group, less in ((HOST, 8, 7 / 8 * 900), (HOSTS, 8, 7 / 8 * 884), (HOSTS, 32, 31 / 32 * 884 + 16)):
            way = over.tokens_move(program(), model, place, SECONDS, 4, group)
            self.assertEqual(way.memory, 1000 - 0.75 * less + 4 * 8)

    def test_bounds(self):
        way = over.Way(over.Counter(compute=5, gather=4, reduce=3, gather_groups=2, reduce_groups=4), 0)
        self.assertEqual(way.bounds(), (6, 18))

    def print_table(self, *options, config=MIXTURE):
        return support.run(sys.executable, SCRIPT, f"--models={self.write('mixture.json', config)}", "--seq=16", *options,
                           cwd=self.folder)

    def test_table(self):
        """Few tokens travel over a slow network rather than experts, many do not."""
        done = self.print_table("--tokens=16,1024", "--places=8,hosts")
        self.assertEqual(done.returncode, 0, done.err)
        _, names, *rows = done.out.splitlines()
        self.assertEqual(names.split()[:2], ["tokens", "ZeRO-3"])
        self.assertEqual([row.split()[-6] for row in rows], ["8", "16", "8", "8"])
        few, many = (float(row.split()[-4].split("-")[0]) for row in (rows[1], rows[3]))
        self.assertGreater(few, 1.5)
        self.assertLess(many, 1.1)

    def test_refused(self):
        dense = {key: value for key, value in MIXTURE.items() if "experts" not in key} | {"model_type": "llama"}
        for done, error in ((self.print_table("--tokens=24"), "24 tokens are not sequences of 16"),
                            (self.print_table("--tokens=16", config=dense), "has no experts")):
            self.assertEqual(done.returncode, 1)
            self.assertIn(error, done.err)
