"""Encodes the texts of `zeroc tokenize --tokenizer` with Hugging Face's tokenizers.

    zeroc_tokenize.py TOKENIZER.json SEPARATOR SPECIAL

The protocol is in tools/tokenize/Encoder.cpp.  Texts are encoded alone: nothing is added before or after
them.  Special tokens in them are encoded as ordinary text, and counted, unless SPECIAL is 1.
"""
import array
import os
import re
import struct
import sys
from pathlib import Path

# The package zeroc: beside this file, or in a wheel around it.
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "python" if (HERE / "python").exists() else HERE.parents[2]))
from zeroc.errors import UserError
from zeroc.tokenizer_file import load_tokenizer

NONE = 2**32 - 1

# Output that a library prints goes to stderr instead.
ANSWERS = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)


def send(*parts):
    for part in parts:
        ANSWERS.write(struct.pack("<I", part) if isinstance(part, int) else part)
    ANSWERS.flush()


def send_text(*numbers, text):
    encoded = text.encode(errors="replace")
    send(*numbers, len(encoded), encoded)


def read(size):
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        sys.exit(0)  # zeroc has ended
    return data


def read_number():
    return struct.unpack("<I", read(4))[0]


def load(path, has_special):
    tokenizer = load_tokenizer(path, ", or use --bytes")
    if hasattr(tokenizer, "encode_special_tokens"):
        tokenizer.encode_special_tokens = not has_special
    return tokenizer


def special_names(tokenizer):
    """A pattern that matches the texts of special tokens, or None."""
    try:
        added = tokenizer.get_added_tokens_decoder().values()
    except AttributeError:  # an old version
        return None
    names = sorted((token.content for token in added if token.special and token.content), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names))) if names else None


def separator_of(tokenizer, vocabulary, text, path):
    if not text:
        return NONE
    number = int(text) if text.isascii() and text.isdigit() else tokenizer.token_to_id(text)
    if number is None:
        raise UserError(f"--separator={text} is neither a number nor a token of {path}")
    if number >= vocabulary:
        raise UserError(f"--separator={text} is not 0 to {vocabulary - 1}, the vocabulary of {path}")
    return number


def texts_of(pieces):
    """The pieces as text; the error is (index, message)."""
    texts = []
    for i, piece in enumerate(pieces):
        try:
            texts.append(piece.decode())
        except UnicodeDecodeError as error:
            return None, (i, f"is not UTF-8: byte 0x{piece[error.start]:02x}")
    return texts, None


def serve(tokenizer, names):
    encode = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)
    while True:
        texts, wrong = texts_of([read(read_number()) for _ in range(read_number())])
        if wrong:
            send_text(2, wrong[0], text=wrong[1])
            continue
        found = [name for text in texts for name in names.findall(text)] if names else []
        counts, ids = array.array("I"), array.array("I")
        for encoding in encode(texts, add_special_tokens=False):
            counts.append(len(encoding))
            ids.fromlist(encoding.ids)
        send_text(0, len(found), text=found[0] if found else "")
        send(counts.tobytes(), ids.tobytes())


def main():
    path, separator, has_special = sys.argv[1], sys.argv[2], sys.argv[3] == "1"
    try:
        tokenizer = load(path, has_special)
        vocabulary = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
        send(0, vocabulary, separator_of(tokenizer, vocabulary, separator, path))
        serve(tokenizer, None if has_special else special_names(tokenizer))
    except UserError as wrong:
        send_text(1, text=str(wrong))
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
