"""The bytes of each token of a tokenizer, with which training programs print samples as text."""
from __future__ import annotations

import json
import re

import numpy as np

from .dataset import write_safetensors

BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")


def write_pieces(tokenizer, path):
    """Writes the file that `train --pieces` reads, of a tokens.Tokenizer."""
    inner = tokenizer.tokenizer
    special = inner.get_added_tokens_decoder()
    decoder = json.dumps(json.loads(inner.to_str()).get("decoder"))
    convert = of_bytes if "ByteLevel" in decoder else of_words if "Metaspace" in decoder or "ByteFallback" in decoder or (
        "Replace" in decoder) else of_plain
    count = inner.get_vocab_size(with_added_tokens=True)
    pieces = []
    for number in range(count):
        text = inner.id_to_token(number)
        pieces.append(b"" if text is None else text.encode() if number in special else convert(text))
    arrays = {"bytes": np.frombuffer(b"".join(pieces), np.uint8), "ends": np.cumsum([len(piece) for piece in pieces], dtype=np.int64),
              "stops": np.array(sorted(tokenizer.stops), np.int64)}
    write_safetensors(path, arrays, {})


def byte_letters():
    """The letters in which GPT-2's vocabulary writes bytes: printable ones themselves, others from U+0100 on."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in own]
    return {**{chr(byte): byte for byte in own}, **{chr(0x100 + i): byte for i, byte in enumerate(others)}}


LETTERS = byte_letters()


def of_bytes(text):
    return bytes(LETTERS[letter] for letter in text) if all(letter in LETTERS for letter in text) else text.encode()


def of_words(text):
    """Of SentencePiece: ▁ is a space, and <0x0A> a byte."""
    byte = BYTE.fullmatch(text)
    return bytes([int(byte[1], 16)]) if byte else text.replace("▁", " ").encode()


def of_plain(text):
    return b" " + text.encode()
