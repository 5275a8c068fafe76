"""Runs a command of zeroc that is written in Python: `zeroc data ...` and the like."""
import importlib
import sys

from .errors import UserError
from .needs import OF_COMMANDS, need

#: The module of each command.
COMMANDS = {"data": "data", "finetune": "finetuning", "pretrain": "pretrain", "generate": "generate", "chat": "chat",
            "trace": "trace", "calibrate": "calibrate", "explain": "explain", "diff": "explain", "plot": "plot",
            "tokenize": "tokenize", "report": "report", "tune": "tune", "replay": "replay"}


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command not in COMMANDS:
        sys.exit(f"zeroc: error: {command or 'no command'}; this package has {', '.join(COMMANDS)}")
    try:
        if not {"-h", "--help"} & set(sys.argv[2:]):
            need(f"zeroc {command}", OF_COMMANDS.get(command, []))
        module = importlib.import_module(f".{COMMANDS[command]}", __package__)
        getattr(module, f"main_{command}", module.main)(sys.argv[2:])
    except BrokenPipeError:
        sys.exit(0)
    except UserError as error:
        print(f"zeroc {command}: error: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        # Of a copy the second name is that of the file which is written.
        name = error.filename2 or error.filename
        print(f"zeroc {command}: error: {f'{name}: ' if name else ''}{error.strerror or error}", file=sys.stderr)
        sys.exit(1)
    except ModuleNotFoundError as error:
        print(f"zeroc {command}: error: the Python package {error.name} is missing; install it with "
              f"`{sys.executable} -m pip install {error.name}`", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


main()
