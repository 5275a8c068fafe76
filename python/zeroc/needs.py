"""Python packages that a command needs: they are looked for before it begins to work."""
import importlib.util
import sys

from .errors import UserError

#: Of each command; others need none.
OF_COMMANDS = {"calibrate": ["numpy"], "data": ["numpy", "safetensors", "tokenizers"],
               "finetune": ["numpy", "safetensors", "tokenizers"], "pretrain": ["numpy"],
               "generate": ["tokenizers"], "chat": ["tokenizers"]}


def need(what, packages, otherwise=""):
    """Throws UserError if packages that `what` needs are not there; `otherwise` is what else the user can do."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"{what} needs the Python package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}; install "
                        f"{'them' if len(missing) > 1 else 'it'} with `{sys.executable} -m pip install {' '.join(missing)}`"
                        f"{otherwise}")
