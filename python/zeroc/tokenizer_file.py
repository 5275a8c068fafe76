"""Loads a tokenizer.json, for chats and for zeroc tokenize, which needs no other package than tokenizers."""
from __future__ import annotations

import sys

from .errors import UserError


def load_tokenizer(path, otherwise=""):
    """`otherwise` is what else the user can do where the package is missing."""
    try:
        import tokenizers
    except ImportError as error:
        raise UserError(f"{path} needs the Python package tokenizers ({error}); install it with "
                        f"`{sys.executable} -m pip install tokenizers`{otherwise}") from error
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # that is what it throws
        raise UserError(f"{path} is no tokenizer.json: {error}") from error
    # A tokenizer.json may enable them, for inference.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
