"""Runs a command of zeroc that is written in Python: `zeroc data ...` and the like."""
import signal
import sys

#: The modules of commands that have other names.
MODULES = {"finetune": "finetuning", "diff": "explain", "import": "hub", "plan": "hub"}


def main():
    import importlib

    from .errors import UserError
    from .needs import OF_COMMANDS, OFTEN, do_without, install, need
    command = sys.argv[1]  # of tools/zeroc/Commands.def
    try:
        packages = OF_COMMANDS.get(command, [])
        if {"-h", "--help"} & set(sys.argv[2:]):
            do_without(packages)
        need(f"zeroc {command}", packages, often=OFTEN.get(command, []))
        module = importlib.import_module(f".{MODULES.get(command, command)}", __package__)
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
              f"`{install([error.name])}`", file=sys.stderr)
        sys.exit(1)


def let_interrupt_through():
    """zeroc starts Python with SIGINT blocked, since Python would print a traceback of its own start.  One that came so
    far ends this process by the signal."""
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, before)


let_interrupt_through()
try:
    main()
except KeyboardInterrupt:  # while it imports its modules, too
    print(f"zeroc {sys.argv[1]}: stopped", file=sys.stderr)
    sys.exit(130)
