"""zeroc plan of several values: its lines are the certificates of the plans."""
import itertools
import re

import support


def number(text):
    return int(text.replace(",", ""))


def read_table(text):
    """[{name: cell}] of each row; names may have two lines, and further columns follow in a further table."""
    rows = {}
    body = "\n".join(itertools.takewhile(lambda line: not line or line[0] == " ", text.splitlines()[1:]))
    for part in body.split("\n\n"):
        lines = part.splitlines()
        taken = "".join("x" if any(line[i:i + 1].strip() for line in lines) else " " for i in range(max(map(len, lines))))
        cells = [[line[slice(*found.span())].strip() for found in re.finditer("x+(?: x+)*", taken)] for line in lines]
        names = [" ".join(filter(None, name)) for name in zip(*(row for row in cells if not row[0].startswith("--")))]
        for row in cells:
            if row[0].startswith("--"):
                rows.setdefault(row[0], {}).update(zip(names, row))
    return [*rows.values()]


class PlanValues(support.Case):
    def certificate(self, model, *options):
        return self.run_ok(support.ZEROC, model, *options, "--emit=obj", "-o",
                           self.folder / "plan.o").out

    def check(self, model, name, values, *options):
        table = read_table(self.run_ok(support.ZEROC, "plan", model, f"{name}={','.join(values)}", *options).out)
        for cells, value in zip(table, values, strict=True):
            alone = f"{name}={value}"
            with self.subTest(plan=alone, options=options):
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
