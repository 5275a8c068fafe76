#!/usr/bin/env python3
"""Makes patterns.txt: which of some names Python's re.fullmatch finds, for patterns that people use and random ones.

    patterns.py > patterns.txt      (Python 3.11 or newer)

A line is "name NAME", "matches PATTERN INDICES", or "refused PATTERN POSITION", with tabs between the words.
"""
import random
import re
import warnings

NAMES = [f"model.layers.{i}.{m}" for i in (0, 1, 12) for m in ("self_attn.q_proj", "self_attn.v_proj", "mlp.up_proj")] + [
    "lm_head", "transformer.h.0.attn.c_attn", "a", "b", "aab", "abab", "b.a", "x1", "1", "_", "-", "é", "ÀB", "٣", "a.b-c",
    "[", "]", "{", "}", "{1}", "a{1}", "aaa", "Q_Proj", "a b", "\\", "^", "$", "(a)", "|", "a]", "K", "\u212a"]
USED = [
    r".*layers\.(0|\d+)\.self_attn\.q_proj", r".*layers\.(?!0\.)\d+\..*(?:q|v)_proj", r".*\.(?:q|v)_proj", r".*?q_proj",
    r".*\bq_proj", r".*\w_proj", r"(?i).*Q_PROJ", r"model\.layers\.([1-9]|1[0-9])\.(self_attn|mlp)\.[a-z]+_proj",
    r".*(?<!v)_proj", r".*(?<=self_attn\.)\w+", r"(?P<part>a)(?P=part)b", r"(a)\1b", r"^model\..*$", r"\Aa\Z", r"(?>a+)b",
    r"a++b", r"a{,3}", r"(?:lm_head|(?i:LM_HEAD))", r"(?#all)a", r"[\w.]+\.(?:[qv]|up)_proj", r"(?!lm_head).*", r"(?s).*",
    "q_proj", "", "[[:alpha:]]", "[]a]", "[^]a]", "a{1}", r"a\{1}", "{", "{1}", r"\u212a", "(?i)k", r"\d", r"[\d-]",
    # Not Python's, or nobody's.
    "(", ")", "h.(0", "*a", "a**", "a{1}{2}", "[a", r"\h", r"\K", r"\Qa\E", r"\z", r"\R", "(?|a)", "(?<n>a)", "(?R)", "(?1)",
    "(*ACCEPT)", "(?P>n)", "a|(?i)b", r"(a\1)", r"\1", "(?P<n>a)(?P<n>b)", "(?P=n)", "[b-a]", r"[a-\d]", "(?<=a*)b", "a\\",
    r"\x6", "(?", "(?z)", "a{2,1}"]
ATOMS = ["a", "b", "1", ".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\A", r"\Z", r"\v", r"\a", r"\x61",
         r"\1", r"\2", "[ab]", "[^a]", "[]a]", "[a-z]", r"[\d-]", "[[:alpha:]]", r"[a\]b]", "^", "$", "é", "[À-é]", "]", "}",
         "{", "-", "_", ".*", ".*?", "K", "k", "(?#c)", "(?i)", " ", r"\-", "[--a]", "[a&&b]", "#", "/", "(?P=n)", "(?<=a)",
         "(?<![ab])", r"\.", r"\é", "|", "{1}"]
QUANTIFIERS = ["*", "+", "?", "*?", "+?", "??", "*+", "++", "{2}", "{1,2}", "{,2}", "{1,}", "{}", "{a}", "{1,2}?", "{ 1}"]
GROUPS = ["(", "(?:", "(?=", "(?!", "(?>", "(?i:", "(?-i:", "(?P<n>"]


def draw(rng, depth=0):
    text = ""
    for _ in range(rng.randint(1, 4)):
        text += rng.choice(GROUPS) + draw(rng, depth + 1) + ")" if rng.random() < 0.3 and depth < 3 else rng.choice(ATOMS)
        text += rng.choice(QUANTIFIERS) if rng.random() < 0.3 else ""
    return text


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(61)
    for name in NAMES:
        print("name", name, sep="\t")
    for pattern in USED + [draw(rng) for _ in range(600)]:
        try:
            found = [str(i) for i, name in enumerate(NAMES) if re.fullmatch(pattern, name)]
            print("matches", pattern, " ".join(found), sep="\t")
        except re.error as error:
            print("refused", pattern, "" if error.pos is None else error.pos, sep="\t")


if __name__ == "__main__":
    main()
