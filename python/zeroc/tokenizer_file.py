"""Loads a tokenizer.json, for chats and for zeroc tokenize, which needs no other package than tokenizers."""
from __future__ import annotations

from .errors import UserError
from .needs import need

#: Of a model's folder, beside config.json and the weights; with what makes inputs of images.
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                   "vocab.json", "merges.txt", "tokenizer.model", "chat_template.jinja", "chat_template.json",
                   "generation_config.json", "processor_config.json", "preprocessor_config.json",
                   "video_preprocessor_config.json")


def load_tokenizer(path, otherwise=""):
    """`otherwise` is what else the user can do where the package is missing."""
    need(path, ["tokenizers"], otherwise)
    import tokenizers
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except IsADirectoryError as error:
        raise UserError(f"{path} is a folder; name the tokenizer.json in it") from error
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


def special_names(tokenizer):
    """The texts of special tokens."""
    return [token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special and token.content]
