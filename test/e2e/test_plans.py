"""Options of plans in combination: every pair of values trains to the bits of a plain plan.

The treatment of state, activations and updates, the additional work besides training, and the way
ranks run must not change a bit.  The rows are those of a table that contains every pair of values
that a plan can have (covering.py); `test/random/check.py --models=1000` draws larger sets.
"""
import covering
import plan_rules
import support

DEEP = {**support.SMALL, "n_layer": 3}
MODELS = {"deep": DEEP, "odd": support.ODD}
#: A rule in a file, which is also built in.
LION = f"--optimizer={support.EXAMPLES / 'optimizers' / 'lion.mlir'}"

#: Axes and their values: options of zeroc, except `model`, `ranks` and `run`.
AXES = {
    "model": tuple(MODELS),
    "ranks": (1, 2, 3, 4),
    "groups": ("", "--ranks-per-host=2", "--shard-size=2", "--secondary-shard=2"),
    "stage": (0, 1, 2, 3),
    "wire": ("", "--wire-gradients=int8", "--wire-params=int8 --wire-gradients=bf16"),
    "precision": ("fp32", "bf16", "fp16"),
    "types": ("", "--grad-dtype=f32", "--grad-dtype=half", "--state-dtype=bf16", "--master=none",
              "--master=none --state-dtype=bf16 --grad-dtype=f32", "--master=none --state-dtype=bf16 --grad-dtype=half"),
    "accumulate": (1, 2, 3),
    "order": ("batch", "block"),
    "optimizer": ("--optimizer=adamw", "--grad-clip=0", "--optimizer=sgd --grad-clip=0", "--optimizer=lion",
                  f"{LION} --grad-clip=0"),
    "adapters": ("", "--lora=4:8 --dora", "--lora=4:8 --base-storage=nf4", "--lora=4:8 --dora --base-storage=int8"),
    "chunks": ("", "--loss-chunk=1", "--loss-chunk=9KiB"),  # one row; several, with a smaller last chunk
    "state": ("none", "cpu", "nvme"),
    "near": ("", "--offload-ratio=0.9", "--offload-ratio=0.4"),
    "parameters": ("none", "cpu", "nvme"),
    "sums": ("none", "cpu", "nvme"),
    "update": ("", "--overlap-update", "--delayed-update"),
    "remat": ("", "--remat=block", "--remat=kernels", "--remat=block --remat-ratio=0.5"),
    "activations": ("none", "cpu", "nvme"),
    "bucket": ("", "1", "2KiB", "20KiB", "1GiB"),
    "kept": ("", "--persist-below=1KiB", "--persist-below=1GiB", "--reuse-distance=8KiB", "--reuse-distance=1GiB"),
    "ahead": ("", "--prefetch=0", "--prefetch=8KiB", "--prefetch=1GiB"),
    "besides": ("", "--eval", "--sample"),
    "run": ("", "delays", "1 on a host", "2 on a host", "2 threads", "guard", "checked reads"),
}


#: How zeroc's options of an axis are typed, where its values are not the options themselves.
TYPED = {"ranks": "--world-size={}", "stage": "--stage={}", "precision": "--precision={}", "accumulate": "--accumulate={}",
         "order": "--accumulate-order={}", "state": "--offload-optimizer={}", "parameters": "--offload-params={}",
         "sums": "--offload-gradients={}", "activations": "--offload-activations={}", "bucket": "--bucket-size={}"}


def typed(axis, value):
    """Zeroc's options of one axis."""
    if axis in ("model", "run"):
        return []
    return [TYPED[axis].format(value)] if axis in TYPED and value != "" else str(value).split()


#: name -> value of all options of an axis, for each of its values; all values of an option; and these as sets.
READ, VALUES = {}, {"grad-dtype": {"bf16", "fp16"}}
for axis, values in AXES.items():
    read = {value: plan_rules.read(typed(axis, value)) for value in values}
    usual = {name: plan_rules.DEFAULTS[name] for options in read.values() for name in options}
    READ |= {(axis, value): usual | read[value] for value in values}
    for value in values:
        for name, one in READ[axis, value].items():
            VALUES.setdefault(name, set()).add(one)
RULES = plan_rules.Rules(VALUES)
ANY = {name: (1 << len(RULES.values[name])) - 1 for name in VALUES}
READ = {item: RULES.of(options) for item, options in READ.items()}
HALVES = {half: RULES.of({"grad-dtype": half})["grad-dtype"] for half in ("bf16", "fp16")}


def refuses(part):
    """Returns true if zeroc or the binary refuses every plan or run with these values."""
    get = part.get
    several = get("ranks", 2) > 1
    sets = dict(ANY)
    for item in part.items():
        sets |= READ[item]
    if "half" in get("types", ""):
        sets["grad-dtype"] = HALVES.get(get("precision"), HALVES["bf16"] | HALVES["fp16"])
    return (RULES.find_broken(sets) is not None or (get("types") == "--grad-dtype=half" and get("precision") == "fp32")
            # State that each of several ranks holds completely stays on the device.
            or (get("parameters", "none") != "none" and get("ranks", 1) > 1 and get("kept") == "--persist-below=1GiB")
            or ("params" in get("wire", "") and get("kept") == "--persist-below=1GiB")
            or (get("groups", "") != "" and get("ranks", 4) != 4)
            or (get("groups") == "--ranks-per-host=2" and get("run") == "1 on a host")
            or ("host" in get("run", "") and not several)
            or (get("run") == "checked reads" and "nvme" not in (get("state", "nvme"), get("parameters", "nvme"),
                                                                 get("activations", "nvme"), get("sums", "nvme"))))


