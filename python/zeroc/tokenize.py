"""zeroc tokenize: documents to a file of token ids, which train --data reads.

    files -> pieces of documents -> ids -> file

in batches of some MiB, so that memory does not grow with the files.  A text file is one document; a file of JSON lines has
one per line.  Empty documents are skipped.

A long document is encoded in pieces, which end with a newline that has no space before or after it.  Byte-level tokenizers,
such as those of GPT-2 and Llama 3, separate words there anyway, so the pieces have the tokens of the whole.

The name of the file decides its format, so that --data needs no --data-format: NAME.bin has llm.c's header, then uint16, or
uint32 for a vocabulary above 2^16; NAME.u16 and NAME.u32 have ids only.
"""
from __future__ import annotations

import io
import re
import struct
import sys
from array import array
from functools import partial
from pathlib import Path

from .errors import UserError, plural
from .columns import add_split
from .fields import check_text
from .hub import find_tokenizer
from .options import add_output, parser_of
from .own_files import check_output
from .records import LINES, TABLES, find_files, kind_of, open_file, read_all_records, read_lines, reading, stands_for_files
from .tokenizer_file import load_tokenizer, special_names
from .whole_file import whole

#: Characters of a block that is read, of a piece, and of the longest document that cannot be cut.
BLOCK, PIECE, MOST = 1 << 20, 1 << 18, 1 << 28
#: Characters and pieces of a batch.
BATCH, PIECES = 1 << 21, 4096
CUT = re.compile(r"(?<=\S)\n(?=\S)")
#: llm.c's magic number and version, by the bytes of an id.
LLMC = {2: (20240520, 1), 4: (20240801, 7)}
HEADER, MOST_TOKENS = 1024, 2**31 - 1
#: In place of a piece, after the last of a document.
END = None
#: Files of records, of which a field is the text.
ROWS = (".parquet", *TABLES)


def parser():
    p = parser_of("tokenize")
    p.add_argument("files", metavar="FILE", nargs="+", help="texts; *.jsonl, *.parquet, *.csv with a field text; also *.gz; "
                   "folders of them, or data sets of a hub")
    add_output(p, "TOKENS", "NAME.bin, with a header; or NAME.u16 or NAME.u32, token ids only")
    p.add_argument("--tokenizer", metavar="TOKENIZER.json", help="a Hugging Face tokenizer, or OWNER/NAME of a hub")
    p.add_argument("--bytes", action="store_true", help="each byte is a token")
    p.add_argument("--separator", metavar="TOKEN",
                   help="token written after each document: an id, or a token of the tokenizer")
    p.add_argument("--special-tokens", action="store_true", help="where a text has the name of a special token, such as "
                   "<|im_start|> of a chat template, write that token")
    p.add_argument("--field", metavar="NAME", help="input files have records, or one JSON object per line; this field is "
                   "the text (default: text, of files *.jsonl, *.parquet, *.csv and *.tsv)")
    add_split(p)
    return p


class Bytes:
    """Each byte is a token."""
    warning = ""

    def __init__(self, a):
        self.end = a.separator
        if self.end is not None:
            self.end = parse_token_id(self.end)
            if self.end is None:
                raise UserError(f"--separator must be the number of a token with --bytes, got {a.separator}")
        self.vocabulary = max(256, (self.end or 0) + 1)

    def chunks(self, file):
        return iter(partial(file.read, BLOCK), b"")

    def pieces(self, chunks, place):
        return (chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks)

    def encode(self, pieces, width):
        """(ids of each piece in `width` bytes, bytes of text)."""
        for piece in pieces:
            ids = bytearray(width * len(piece))
            ids[::width] = piece
            yield ids, len(piece)


