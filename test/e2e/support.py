"""Helpers of the end-to-end tests: running programs, compiling models once, safetensors and metrics
files.  Needs only Python's own library."""
import array
import atexit
import hashlib
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ZERO_BUILD_DIR", ROOT / "build" / "release")).resolve()
ZEROC = BUILD / "bin" / "zeroc"
EXAMPLES = ROOT / "examples"
GOLDEN = ROOT / "test" / "golden" / "gpt2-tiny"

#: Sizes that are not multiples of any vector width, block or other size.
ODD = dict(model_type="gpt2", n_layer=3, n_head=3, n_embd=39, vocab_size=131, n_positions=29,
           layer_norm_epsilon=1e-5, activation_function="gelu_new", tie_word_embeddings=True)
#: Compiles and trains very quickly; for tests that do not depend on the mathematics.
SMALL = dict(model_type="gpt2", n_layer=1, n_head=2, n_embd=16, vocab_size=256, n_positions=32,
             layer_norm_epsilon=1e-5, activation_function="gelu_new", tie_word_embeddings=True)

TEXT = (b"It is a truth universally acknowledged, that a single man in possession of a good "
        b"fortune, must be in want of a wife. However little known the feelings or views of "
        b"such a man may be on his first entering a neighbourhood, this truth is so well fixed "
        b"in the minds of the surrounding families, that he is considered as the rightful "
        b"property of some one or other of their daughters. ") * 40


def require_zeroc():
    """Ends a script that needs the compiler if there is none."""
    if not ZEROC.exists():
        sys.exit(f"{Path(sys.argv[0]).name}: error: {ZEROC} does not exist; build first, or set ZERO_BUILD_DIR")


def run(*command, cwd=None, stdin=b"", env=None, file_limit=None, timeout=280):
    """Runs a program to its end; never raises for its exit status.

    With `file_limit`, every write beyond that many bytes of a file fails, as on a full disk.
    """
    def limit():
        import resource
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, most))

    # restore_signals=False leaves SIGXFSZ ignored: the write fails, as on a full
    # disk, and the program may say so.
    done = subprocess.run([str(part) for part in command], cwd=cwd, input=stdin,
                          env=None if env is None else {**os.environ, **env},
                          capture_output=True, timeout=timeout,
                          restore_signals=file_limit is None,
                          preexec_fn=None if file_limit is None else limit)
    done.out = done.stdout.decode(errors="replace")
    done.err = done.stderr.decode(errors="replace")
    return done


#: Allows more ranks than cores, and root, which containers use for tests.
MPI_ENVIRONMENT = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpirun(ranks):
    """Returns the launcher for tests of MPI; without it a program starts its ranks itself."""
    return ["mpirun", "-n", str(ranks)] if ranks > 1 else []


def launcher(ranks, environment):
    """Returns the launcher of a program that starts its ranks itself: mpirun if hosts are imitated."""
    return mpirun(ranks) if "ZRT_RANKS_PER_HOST" in environment else []


def launch_each(*commands):
    """Returns a command that runs one rank of each command, in this order."""
    parts = [part for command in commands for part in (":", "-n", "1", *command)]
    return ["mpirun", *parts[1:]]


#: The environment variable with a rank's number.
RANK_VARIABLE = "OMPI_COMM_WORLD_RANK"


_store = None
_owner = None


def remove_compiled():
    global _store
    if _store is not None and _owner == os.getpid():
        shutil.rmtree(_store, ignore_errors=True)
        _store = None


atexit.register(remove_compiled)


def open_store():
    """Returns the folder of shared results, also used by processes that are forked later."""
    global _store, _owner
    if _store is None:
        _store, _owner = Path(tempfile.mkdtemp(prefix="zeroc-e2e-")), os.getpid()


def _made(key, make):
    """Returns the folder for a key, filled by `make`; made once, or concurrently by two processes,
    of which one wins."""
    open_store()
    folder = _store / hashlib.sha256(repr(key).encode()).hexdigest()[:24]
    if not folder.exists():
        fresh = Path(tempfile.mkdtemp(dir=_store))
        make(fresh)
        try:
            fresh.rename(folder)
        except OSError:
            shutil.rmtree(fresh)
    return folder


def _checked(done):
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, done.args))} ended with {done.returncode}\n"
                             f"{done.err}{done.out}")
    return done


def import_model(config, batch, seq, *options):
    """Returns model.mlir of a configuration (a dict or a file); imported once per run."""
    def make(folder):
        path = config
        if isinstance(config, dict):
            path = folder / "config.json"
            path.write_text(json.dumps(config))
        _checked(run(ZEROC, "import", path, f"--batch={batch}", f"--seq={seq}", *options, "-o", folder / "model.mlir"))

    key = ("import", json.dumps(config) if isinstance(config, dict) else str(config), batch, seq, *options)
    return _made(key, make) / "model.mlir"


