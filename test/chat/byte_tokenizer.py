"""A tokenizer whose tokens are bytes, and the special ones."""
import tokenizers


def byte_tokenizer(special):
    letters = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(
        vocab={letter: i for i, letter in enumerate(sorted(letters))}, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens([tokenizers.AddedToken(text, special=True, normalized=False) for text in special])
    return tokenizer
