"""Python packages that a command needs: they are looked for before it begins to work."""
import importlib
import os
import shlex
import sys
import sysconfig
import types

from .errors import UserError

#: Of each command; others need none.
OF_COMMANDS = {"calibrate": ["numpy"], "data": ["numpy", "safetensors", "tokenizers"],
               "finetune": ["numpy", "safetensors", "tokenizers"],
               "grpo": ["numpy", "safetensors", "tokenizers"], "pretrain": ["numpy"],
               "generate": ["tokenizers"], "chat": ["tokenizers"], "classify": ["numpy", "safetensors", "tokenizers"]}
#: Packages that pip knows by other names.
OF_PIP = {"yaml": "pyyaml"}
#: What most of their models and data need, too; it is installed with the others.
OFTEN = {command: ["jinja2"] for command in ("data", "finetune", "grpo", "generate", "chat")}


def missing_of(packages):
    """{name: the error} of packages that are not there, or are there and broken."""
    missing = {}
    for name in packages:
        try:
            importlib.import_module(name)
        except ImportError as error:
            missing[name] = error
    return missing


def need(what, packages, otherwise="", often=()):
    """Throws UserError if packages that `what` needs are not there; `otherwise` is what else the user can do."""
    missing = missing_of(packages)
    if missing:
        several = len(missing) > 1
        raise UserError(f"{what} needs the Python package{'s' if several else ''} "
                        f"{' and '.join(f'{OF_PIP.get(name, name)} ({error})' for name, error in missing.items())}; install "
                        f"{'them' if several else 'it'} with `{install([*missing, *missing_of(often)])}`{otherwise}")


def install(packages):
    """The command that installs packages.  Debian's Python and its like take them only in an environment."""
    python, names = shlex.quote(sys.executable), " ".join(OF_PIP.get(name, name) for name in packages)
    managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
    if sys.prefix != sys.base_prefix or not managed:
        return f"{python} -m pip install {names}"
    return f"{python} -m venv venv && . venv/bin/activate && pip install {names}"


def do_without(packages):
    """For --help, which calls nothing of packages: missing ones become empty."""
    for name in missing_of(packages):
        sys.modules[name] = types.ModuleType(name)
