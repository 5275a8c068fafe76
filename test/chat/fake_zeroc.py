"""In place of zeroc: writes fake_program.py as the program.  FAKE_LOG gets the command lines."""
import json
import os
import sys
from pathlib import Path

arguments = sys.argv[1:]
if arguments == ["--options"]:
    sys.exit(print(os.environ["FAKE_OPTIONS"]))
with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
    log.write(json.dumps(arguments) + "\n")
if arguments == ["--version"]:
    print("zeroc 0.0")
elif "--base-storage=int3" in arguments:
    sys.exit("zeroc: error: --base-storage must be nf4 or int8, got int3")
else:
    out = Path(arguments[arguments.index("-o") + 1])
    if arguments[0] == "import":
        out.write_text("a model")
    else:
        out.write_text(f"#!{sys.executable}\n" + Path(__file__).with_name("fake_program.py").read_text())
        out.chmod(0o755)
