"""What a command of Python needs is looked for before it works."""
import ast
import re
import sys

import support

sys.path.insert(0, str(support.ROOT / "python"))
from zeroc import needs

PACKAGE = support.ROOT / "python" / "zeroc"
#: Packages that are looked for where it is known whether they are needed, which is at once too: for a chat template, for a
#: Parquet file before others are read, for the name of a hub, for --config; bf16 of NumPy does without.
LATER = {"jinja2", "pyarrow", "ml_dtypes", "huggingface_hub", "yaml"}
#: Of modules that a command imports for something else.
UNUSED = {"pretrain": {"safetensors", "tokenizers"}, "tokenize": {"tokenizers"},
          **dict.fromkeys(("explain", "diff", "report", "tune"), {"numpy"}),  # of calibrate, which fits
          **dict.fromkeys(("generate", "chat"), {"numpy"})}  # of arrays of weights, whose names are read


def imports(path):
    """(modules of this package, other packages) that a module imports, anywhere in it."""
    own, others = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            own |= {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            others |= {name.split(".")[0] for name in names} - sys.stdlib_module_names
    return own, others


def commands():
    """{command: its module}, of the compiler's table, and of __main__.py, which runs when it is imported."""
    tree = ast.parse((PACKAGE / "__main__.py").read_text())
    modules = next(ast.literal_eval(node.value) for node in tree.body
                   if isinstance(node, ast.Assign) and node.targets[0].id == "MODULES")
    table = (support.ROOT / "tools" / "zeroc" / "Commands.def").read_text()
    return {name: modules.get(name, name) for name in re.findall(r'^PYTHON\("(\w+)"', table, re.M)}


class Needs(support.Case):
    def test_all_are_listed(self):
        for command, module in commands().items():
            known, left, packages = set(), {module}, set()
            while left:
                name = left.pop()
                known.add(name)
                own, others = imports(PACKAGE / f"{name}.py")
                left |= own - known
                packages |= others
            with self.subTest(command):
                listed = set(needs.OF_COMMANDS.get(command, []))
                self.assertEqual(packages - LATER - UNUSED.get(command, set()), listed)

    def test_missing(self):
        """Named before anything is started."""
        started = self.folder / "started"
        program = self.write("zeroc", f"#!/bin/sh\ntouch {started}\nexit 1\n")
        program.chmod(0o755)
        env = {"PYTHONPATH": str(support.ROOT / "python"), "ZEROC_PROGRAM": str(program)}
        words = {"calibrate": ("-o", "machine.json"), "data": ("build", "model", "a.jsonl", "-o", "a.safetensors", "--seq=8"),
                 "generate": ("model", "--prompts", "a.txt"), "chat": ("model",)}
        for command, packages in needs.OF_COMMANDS.items():
            # Without the folder of installed packages.
            python = (sys.executable, "-S", "-m", "zeroc", command)
            done = support.run(*python, *words.get(command, ("model", "a.jsonl", "-o", "out")), cwd=self.folder, env=env)
            with self.subTest(command):
                self.assert_refused(done, f"zeroc {command}: error: zeroc {command} needs the Python packages? "
                                    + r" \(.*\) and ".join(packages) + r" \(.*\); install (it|them) with `.*pip install "
                                    + " ".join([*packages, *needs.OFTEN.get(command, [])]) + "`")
                self.assertFalse(started.exists())

    def test_help(self):
        """What a command does, zeroc says without any package."""
        env = {"PYTHONPATH": str(support.ROOT / "python"), "ZEROC_PROGRAM": str(support.ZEROC)}
        for command in commands():
            with self.subTest(command):
                shown = self.run_ok(sys.executable, "-S", "-m", "zeroc", command, "--help", env=env).out
                self.assertIn(f"usage: zeroc {command} ", shown)
                if command == "finetune":
                    self.assertIn("samples are read (default: 3; of dpo 1;", " ".join(shown.split()))
