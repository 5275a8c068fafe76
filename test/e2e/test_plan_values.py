"""zeroc plan of several values: its lines are the certificates of the plans."""
import re

import support


def number(text):
    return int(text.replace(",", ""))


class PlanValues(support.Case):
    def certificate(self, model, *options):
        return self.run_ok(support.ZEROC, model, *options, "--emit=obj", "-o",
                           self.folder / "plan.o").out

    def check(self, model, name, values, *options):
        table = self.run_ok(support.ZEROC, "plan", model, f"{name}={','.join(values)}", *options).out.splitlines()
        names = re.split(r"  +", table[1].strip())
        for line, value in zip(table[2:], values, strict=False):
            alone = f"{name}={value}"
            with self.subTest(plan=alone, options=options):
                cells = dict(zip(names, re.split(r"  +", line.strip()), strict=True))
                self.assertEqual(cells["options"], alone)
                text = self.certificate(model, *options, alone)
                self.assertNotIn("padding -", text)
                sizes = support.parse_sizes(text)
                for tier in ("device", "host", "nvme"):
                    stated = number(cells.get(f"{tier} of a rank", "0 B").removesuffix(" B"))
                    self.assertEqual(stated, sizes.get(f"{tier} arena", 0), text)
                state = re.search(r"model state: ([\d.]+) bytes", text)[1]
                self.assertEqual(cells["state a parameter"], f"{state} B")
                self.assertIn(f") live at {cells['device peak at']}\n", text)
                calls = {name: number(count) for name, count in
                         re.findall(r"^    (\w+) +[\d,]+ B  in ([\d,]+) call", text, re.MULTILINE)}
                if calls:
                    received = re.search(r"each rank receives ([\d,]+) bytes", text)[1]
                    self.assertEqual(cells["received a step"], f"{received} B")
                    self.assertEqual(number(cells["gathers"]), calls["all_gather"])
                    self.assertEqual(number(cells["reductions"]),
                                     calls["reduce_scatter"] + calls["all_reduce"])

    def test_stages(self):
        model = support.import_model(support.ODD, 1, 23)
        for options in (("--world-size=2",), ("--world-size=3", "--accumulate=2", "--offload=nvme"),
                        ("--world-size=4", "--precision=bf16")):
            self.check(model, "--stage", "0123", *options)

    def test_tiers(self):
        model = support.import_model(support.SMALL, 2, 32)
        tiers = ("none", "cpu", "nvme")
        self.check(model, "--offload", tiers)
        self.check(model, "--offload", tiers, "--precision=bf16", "--accumulate=2", "--remat=block")