def written_model(text):
    """Returns the file of a model's text; one file per text and run."""
    return _made(("model", text), lambda folder: (folder / "model.mlir").write_text(text)) / "model.mlir"


def compile_model(model, *options):
    """Returns the training binary of a model; compiled once per run.  The output of zeroc is beside
    it in `zeroc.txt`."""
    def make(folder):
        done = _checked(run(ZEROC, model, *options, "-o", folder / "train"))
        (folder / "zeroc.txt").write_text(done.out)

    return _made((str(model), *options), make) / "train"


def compile_gpt2(config, batch, seq, *options):
    return compile_model(import_model(config, batch, seq), *options)


#: Type codes of `array` for the element types of safetensors.
ELEMENTS = {"F32": "f", "F64": "d", "BF16": "H", "I8": "b", "U8": "B", "I32": "i", "I64": "q"}


def read_safetensors(path):
    """Returns {name: (shape, array of its element type)}."""
    raw = Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    tensors = {}
    for name, entry in json.loads(raw[8:8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        values = array.array(ELEMENTS[entry["dtype"]])
        values.frombytes(raw[8 + length + begin:8 + length + end])
        tensors[name] = (entry["shape"], values)
    return tensors


def write_safetensors(path, tensors):
    """Writes {name: (shape, array of "f", "i", "q" or "B")}."""
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        raw = values.tobytes()
        header[name] = {"dtype": {"f": "F32", "i": "I32", "q": "I64", "B": "U8"}[values.typecode], "shape": shape,
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def npy(kind, shape, values):
    """Returns the bytes of a NumPy file; `kind` is a type code of `array`, such as "f" or "q"."""
    name = {"f": "<f4", "d": "<f8", "b": "|i1", "B": "|u1", "i": "<i4", "q": "<i8"}[kind]
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode()
            + array.array(kind, values).tobytes())


def read_npy(path):
    """Returns (shape, values) of a file of f32 with two dimensions."""
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<H", raw, 8)
    values = array.array("f", raw[10 + length:])
    shape = eval(raw[10:10 + length], {})["shape"]
    return shape, values


def read_metrics(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def bits_of(lines):
    """Losses and gradient norms.  Nine digits distinguish all f32, so equal texts are equal bits."""
    return [(line["loss"], line["grad_norm"]) for line in lines]


#: The file of adapters in a saved folder.
ADAPTER = "adapter_model.safetensors"


class Saved(bytes):
    """Saved bytes of a run.  A failed comparison shows their hash: printing all would take minutes."""

    def __repr__(self):
        return f"<{len(self)} bytes, SHA-256 {hashlib.sha256(self).hexdigest()[:16]}>"


def saved_bytes(saved):
    """Returns the bytes of weights, or of adapters in a folder."""
    return Saved((saved / ADAPTER if saved.is_dir() else saved).read_bytes())


def nvme_flags(options, folder):
    """Returns the options of the nvme tier that a binary of these options needs."""
    return ("--nvme-path", folder) if any("nvme" in str(option) for option in options) else ()


def init_flags(options, flags=()):
    """Returns the option for initial weights that a binary of these options needs: adapters beside
    random weights."""
    is_told = any(flag in ("--init", "--resume") for flag in flags)
    return ("--init", "random") if any("--lora=" in str(option) for option in options) and not is_told else ()


def write_tokens(path, count, vocab, seed=1):
    """Random uint16 tokens with some structure, so that there is something to learn."""
    rng = random.Random(seed)
    token, tokens = 0, array.array("H")
    for _ in range(count):
        token = (token * 3 + rng.choice((0, 1, 1, 2))) % vocab
        tokens.append(token)
    Path(path).write_bytes(tokens.tobytes())


def show_bytes(number):
    """Formats "20 bytes", "319,488 bytes (312.0 KiB)", as in messages."""
    text, unit, value = f"{number:,} byte{'' if number == 1 else 's'}", None, float(number)
    for name in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, name
    return f"{text} ({value:.1f} {unit})" if unit else text


def parse_sizes(text):
    """Returns {name: bytes} of the lines `name  1,234 ...` of a memory certificate; the first of
    several lines with the same name counts."""
    sizes = {}
    for line in text.splitlines():
        match = re.match(r"\s+([a-z][a-z ]*[a-z]):?\s+([\d,]+)(?:\s|$)", line)
        if match:
            sizes.setdefault(match[1], int(match[2].replace(",", "")))
    return sizes


def largest_difference(a, b):
    """Returns the largest |a - b| over all tensors, and its place; names and shapes must agree."""
    assert a.keys() == b.keys(), f"tensors differ: {sorted(a.keys() ^ b.keys())}"
    worst, where = 0.0, "nowhere"
    for name, (shape, values) in a.items():
        assert shape == b[name][0], f"{name}: shape {shape} against {b[name][0]}"
        for x, y in zip(values, b[name][1]):
            difference = abs(x - y)
            if math.isnan(difference):
                return math.inf, name
            if difference > worst:
                worst, where = difference, name
    return worst, where


def largest_magnitude(tensors):
    return max(max(map(abs, values)) for _, values in tensors.values() if len(values))


def waits(test):
    """Marks a test that mostly waits, for time to pass or for another process: it runs beside tests
    that need a core."""
    test.waits = True
    return test


class Case(unittest.TestCase):
    """A test with its own folder."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="zeroc-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, (dict, list)):
            content = json.dumps(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def write_tokens(self, count, vocab):
        """Writes random tokens; returns the file."""
        path = self.folder / "tokens.u16"
        write_tokens(path, count, vocab)
        return path

    def run_ok(self, *command, **keywords):
        done = run(*command, cwd=self.folder, **keywords)
        self.assertEqual(done.returncode, 0,
                         f"{' '.join(map(str, command))}\n{done.err}{done.out}")
        return done

    def run_plan(self, binary, *flags, ranks=1, name="run", env=None):
        """Runs a plan on its ranks; returns the ended program, metrics, and the path of the saved weights."""
        metrics, saved = self.folder / f"{name}.jsonl", self.folder / f"{name}.safetensors"
        done = self.run_ok(*launcher(ranks, env or {}), binary, "--metrics", metrics, "--save", saved, *flags,
                           env={**MPI_ENVIRONMENT, **(env or {})})
        return done, read_metrics(metrics), saved

    def train(self, binary, data, steps, lr, *options, name="run", env=None, ranks=1):
        """Trains; returns metrics and the path of the saved weights."""
        _, lines, saved = self.run_plan(binary, "--data", data, "--steps", steps, "--lr", lr, "--quiet", *options,
                                     ranks=ranks, name=name, env=env)
        lines = [line for line in lines if "samples" not in line]
        self.assertEqual([line["step"] for line in lines], list(range(steps)))
        for line in lines:
            self.assertNotIn("nonfinite", line)
        return lines, saved

    def generate(self, model, weights, *flags, options=()):
        """Runs a program of a model that only generates."""
        return self.run_ok(compile_model(model, "--sample-only", *options), "--weights", weights, *flags)

    def trained_weights(self, model, vocab, name, *options, ranks=1):
        """The saved weights of a model's text after four steps on `ranks` ranks."""
        data, binary = self.write_tokens(900, vocab), self.folder / "train"
        self.run_ok(ZEROC, self.write("model.mlir", model), *options, f"--world-size={ranks}",
                    "-o", binary)
        return self.train(binary, data, 4, 1e-2, name=name, ranks=ranks)[1]

    def check_golden(self, *options, ranks=1, micro_steps=1, env=None, early=2e-6, late=1e-5, norms=1e-5, weights=1e-5,
                     steps=None, context=1):
        """20 steps of a tiny GPT-2, which PyTorch trained in float64; losses are within `early` in the first ten.
        With fewer `steps`, weights are not compared.  So many ranks of a `context` share each sequence."""
        golden = json.loads((GOLDEN / "golden.json").read_text())
        hyper = golden["hyper"]
        binary = compile_gpt2(
            GOLDEN / "config.json", golden["batch"] * context // (ranks * micro_steps), golden["seq"],
            *((f"--context={context}",) if context > 1 else ()),
            "--optimizer=adamw", f"--betas={hyper['betas'][0]},{hyper['betas'][1]}",
            f"--eps={hyper['eps']}", f"--weight-decay={hyper['weight_decay']}",
            f"--grad-clip={hyper['clip']}", f"--world-size={ranks}",
            f"--accumulate={micro_steps}", *options)
        lines, saved = self.train(binary, GOLDEN / "tokens.bin", steps or golden["steps"], hyper["lr"],
                                  "--init", GOLDEN / "model.safetensors", ranks=ranks, env=env)
        for step, line in enumerate(lines):
            self.assert_close(line["loss"], golden["loss"][step], early if step < 10 else late,
                              f"loss of step {step}")
            self.assert_close(line["grad_norm"], golden["grad_norm"][step], norms,
                              f"gradient norm of step {step}")
        if not steps:
            self.assert_weights_close(saved, GOLDEN / "final.safetensors", weights)

    def outcome_of(self, binary, data, steps, lr, *flags, **how):
        """Losses, norms and weights of a run."""
        lines, saved = self.train(binary, data, steps, lr, *flags, **how)
        return bits_of(lines), saved_bytes(saved)

    def check_same_bits(self, outcomes):
        """Checks that all of (description, (losses and norms, weights)) equal the first."""
        expected = None
        for what, outcome in outcomes:
            with self.subTest(what):
                expected = expected or outcome
                self.assertEqual(outcome[0], expected[0], "losses or gradient norms differ")
                self.assertTrue(outcome[1] == expected[1], "weights differ")

    def assert_close(self, value, expected, relative, what):
        self.assertTrue(math.isfinite(value), f"{what} is {value}")
        error = abs(value - expected) / max(abs(expected), 1e-30)
        self.assertLessEqual(error, relative, f"{what}: {value} against {expected}")

    def check_merged(self, found, parts):
        """`found` is an export --merge of a GPT-2 with four adapters of alpha / r = 2, `parts` one without.

        The weights of GPT-2 are stored transposed.  With magnitudes, rows get their norms."""
        count = 0
        self.assertFalse([name for name in found if "lora" in name])
        for name, (shape, values) in found.items():
            module = "base_model.model." + name.removesuffix(".weight")
            expected = list(parts[name][1])
            if f"{module}.lora_A.weight" in parts:
                count += 1
                inputs, outputs = shape
                (rank, _), a = parts[f"{module}.lora_A.weight"]
                _, b = parts[f"{module}.lora_B.weight"]
                _, magnitudes = parts.get(f"{module}.lora_magnitude_vector", (None, None))
                for o in range(outputs):
                    row = [expected[i * outputs + o] + 2 * sum(b[o * rank + k] * a[k * inputs + i] for k in range(rank))
                           for i in range(inputs)]
                    factor = magnitudes[o] / sum(x * x for x in row) ** 0.5 if magnitudes else 1
                    for i, x in enumerate(row):
                        expected[i * outputs + o] = factor * x
                self.assertGreater(max(abs(x - y) for x, y in zip(expected, parts[name][1])), 1e-5)
            self.assertLess(max(abs(x - y) for x, y in zip(expected, values)), 1e-6, name)
        self.assertEqual(count, 4)

    def assert_weights_close(self, path, expected, relative):
        """Checks the largest difference, in units of the largest absolute weight."""
        a, b = read_safetensors(path), read_safetensors(expected)
        worst, where = largest_difference(a, b)
        scale = largest_magnitude(b)
        self.assertLessEqual(worst / scale, relative,
                             f"{where} is {worst:.3e} off; the largest weight is {scale:.3f}")

    def assert_same_bytes(self, a, b):
        self.assertTrue(Path(a).read_bytes() == Path(b).read_bytes(), f"{a} and {b} differ")

    def assert_refused(self, done, *keywords, status=None):
        """Checks that the program ended by itself with an error that has all the keywords."""
        shown = f"{' '.join(map(str, done.args))}\nstatus {done.returncode}\n{done.err}{done.out}"
        self.assertNotEqual(done.returncode, 0, shown)
        # A crash has a negative status here, or 134 and 139 if a shell reports it.
        self.assertGreater(done.returncode, 0, shown)
        self.assertLess(done.returncode, 126, shown)
        if status is not None:
            self.assertEqual(done.returncode, status, shown)
        self.assertIn("error:", done.err, shown)
        for keyword in keywords:
            self.assertRegex(done.err, re.compile(keyword, re.IGNORECASE), shown)
        self.assertNotIn("PLEASE submit a bug report", done.err, shown)

    def assert_files(self, *names):
        """Checks that the folder contains exactly these files, so nothing incomplete was left."""
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(names))


class Outcomes(Case):
    """Runs of small GPT-2 plans that must have the same bits."""

    def outcome(self, *options, ranks=1, steps=4, lr=1e-3, flags=(), config=SMALL, tokens=1200, **how):
        """Losses, norms and weights of a run."""
        binary = compile_gpt2(config, 2, 16, f"--world-size={ranks}", *options)
        data = self.folder / f"tokens{config['vocab_size']}.u16"
        if not data.exists():
            write_tokens(data, tokens, config["vocab_size"])
        return self.outcome_of(binary, data, steps, lr, *flags, *init_flags(options, flags),
                               *nvme_flags(options, self.folder), ranks=ranks, **how)