#: Rows that are always included: past errors, and near errors.
FIXED = (
    # A parameter that is larger than a bucket is fetched in pieces, on one rank too.
    {"model": "odd", "ranks": 1, "precision": "bf16", "state": "nvme", "parameters": "nvme", "bucket": "2KiB"},
    {"model": "odd", "ranks": 1, "precision": "bf16", "state": "cpu", "parameters": "cpu", "bucket": "2KiB"},
    # Offloaded activations, with updates during the next forward.
    {"ranks": 2, "stage": 3, "state": "nvme", "parameters": "nvme", "update": "--overlap-update", "remat": "--remat=block",
     "activations": "nvme"},
    # Block by block, with everything offloaded; each micro-step makes the initial zeros of its
    # gradients.
    {"model": "deep", "ranks": 2, "stage": 3, "precision": "bf16", "accumulate": 3, "order": "block", "state": "nvme",
     "parameters": "nvme", "remat": "--remat=block", "activations": "nvme", "bucket": "2KiB"},
    # Parameters are split by rows, and slices end inside them.
    {"model": "odd", "ranks": 3, "stage": 3, "precision": "bf16", "types": "--master=none", "bucket": "2KiB"},
    # Whole parameters beside sharded ones.
    {"ranks": 3, "stage": 3, "state": "nvme", "parameters": "nvme", "update": "--overlap-update",
     "kept": "--persist-below=1KiB"},
)


def options_of(row):
    """Returns zeroc's options."""
    return [option.replace("half", row["precision"]) for axis in row if axis != "ranks" for option in typed(axis, row[axis])]


def numbers_of(row):
    """Returns the options that affect the numbers, except the optimizer's."""
    types = row["types"].replace("half", row["precision"])
    return [f"--precision={row['precision']}", *types.split(), *row["adapters"].split(), *row["chunks"].split()]


def plain_options_of(row):
    """Returns the plain plan with the same bits.  With several micro-steps, stages 2 and 3 add in
    another order than 0 and 1, with hybrid shards in a third; so do ranks in groups.  A delayed
    update is different training.  Collectives in fewer bits depend on the buckets."""
    options = [*numbers_of(row), *row["optimizer"].replace(LION, "--optimizer=lion").split(),
               f"--accumulate={row['accumulate']}"]
    sums_over_steps = row["accumulate"] > 1 and row["stage"] > 1
    if row["wire"]:
        stage = 3 if row["stage"] == 3 else 2 if sums_over_steps else 0
        options += [f"--stage={stage}", *row["wire"].split(), *[f"--bucket-size={row['bucket']}"] * (row["bucket"] != ""),
                    *[row["kept"]] * ("persist" in row["kept"])]
    elif sums_over_steps:
        options.append("--stage=2")
    if row["groups"]:
        hybrid = sums_over_steps and row["groups"] == "--shard-size=2"
        options.append("--shard-size=2" if hybrid else "--ranks-per-host=2")
    if row["update"] == "--delayed-update":
        options += ["--offload-optimizer=cpu", "--delayed-update"] + ["--accumulate-order=block"] * (row["accumulate"] > 1)
    return options


RUNS = {"": ((), {}), "1 on a host": ((), {"ZRT_RANKS_PER_HOST": "1"}), "2 on a host": ((), {"ZRT_RANKS_PER_HOST": "2"}),
        "2 threads": (("--threads", 2), {}), "guard": ((), {"ZRT_GUARD": "1"}), "checked reads": (("--verify-reads",), {})}


class Plans(support.Outcomes):
    def check_row(self, number, row):
        flags, env = RUNS[row["run"]] if row["run"] in RUNS else ((), {"ZRT_CHAOS": str(number + 1)})
        how = dict(ranks=row["ranks"], config=MODELS[row["model"]], steps=3)
        if row["besides"] == "--eval":
            other = self.folder / "other.u16"
            support.write_tokens(other, 400, how["config"]["vocab_size"], seed=2)
            flags += ("--eval-data", other, "--eval-every", 2)
        elif row["besides"] == "--sample":
            flags += ("--sample", 3, "--sample-every", 2, "--prompt-ids", "7,1", "--sample-tokens", 4)
        self.check_same_bits((("plain", self.outcome(*plain_options_of(row), **how)),
                              (str(row), self.outcome(*options_of(row), flags=flags, env=env, **how))))


class Table(support.Case):
    def test_every_pair_is_there(self):
        self.assertEqual(covering.uncovered(AXES, refuses, TABLE.rows), set())

    def test_what_is_left_out_is_refused(self):
        """Pairs without a row are refused by zeroc, or have no effect."""
        model = support.import_model(DEEP, 2, 16)
        usual = {name: values[0] for name, values in AXES.items()} | {"precision": "bf16", "ranks": 2, "stage": 3}
        for pair in TABLE.refused:
            part = dict(pair)
            if part.keys() <= {"ranks", "stage", "kept", "run"} or part.keys() == {"groups", "run"}:
                continue
            row = usual | ({"state": "cpu"} if "update" in part else {}) | (
                {"accumulate": 2} if part.get("order") == "block" else {}) | part
            with self.subTest(part):
                self.assert_refused(support.run(support.ZEROC, model, *options_of(row), f"--world-size={row['ranks']}",
                                                "-o", self.folder / "train"))


TABLE = covering.Table(AXES, refuses, FIXED)
# One test per row, so that a row can be selected by its number, and rows run in parallel.
for number, row in enumerate(TABLE.rows):
    setattr(Plans, f"test_row_{number:02}", lambda self, number=number, row=row: self.check_row(number, row))