class Tokens:
    """The ids of a tokenizer.  Nothing is added around a text, and special tokens in it are ordinary text, unless a user
    wants them."""

    def __init__(self, a):
        a.tokenizer = find_tokenizer(a.tokenizer)
        self.tokenizer = load_tokenizer(a.tokenizer, ", or use --bytes")
        self.tokenizer.encode_special_tokens = not a.special_tokens
        self.vocabulary = 1 + max(self.tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
        self.end = self.separator_of(a.separator, a.tokenizer)
        names = [] if a.special_tokens else sorted(special_names(self.tokenizer), key=len, reverse=True)
        self.names = re.compile("|".join(map(re.escape, names))) if names else None
        self.count, self.first = 0, None

    def separator_of(self, text, path):
        if text is None:
            return None
        number = parse_token_id(text) if parse_token_id(text) is not None else self.tokenizer.token_to_id(text)
        if number is None:
            raise UserError(f"--separator={text} is neither a number nor a token of {path}")
        if number >= self.vocabulary:
            raise UserError(f"--separator={text} is not 0 to {self.vocabulary - 1}, the vocabulary of {path}")
        return number

    def chunks(self, file):
        return iter(partial(io.TextIOWrapper(file, "utf-8", newline="").read, BLOCK), "")

    def pieces(self, chunks, place):
        rest, searched = "", PIECE
        for chunk in chunks:
            rest += chunk
            while found := CUT.search(rest, searched):
                yield rest[:found.end()]
                rest, searched = rest[found.end():], PIECE
            searched = max(PIECE, len(rest) - 1)
            if len(rest) > MOST:
                raise UserError(f"{place}: {MOST >> 20} Mi characters have no line that could be tokenized alone, without a "
                                "space at its end and before the next; break it into lines")
        yield rest

    def encode(self, pieces, width):
        """(ids of each piece in `width` bytes, bytes of text)."""
        for piece in pieces if self.names else []:
            found = self.names.findall(piece)
            self.count, self.first = self.count + len(found), self.first or next(iter(found), None)
        encode = getattr(self.tokenizer, "encode_batch_fast", self.tokenizer.encode_batch)
        for piece, encoding in zip(pieces, encode(pieces, add_special_tokens=False)):
            yield array("H" if width == 2 else "I", encoding.ids).tobytes(), len(piece.encode())

    @property
    def warning(self):
        one = self.count == 1
        return self.count and (
            f"the texts have {plural(self.count, 'string')} like {self.first}, which {'is a' if one else 'are'} special "
            f"token{'' if one else 's'} of the tokenizer and {'is' if one else 'are'} written as ordinary text; with "
            "--special-tokens each is its token")


def parse_token_id(text):
    return int(text) if text.isascii() and text.isdigit() and int(text) < 2**32 - 1 else None


def documents_of(path, field, chunks):
    """(place, its text as blocks) of each document of a file; `chunks` reads a text file."""
    kind = kind_of(Path(path))
    if not field and kind not in (*LINES, *ROWS):
        with open_file(Path(path)) as file:
            yield path, chunks(file)
        return
    name = field or "text"
    for record, place in (read_all_records if kind in ROWS else read_lines)(Path(path)):
        if name not in record:
            raise UserError(f'{place} has no "{name}"; name the field of its text with --field')
        yield place, [check_text(record[name], f'"{name}"', place)]


def pieces_of(path, field, encoder):
    """The pieces of a file, and END after each document."""
    with reading(path):
        for place, chunks in documents_of(path, field, encoder.chunks):
            is_empty = True
            for piece in filter(None, encoder.pieces(chunks, place)):
                is_empty = False
                yield piece
            if not is_empty:
                yield END


def batches_of(pieces):
    batch, size = [], 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece or "")
        if size >= BATCH or len(batch) >= PIECES:
            yield batch
            batch, size = [], 0
    yield batch


def write(a, encoder, width, file):
    """Writes the file; returns the numbers of documents, of tokens, and of bytes of text."""
    is_llmc = a.o.endswith(".bin")
    file.write(bytes(HEADER * is_llmc))
    separator = b"" if encoder.end is None else encoder.end.to_bytes(width, "little")
    documents = written = read = 0
    for batch in batches_of(piece for path in a.files for piece in pieces_of(path, a.field, encoder)):
        encoded = encoder.encode([piece for piece in batch if piece is not END], width)
        for piece in batch:
            ids, size = (separator, 0) if piece is END else next(encoded)
            documents += piece is END
            written += file.write(ids)
            read += size
        if is_llmc and written > width * MOST_TOKENS:
            raise UserError(f"the header of {a.o} counts up to {MOST_TOKENS:,} tokens, and there are more; name it .u{8 * width}")
    if is_llmc:
        file.seek(0)
        file.write(struct.pack("<4i16s", *LLMC[width], written // width, 0, b"written by zeroc"))
    return documents, written // width, read


def files_of(names, split):
    """Files of any name, and those of folders and data sets."""
    several = [name for name in names if stands_for_files(name)]
    if split and not several:
        raise UserError(f"--split={split} is for folders and data sets of a hub, and only files are named; drop it")
    return [file for name in names for file in (map(str, find_files([name], split)) if name in several else [name])]


def check(a):
    if not a.o.endswith((".bin", ".u16", ".u32")):
        raise UserError(f"-o {a.o} does not say what it holds; name it *.bin, *.u16 or *.u32")
    check_output(a.o, "tokens" if a.o.endswith(".bin") else "raw numbers", a.force, a.files)
    if a.bytes and a.tokenizer:
        raise UserError("--bytes and --tokenizer exclude each other; drop one")
    if not a.bytes and not a.tokenizer:
        raise UserError("--tokenizer is missing; name a tokenizer.json, or say --bytes")
    if a.bytes and a.special_tokens:
        raise UserError("--special-tokens are those of a tokenizer, and with --bytes there is none; drop one of them")


def main(arguments):
    a = parser().parse_args(arguments)
    check(a)
    a.files = files_of(a.files, a.split)
    encoder = Bytes(a) if a.bytes else Tokens(a)
    width = 4 if a.o.endswith(".u32") or a.o.endswith(".bin") and encoder.vocabulary > 1 << 16 else 2
    if width == 2 and encoder.vocabulary > 1 << 16:
        raise UserError(f"ids up to {encoder.vocabulary - 1:,} do not fit into the uint16 of {a.o}; name it .u32 or .bin")
    with whole(a.o) as partial_file:
        with open(partial_file, "wb") as file:
            documents, tokens, size = write(a, encoder, width, file)
        if not documents:
            raise UserError(f"there is no text in {', '.join(a.files)}")
    if encoder.warning:
        print(f"zeroc tokenize: warning: {encoder.warning}", file=sys.stderr)
    print(f"wrote {a.o}: {plural(documents, 'document')}, {tokens:,} tokens of {size:,} bytes of text, "
          f"{'llm.c' if a.o.endswith('.bin') else 'raw'} uint{8 * width}")
