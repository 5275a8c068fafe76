"""zeroc tokenize: converts documents to files that --data reads."""
import array
import gzip
import json
import random
import shutil
import struct
import unittest

import support

#: array's types of the elements after llm.c's headers.
ELEMENTS = {(20240520, 1): "H", (20240801, 7): "I"}


def has_tokenizers():
    """Returns true if the python3 that zeroc runs has tokenizers."""
    return shutil.which("python3") and support.run("python3", "-c", "import tokenizers").returncode == 0


def read_tokens(path):
    raw = path.read_bytes()
    if path.suffix != ".bin":
        return array.array({".u16": "H", ".u32": "I"}[path.suffix], raw).tolist()
    magic, version, count = struct.unpack_from("<3i", raw)
    tokens = array.array(ELEMENTS[magic, version], raw[1024:])
    assert len(tokens) == count and raw[12:1024] == bytes(4) + b"written by zeroc" + bytes(992)
    return tokens.tolist()


def utf8_bytes():
    """Returns the letter that byte-level tokenizers write for each byte."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {**{byte: chr(byte) for byte in plain}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}


def tokenizer_json(extra=0):
    """A byte-level BPE with a few merges and an end of text; `extra` more tokens occur in no text."""
    letters = utf8_bytes()
    vocab = {letters[byte]: byte for byte in range(256)}
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "n"), ("e", "r"), ("Ċ", "Ċ"), ("Ġ", "Ċ"), ("Ċ", "an")]
    for pair in merges:
        vocab["".join(pair)] = len(vocab)
    vocab.update({f"<{i}>": len(vocab) + i for i in range(extra)})
    end = {"id": len(vocab), "content": "<|end|>", "single_word": False, "lstrip": False, "rstrip": False,
           "normalized": False, "special": True}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"version": "1.0", "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst",
                                             "stride": 0},
            "padding": {"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                        "pad_type_id": 0, "pad_token": "!"},
            "added_tokens": [end], "normalizer": None, "pre_tokenizer": level, "post_processor": level,
            "decoder": level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                      "ignore_merges": False, "vocab": vocab, "merges": [" ".join(pair) for pair in merges]}}


class Tokenize(support.Case):
    def tokenize(self, *arguments):
        # Files of ids alone do not say who wrote them.
        return support.run(support.ZEROC, "tokenize", "--force", *arguments, cwd=self.folder)

    def tokens(self, output, *arguments):
        done = self.tokenize(*arguments, "-o", output)
        self.assertEqual(done.returncode, 0, done.err)
        return read_tokens(self.folder / output)

    def write_jsonl(self, name, documents, **more):
        return self.write(name, "".join(json.dumps({**more, "text": text}) + "\n" for text in documents))


class Bytes(Tokenize):
    def test_documents(self):
        self.write("a.txt", "one\n text\n")
        self.write("b.jsonl", '{"n": 1, "text": "d\\u00e9j\\u00e0"}\r\n\n  \n{"text": ""}\n{"text": "\\ud83d\\ude00"}')
        (self.folder / "c.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n') + gzip.compress(b'{"text": "y"}'))
        (self.folder / "d.gz").write_bytes(gzip.compress(b"z"))
        documents = ["one\n text\n", "déjà", "\U0001f600", "x", "y", "z"]
        expected = [byte for text in documents for byte in (*text.encode(), 7)]
        files = ("a.txt", "b.jsonl", "c.jsonl.gz", "d.gz")
        for output, shown in (("o.u16", "raw uint16"), ("o.u32", "raw uint32"), ("o.bin", "llm.c uint16")):
            done = self.tokenize(*files, "-o", output, "--bytes", "--separator=7")
            self.assertEqual(done.out, f"wrote {output}: 6 documents, {len(expected)} tokens of "
                                       f"{len(expected) - 6} bytes of text, {shown}\n")
            self.assertEqual(read_tokens(self.folder / output), expected)
        self.assertEqual(self.tokens("o.u16", *files, "--bytes"), [token for text in documents for token in text.encode()])
        # A separator beyond all bytes; and one of more than 16 bits.
        for end, name in ((256, "o.bin"), (70000, "o.bin"), (70000, "o.u32")):
            self.assertEqual(self.tokens(name, *files, "--bytes", "--separator", end),
                             [token if token != 7 else end for token in expected])
        (self.folder / "marked.txt").write_bytes(b"\xef\xbb\xbfab\xef\xbb\xbf")
        self.assertEqual(self.tokens("o.u16", "marked.txt", "--bytes"), [97, 98, 0xef, 0xbb, 0xbf])
        done = support.run(support.ZEROC, "tokenize", "/dev/stdin", "-o", "o.u16", "--bytes", "--force", cwd=self.folder,
                           stdin=b"\xef\xbb\xbfab")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertEqual(read_tokens(self.folder / "o.u16"), [97, 98])
        self.write("b.txt", '{"body": "q"}')
        self.assertEqual(self.tokens("o.u16", "b.txt", "--bytes", "--field=body"), [113])
        self.write("b.ndjson", '{"text": "q"}')
        self.assertEqual(self.tokens("o.u16", "b.ndjson", "--bytes"), [113])

    def test_large(self):
        """Blocks, batches and pieces end at different places."""
        rng = random.Random(2)
        data = rng.randbytes(5_300_001)
        (self.folder / "large.txt").write_bytes(data)
        self.assertEqual(self.tokens("large.u16", "large.txt", "--bytes", "--separator", 256), [*data, 256])
        documents = ["x" * rng.randrange(2, 40) for _ in range(9000)] + ["y" * 1_500_000, "z" * 300_000] * 2
        self.write_jsonl("many.jsonl", documents, other=[1])
        self.assertEqual(self.tokens("many.bin", "many.jsonl", "--bytes", "--separator", 10),
                         [token for text in documents for token in (*text.encode(), 10)])

    def test_trains(self):
        self.write_jsonl("a.jsonl", [support.TEXT.decode()[i * 90:i * 90 + 70] for i in range(60)])
        self.tokens("a.bin", "a.jsonl", "--bytes", "--separator", 0)
        binary = support.compile_gpt2(support.SMALL, 2, 16)
        done = self.run_ok(binary, "--data", "a.bin", "--document-separator", 0, "--epochs", 1, "--lr", "1e-3")
        self.assertIn("a.bin, llm.c uint16, 4,260 tokens", done.out)
        self.assertIn("masks     targets after token 0: 59\n", done.out)

    def test_refusals(self):
        self.write("a.txt", "text")
        self.write("bad.jsonl", '{"text": "a"}\n{"text": \n')
        self.write("list.jsonl", '\n["text"]\n')
        self.write("field.jsonl", '{"text": "a"}\n{"body": "a"}')
        self.write("null.jsonl", '{"text": null}')
        self.write("latin.jsonl", b'{"text": "\xe9"}')
        self.write("half.jsonl", '{"text": "\\ud800"}')
        self.write("no.gz", "text")
        (self.folder / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}\n' * 999)[:-9])
        self.write("empty.txt", "")
        self.write("deep.jsonl", "[" * 1000)
        old = self.write("out.bin", b"old")
        before = sorted(self.folder.iterdir())
        for files, flags, words in (
                (("bad.jsonl",), (), "bad.jsonl, line 2 is not JSON: Expecting value: .*column 1"),
                (("a.txt", "list.jsonl"), (), "list.jsonl, line 2 is not a JSON object"),
                (("field.jsonl",), (), 'field.jsonl, line 2 has no "text"; name the field'),
                (("null.jsonl",), (), 'null.jsonl, line 1: "text" is null, where a text is needed'),
                (("latin.jsonl",), (), "latin.jsonl, line 1 is not UTF-8: byte 0xe9 at 10"),
                (("half.jsonl",), (), 'half.jsonl, line 1: "text" has .* at 0, which is no character'),
                (("a.txt",), ("--field=text",), "a.txt, line 1 is not JSON"),
                (("deep.jsonl",), (), "deep.jsonl, line 1 is not JSON: "),
                (("no.gz",), (), "no.gz is damaged: Not a gzipped file"),
                (("cut.jsonl.gz",), (), "cut.jsonl.gz is damaged: Compressed file ended"),
                (("empty.txt",), (), "there is no text in empty.txt"),
                (("none.txt",), (), "cannot read none.txt: No such file"),
                (("a.txt",), ("--separator=end",), "--separator must be the number of a token with --bytes, got end"),
                (("out.bin", "a.txt"), (), "-o out.bin would overwrite out.bin")):
            done = self.tokenize(*files, "-o", "out.bin", "--bytes", *flags)
            self.assert_refused(done, words, status=1)
            self.assertEqual(done.out, "")
            self.assertEqual(old.read_bytes(), b"old")
            self.assertEqual(sorted(self.folder.iterdir()), before)
        for arguments, words in (((), "required: FILE, -o"), (("a.txt", "--bytes"), "required: -o")):
            self.assert_refused(self.tokenize(*arguments), words, status=2)
        for arguments, words in ((("a.txt", "-o", "a.tokens", "--bytes"), "name it \\*.bin, \\*.u16 or \\*.u32"),
                                 (("a.txt", "-o", "o.bin"), "--tokenizer is missing; name a tokenizer.json, or say --b"),
                                 (("a.txt", "-o", "o.bin", "--bytes", "--tokenizer=t"), "exclude each other"),
                                 (("a.txt", "-o", "o.u16", "--bytes", "--separator=65536"),
                                  "ids up to 65,536 do not fit into the uint16 of o.u16")):
            self.assert_refused(self.tokenize(*arguments), words, status=1)

    def test_without_python(self):
        """--bytes needs no package, and with a tokenizer the error names the one that is missing."""
        self.write("a.txt", "text")
        self.write("t.json", tokenizer_json())
        empty = self.folder / "bin"
        empty.mkdir()
        with_bytes = (support.ZEROC, "tokenize", "--force", "a.txt", "-o", "a.u16", "--bytes")
        done = support.run(*with_bytes, cwd=self.folder, env={"PATH": str(empty)})
        self.assert_refused(done, "zeroc tokenize needs Python, and python3 cannot be run: No such file", status=1)
        with_tokenizer = (*with_bytes[:-1], "--tokenizer=t.json")
        package = self.folder / "tokenizers.py"
        package.write_text("raise ImportError('it is not there')")
        done = support.run(*with_tokenizer, cwd=self.folder, env={"PYTHONPATH": str(self.folder)})
        self.assert_refused(done, "needs the Python package tokenizers .it is not there.; install it with "
                                  "`.*python3.* -m pip install tokenizers`, or use --bytes", status=1)
        done = support.run(*with_bytes, cwd=self.folder, env={"PYTHONPATH": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.err)


@unittest.skipUnless(has_tokenizers(), "python3 has no package tokenizers")
class Tokenizers(Tokenize):
    def setUp(self):
        super().setUp()
        self.write("t.json", tokenizer_json())
        self.end = len(tokenizer_json()["model"]["vocab"])

    def test_ids(self):
        """Texts are not truncated, padded or extended, and contain no special tokens."""
        self.write("a.txt", "the other an\n\n")
        self.write_jsonl("b.jsonl", ["", "then", "x<|end|>"])
        vocab = tokenizer_json()["model"]["vocab"]
        expected = [[vocab["the"], vocab["Ġ"], vocab["o"], vocab["the"], vocab["r"], vocab["Ġ"], vocab["an"], vocab["ĊĊ"]],
                    [vocab["the"], vocab["n"]],
                    [vocab[letter] for letter in "x<|"] + [vocab[letter] for letter in "end|>"]]
        self.assertEqual(self.tokens("o.u16", "a.txt", "b.jsonl", "--tokenizer=t.json"),
                         [token for ids in expected for token in ids])
        for separator, end in (("<|end|>", self.end), (self.end, self.end), ("an", vocab["an"]), (3, 3)):
            self.assertEqual(self.tokens("o.bin", "a.txt", "b.jsonl", "--tokenizer=t.json", "--separator", separator),
                             [token for ids in expected for token in (*ids, end)])

    def test_names_of_special_tokens(self):
        """As text they are counted; with the option they are tokens."""
        self.write_jsonl("a.jsonl", ["an<|end|>an<|end|>", "an", "<|end|>"])
        an = tokenizer_json()["model"]["vocab"]["an"]
        done = self.tokenize("a.jsonl", "-o", "text.u16", "--tokenizer=t.json")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("zeroc tokenize: warning: the texts have 3 strings like <|end|>, which are special tokens of the tokenizer and "
                      "are written as ordinary text; with --special-tokens each is its token", done.err)
        self.assertNotIn(self.end, read_tokens(self.folder / "text.u16"))
        done = self.tokenize("a.jsonl", "-o", "o.u16", "--tokenizer=t.json", "--special-tokens")
        self.assertEqual(done.err, "")
        self.assertEqual(read_tokens(self.folder / "o.u16"), [an, self.end, an, self.end, an, self.end])
        self.assert_refused(self.tokenize("a.jsonl", "-o", "o.u16", "--bytes", "--special-tokens"),
                            "--special-tokens are those of a tokenizer, and with --bytes there is none", status=1)

    def test_pieces(self):
        """A long document has the tokens of one that is not cut into pieces."""
        rng = random.Random(4)
        words = ["the", "an", "other", "\n", "\n\n", "\n  ", "é", "1", "!", "\t", "\r\n", " ", " \n", "\u3000"]
        text = "".join(rng.choices(words, k=720_000))
        self.assertGreater(len(text), 5 << 18)
        self.write("a.txt", text)
        self.write_jsonl("b.jsonl", [text[:800_000], "then"])
        self.assertEqual(self.tokens("a.u16", "a.txt", "--tokenizer=t.json", "--separator=0").count(0), 1)
        script = ("import sys, array, tokenizers; t = tokenizers.Tokenizer.from_file('t.json'); t.no_truncation(); "
                  "t.no_padding(); text = open('a.txt', newline='').read(); "
                  "array.array('H', t.encode(text).ids).tofile(open('whole.u16', 'wb'))")
        self.run_ok("python3", "-c", script)
        whole = read_tokens(self.folder / "whole.u16")
        self.assertEqual(self.tokens("o.u16", "a.txt", "--tokenizer=t.json"), whole)
        self.assertEqual(self.tokens("p.u16", "b.jsonl", "--tokenizer=t.json", "--separator=0").count(0), 2)

    def test_large_vocabulary(self):
        self.write("t.json", tokenizer_json(extra=70000))
        self.write("a.txt", "then an")
        ids = self.tokens("o.bin", "a.txt", "--tokenizer=t.json", "--separator=<|end|>")
        self.assertEqual(ids[-1], self.end + 70000)
        self.assertEqual((self.folder / "o.bin").stat().st_size, 1024 + 4 * len(ids))

    def test_refusals(self):
        self.write("a.txt", "text")
        self.write("latin.txt", b"a\xe9")
        self.write("bad.json", "{}")
        for file, flags, words in (
                ("latin.txt", ("--tokenizer=t.json",), "latin.txt is not UTF-8: byte 0xe9"),
                ("a.txt", ("--tokenizer=none.json",), "cannot read none.json: No such file"),
                ("a.txt", ("--tokenizer=bad.json",), "bad.json is no tokenizer.json"),
                ("a.txt", ("--tokenizer=t.json", "--separator=<eos>"), "--separator=<eos> is neither a number nor a"),
                ("a.txt", ("--tokenizer=t.json", f"--separator={self.end + 1}"), f"is not 0 to {self.end}, the vocab")):
            done = self.tokenize(file, "-o", "out.bin", *flags)
            self.assert_refused(done, words, status=1)
            self.assertFalse((self.folder / "out.bin").exists())
