"""What generation_config.json says is what is asked of the program, or is named."""
import contextlib
import io
import json
import types

import chats
import generating
import support

try:
    from zeroc import sampling
except ImportError:
    pass  # ChatCase skips

#: Every key of transformers 5.24: its default, and whether zeroc obeys it, names it, or nothing depends on it.
KEYS = json.loads((support.ROOT / "test" / "chat" / "generation_keys.json").read_text())
#: Options that are not given.
NOTHING = dict(temperature=None, top_k=None, top_p=None, min_p=None, repetition_penalty=None, no_repeat_ngram_size=None,
               max_tokens=None, stop=())


class Configs(chats.ChatCase):
    def read(self, config, seq=100, **typed):
        """(what is sampled with, what was warned of)"""
        (self.folder / "generation_config.json").write_text(json.dumps(config))
        with contextlib.redirect_stderr(io.StringIO()) as said:
            found = sampling.Sampling(types.SimpleNamespace(**{**NOTHING, **typed}), self.folder, "generate", seq)
        return found, said.getvalue()

    def test_every_key_has_a_decision(self):
        """What is not obeyed is named, with values that say something."""
        for key, (default, decision) in KEYS.items():
            with self.subTest(key):
                if key != "max_length":  # 20 tokens
                    self.assertEqual(self.read({key: default})[1], "")
                if decision != "obeyed":
                    self.assertEqual(key in self.read({key: [7]})[1], decision == "named")
        known = {*sampling.WITHOUT_EFFECT, *sampling.NEUTRAL, *sampling.OBEYED, *(row[1] for row in sampling.SAMPLING)}
        self.assertEqual(known - set(KEYS), set())
        _, said = self.read({"num_beams": 4, "chat_format": "x", "use_cache": True, "bad_words_ids": [[1]], "min_length": 0,
                             "_from_model_config": True, "typical_p": 1.0, "forced_bos_token_id": 0})
        self.assertRegex(said, "^zeroc generate: warning: .*generation_config.json: zeroc does not obey bad_words_ids, "
                               "chat_format, forced_bos_token_id, num_beams; answers are those without\n$")

    def test_greedy(self):
        """do_sample is that of the file where no option draws."""
        for config, typed, temperature in (
                ({"do_sample": False, "temperature": 1.5}, {}, 0), ({"do_sample": False}, {}, 0), ({}, {}, 0.8),
                ({"do_sample": True}, {}, 0.8), ({"do_sample": True, "temperature": 1.5}, {}, 1.5),
                ({"do_sample": False, "temperature": 1.5}, {"temperature": 0.3}, 0.3),
                ({"do_sample": None, "temperature": 0.3}, {}, 0.3)):
            self.assertEqual(self.read(config, **typed)[0].fields["temperature"], temperature, (config, typed))
        fields = self.read({"do_sample": False, "repetition_penalty": 1.5, "no_repeat_ngram_size": 3, "top_k": 9})[0].fields
        self.assertEqual(fields, {"temperature": 0, "top_k": 9, "top_p": 1.0, "min_p": 0.0, "repetition_penalty": 1.5,
                                  "no_repeat_ngram_size": 3})
        for config, typed, words in (
                ({"do_sample": False}, {"top_p": 0.5}, "--top-p=0.5 changes nothing, as .*generation_config.json says "
                                                       "do_sample false; say --temperature, too"),
                ({}, {"temperature": 0, "min_p": 0.5}, "--min-p=0.5 changes nothing, as the temperature is 0; drop one"),
                ({"do_sample": 0}, {}, "generation_config.json: do_sample must be true or false, got 0"),
                ({"min_p": 1.5}, {}, "min_p must be a number from 0 to 1, got 1.5"),
                ({"no_repeat_ngram_size": -1}, {}, "no_repeat_ngram_size must be a whole number, 0 or more"),
                ({"stop_strings": 3}, {}, "stop_strings must be texts, got 3")):
            with self.subTest(words), self.assertRaisesRegex(chats.UserError, words):
                self.read(config, **typed)

    def test_length(self):
        self.assertEqual(self.read({"max_new_tokens": 7})[0].most, 7)
        self.assertEqual(self.read({"max_new_tokens": 7}, max_tokens=9)[0].most, 9)
        self.assertIsNone(self.read({})[0].most)
        for config, typed, is_named in (({"max_length": 99}, {}, True), ({"max_length": 100}, {}, False),
                                        ({"max_length": 20, "max_new_tokens": 7}, {}, False),
                                        ({"max_length": 20}, {"max_tokens": 7}, False)):
            self.assertEqual("does not obey max_length" in self.read(config, **typed)[1], is_named, (config, typed))


class Requests(generating.GeneratingCase):
    def test_reach_the_program(self):
        """Also those of options, and texts that end an answer."""
        (self.base / "generation_config.json").write_text(json.dumps(
            {"do_sample": False, "min_p": 0.25, "no_repeat_ngram_size": 2, "max_new_tokens": 5, "stop_strings": ["b"],
             "num_beams": 4}))
        prompts = self.write("p.txt", "p\n")
        self.says("abc")
        done = self.zeroc_ok("generate", self.base, "--prompts", prompts)
        self.assertEqual(json.loads(done.out)["text"], "a")
        self.assertEqual(done.err.count("does not obey num_beams;"), 1)
        request = {"id": 1, "ids": self.ids("p"), "seed": 0, "sample": 0, "temperature": 0, "top_k": 0, "top_p": 1.0,
                   "min_p": 0.25, "repetition_penalty": 1.0, "no_repeat_ngram_size": 2, "max": 5}
        self.assertEqual(self.requests()[0], request)
        self.zeroc_ok("generate", self.base, "--prompts", prompts, "--temperature=2", "--min-p=0.5",
                      "--no-repeat-ngram-size=3", "--max-tokens=9")
        self.assertEqual(self.requests()[0], {**request, "temperature": 2, "min_p": 0.5, "no_repeat_ngram_size": 3, "max": 9})

    def test_default_length(self):
        self.says("a")
        self.zeroc_ok("generate", self.base, "--prompts", self.write("p.txt", "p\n"))
        self.assertEqual(self.requests()[0]["max"], 256)
        self.zeroc_ok("chat", self.base, stdin=b"Hi\n")
        self.assertNotIn("max", self.requests()[0])
