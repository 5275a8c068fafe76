"""Python packages that a command needs: they are looked for before it begins to work."""
import importlib
import sys

from .errors import UserError

#: Of each command; others need none.
OF_COMMANDS = {"calibrate": ["numpy"], "data": ["numpy", "safetensors", "tokenizers"],
               "finetune": ["numpy", "safetensors", "tokenizers"], "pretrain": ["numpy"],
               "generate": ["tokenizers"], "chat": ["tokenizers"]}
#: Packages that pip knows by other names.
OF_PIP = {"yaml": "pyyaml"}


def need(what, packages, otherwise=""):
    """Throws UserError if packages that `what` needs are not there; `otherwise` is what else the user can do."""
    missing = {}
    for name in packages:
        try:
            importlib.import_module(name)
        except ImportError as error:  # also of a package that is there and broken
            missing[OF_PIP.get(name, name)] = error
    if missing:
        several = len(missing) > 1
        raise UserError(f"{what} needs the Python package{'s' if several else ''} "
                        f"{' and '.join(f'{name} ({error})' for name, error in missing.items())}; install "
                        f"{'them' if several else 'it'} with `{sys.executable} -m pip install {' '.join(missing)}`{otherwise}")
