"""zeroc data: the loss is on what the assistant says, and on its stop tokens."""
import json

import support
from chats import CHATML, MISSING, SPECIAL, ChatCase, runs

try:
    from byte_tokenizer import byte_tokenizer
    from zeroc import tokens
except ImportError:
    pass  # ChatCase skips

GOLDEN = json.loads((support.ROOT / "test/chat/masks.json").read_text())["families"] if not MISSING else {}
#: Without marks: a turn ends with the beginning of the next; a prompt has thinking that turns lack.
REFUSED = {"glm4moe": "ends without a stop token", "deepseekv3": "does not begin an assistant's turn with"}


class Masks(ChatCase):
    """Ten families' templates, against transformers' masks of TRL's marked variants."""

    def check_family(self, name):
        family = GOLDEN[name]
        how = {"special": family["special"], "bos": family["bos"], "eos": family["eos"], "eos_token_id": []}
        stop = byte_tokenizer(family["special"]).token_to_id(family["stop"])
        marked = self.model(family["marked"], name="marked", **{**how, "eos_token_id": stop})
        plain = self.model(family["template"], name="plain", **{**how, "eos_token_id": stop})
        self.assertGreaterEqual(len(family["chats"]), 2)
        for chat in family["chats"]:
            record = {"messages": chat["messages"]}
            said = [m["content"] for m in chat["messages"] if m["role"] == "assistant"]
            tokenizer, [sample] = self.samples(marked, record)
            self.assertEqual(sample.ids, chat["ids"])
            self.assertEqual(runs(sample.trained), chat["trained"])
            if name in REFUSED:
                self.refused(REFUSED[name], of=lambda: self.samples(plain, record))
                continue
            # Without marks: the same turns, each up to its stop token.
            found = self.trained_text(plain, record)
            self.assertEqual(len(found), len(said))
            expected = [tokenizer.tokenizer.decode(chat["ids"][begin:end], skip_special_tokens=False)
                        for begin, end in chat["trained"]]
            for text, marks, content in zip(found, expected, said):
                self.assertIn(content.strip(), text)
                self.assertTrue(text.endswith(family["stop"]), text)
                # qwen3's marked variant has thinking in each turn; qwen2_5's begins with a newline of the prompt.
                if name != "qwen3":
                    self.assertEqual(text, marks[:marks.index(family["stop"])].lstrip("\n") + family["stop"])

    def test_earlier_turns_that_are_rewritten(self):
        """Qwen3 drops earlier thinking: each turn is a sample of its own, as the model will be asked."""
        family = GOLDEN["qwen3"]
        folder = self.model(family["template"], special=family["special"])
        record = {"messages": [{"role": "user", "content": "a"},
                               {"role": "assistant", "content": "<think>\nt1\n</think>\n\nb"},
                               {"role": "user", "content": "c"},
                               {"role": "assistant", "content": "<think>\nt2\n</think>\n\nd"}]}
        tokenizer, samples = self.samples(folder, record)
        self.assertEqual([tokenizer.tokenizer.decode(s.ids, skip_special_tokens=False) for s in samples],
                         ["<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n<think>\nt1\n</think>\n\nb<|im_end|>\n",
                          "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>user\nc"
                          "<|im_end|>\n<|im_start|>assistant\n<think>\nt2\n</think>\n\nd<|im_end|>\n"])
        self.assertEqual(self.trained_text(folder, record),
                         ["<think>\nt1\n</think>\n\nb<|im_end|>", "<think>\nt2\n</think>\n\nd<|im_end|>"])

    def test_seeded_mistakes(self):
        """Templates with a mistake, which would train a model that never stops, or on what it should not say."""
        record = {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"},
                               {"role": "assistant", "content": "a"}, {"role": "user", "content": "v"},
                               {"role": "assistant", "content": "b"}]}
        begin = "{% for m in messages %}<|im_start|>{{ m.role }}\n"
        for text, keyword in (
                (begin + "{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
                 "ends without a stop token ('<|im_end|>')"),
                # The prompt of generation is not how turns begin.
                (CHATML.replace("<|im_start|>assistant", "<|im_start|>model"), "does not begin an assistant's turn with"),
                (begin + "{% generation %}{{ m.content }}<|im_end|>\n{% endgeneration %}{% endfor %}",
                 "marks what the system says"),
                (begin + "{% if m.role == 'user' %}{% generation %}{{ m.content }}<|im_end|>\n{% endgeneration %}"
                 "{% else %}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}", "marks what the user says"),
                (begin + "{% if m.role == 'assistant' and loop.last %}{% generation %}{{ m.content }}<|im_end|>\n"
                 "{% endgeneration %}{% else %}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}",
                 "leaves a turn of the assistant unmarked"),
                (begin + "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}<|im_end|>\n"
                 "{% else %}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}", "ends without a stop token"),
                (CHATML.replace("{{ m.content }}", "{{ m.content | replace('a', 'x') }}"), "lacks its content")):
            with self.subTest(keyword, text=text):
                self.refused(keyword, of=lambda: self.samples(self.model(text), record))
        self.assertEqual(self.trained_text(self.model(), record), ["a<|im_end|>", "b<|im_end|>"])

    def test_stop_tokens(self):
        """Of generation_config.json, of the model's config, and of the option."""
        text = CHATML.replace("<|im_end|>", "<|endoftext|>")
        record = {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]}
        folder = self.model(text)
        end = byte_tokenizer(SPECIAL).token_to_id("<|endoftext|>")
        self.refused("without a stop token", "--stop-token", of=lambda: self.samples(folder, record))
        self.assertEqual(self.trained_text(folder, record, stops=("<|endoftext|>",)), ["a<|endoftext|>"])
        (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [1, end]}))
        self.assertEqual(self.trained_text(folder, record), ["a<|endoftext|>"])
        for ids in ("x", [[1]], {}, -1, 2.0, [True], 10**6):
            (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": ids}))
            self.refused("generation_config.json: eos_token_id", "is no token", of=lambda: tokens.Tokenizer(folder))
        (folder / "generation_config.json").write_text("{}")
        self.refused("--stop-token '<none>' is no token", of=lambda: tokens.Tokenizer(folder, stops=("<none>",)))

    def test_weights_of_turns(self):
        record = {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a", "weight": 0},
                               {"role": "user", "content": "v"}, {"role": "assistant", "content": "b"}]}
        self.assertEqual(self.trained_text(self.model(), record), ["b<|im_end|>"])
        record["messages"][1]["weight"] = 0.25
        _, [sample] = self.samples(self.model(), record)
        self.assertEqual([weight for weight in sample.trained if weight], [0.25, 0.25, 1, 1])


for name in GOLDEN:
    setattr(Masks, f"test_{name}", lambda self, name=name: self.check_family(name))
