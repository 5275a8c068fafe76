"""How tokens are drawn: by the options of a command, and what generation_config.json of the model says.

Of the keys of transformers' GenerationConfig (5.24), which test/chat/generation_keys.json lists, some are obeyed, some
change no answer, and the others are named in a warning where their values say something.
"""
from __future__ import annotations

import math
import sys

from .errors import UserError
from .template import read_json

#: The option, its field of a request and of generation_config.json, what it may be, and what it is if neither says more.
SAMPLING = (("--temperature", "temperature", 0.8, "a finite number, 0 or more", lambda x: 0 <= x < math.inf),
            ("--top-k", "top_k", 0, "a whole number, 0 or more", lambda x: x >= 0 and x == int(x)),
            ("--top-p", "top_p", 1.0, "a number above 0, up to 1", lambda x: 0 < x <= 1),
            ("--min-p", "min_p", 0.0, "a number from 0 to 1", lambda x: 0 <= x <= 1),
            ("--repetition-penalty", "repetition_penalty", 1.0, "a finite number above 0", lambda x: 0 < x < math.inf),
            ("--no-repeat-ngram-size", "no_repeat_ngram_size", 0, "a whole number, 0 or more",
             lambda x: x >= 0 and x == int(x)),
            ("--max-tokens", "max_new_tokens", None, "a whole number, 1 or more", lambda x: x >= 1 and x == int(x)))
#: Of a draw, which there is none of if the temperature is 0.
OF_DRAWS = ("top_k", "top_p", "min_p")
#: Keys that are obeyed beside those: eos_token_id by tokens.py.
OBEYED = ("do_sample", "stop_strings", "eos_token_id")
#: Keys that change no answer: how fast it comes, what else is returned, what only encoders, searches with beams or
#: models that assist use.
WITHOUT_EFFECT = frozenset("""
    use_cache cache_implementation cache_config max_cache_len compile_config disable_compile low_memory prefill_chunk_size
    continuous_batching_config use_mtp output_attentions output_hidden_states output_scores output_logits
    return_dict_in_generate pad_token_id bos_token_id decoder_start_token_id early_stopping length_penalty
    renormalize_logits remove_invalid_values is_assistant num_assistant_tokens num_assistant_tokens_schedule
    assistant_confidence_threshold prompt_lookup_num_tokens max_matching_ngram_size assistant_early_exit
    assistant_lookbehind target_lookbehind assistant_ensemble_weight speculation_type transformers_version""".split())
#: Numbers with which a key says nothing, as null, false and what is empty do.
NEUTRAL = {"min_length": 0, "min_new_tokens": 0, "num_beams": 1, "num_beam_groups": 1, "num_return_sequences": 1,
           "typical_p": 1, "top_h": 1, "epsilon_cutoff": 0, "eta_cutoff": 0, "encoder_repetition_penalty": 1,
           "encoder_no_repeat_ngram_size": 0, "diversity_penalty": 0, "guidance_scale": 1, "penalty_alpha": 0}


class Sampling:
    """`fields` are those of a request, `most` the tokens of an answer or None, `stops` texts that end it.

    `seq` are the tokens of a prompt and its answer."""

    def __init__(self, args, folder, command, seq):
        self.args, self.path = args, folder / "generation_config.json"
        self.given = read_json(self.path)
        self.fields = {row[1]: self.value(*row) for row in SAMPLING}
        self.most = self.fields.pop("max_new_tokens")
        is_greedy = self.flag("do_sample") is False
        if is_greedy and args.temperature is None:
            self.fields["temperature"] = 0
        self.check_draws(is_greedy)
        self.stops = [*args.stop, *self.stop_strings()]
        if names := self.not_obeyed(seq):
            print(f"zeroc {command}: warning: {self.path}: zeroc does not obey {', '.join(names)}; answers are those "
                  "without", file=sys.stderr)

    def value(self, option, field, default, kind, is_valid):
        value, place = getattr(self.args, option[2:].replace("-", "_")), option
        if value is None and self.given.get(field) is not None:
            value, place = self.given[field], f"{self.path}: {field}"
        if value is None and default is None:
            return None
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not is_valid(value):
            raise UserError(f"{place} must be {kind}, got {value!r}")
        return int(value) if kind.startswith("a whole") else value

    def flag(self, key):
        value = self.given.get(key)
        if value is not None and not isinstance(value, bool):
            raise UserError(f"{self.path}: {key} must be true or false, got {value!r}")
        return value

    def check_draws(self, is_greedy):
        """An option of draws has no effect on the most likely token."""
        if self.fields["temperature"] != 0:
            return
        for option, field, default, *_ in SAMPLING:
            if field in OF_DRAWS and getattr(self.args, field) not in (None, default):
                why = (f"{self.path} says do_sample false; say --temperature, too" if is_greedy and
                       self.args.temperature is None else "the temperature is 0; drop one of them")
                raise UserError(f"{option}={getattr(self.args, field):g} changes nothing, as {why}")

    def stop_strings(self):
        texts = self.given.get("stop_strings") or []
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
            raise UserError(f"{self.path}: stop_strings must be texts, got {texts!r}")
        return texts

    def not_obeyed(self, seq):
        """Keys whose values say something that is not done."""
        known = {*(row[1] for row in SAMPLING), *OBEYED, *WITHOUT_EFFECT}
        # In place of it there is --seq, and what it says beyond that changes nothing.
        length, most = self.given.get("max_length"), self.given.get("max_new_tokens")
        if most is not None or self.args.max_tokens is not None or (isinstance(length, int) and length >= seq):
            known.add("max_length")
        return sorted(key for key, value in self.given.items() if key not in known and not key.startswith("_") and
                      not (value is None or value is False or value in ("", [], {}) or value == NEUTRAL.get(key)))
