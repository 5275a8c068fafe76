"""A checkpoint says what its model computes: another model of equal parameters does not go on without a word."""
import concurrent.futures
import json
import os
import re

import support

LLAMA = dict(model_type="llama", num_hidden_layers=1, hidden_size=16, intermediate_size=32, num_attention_heads=2,
             vocab_size=256, max_position_embeddings=64)
#: The function of a model: its text without what is said of it, without initial values.
SAID = re.compile(r"^module attributes \{.*\} \{$", re.M)
#: Families whose keys are those of all others.
FAMILIES = ("gpt2-tiny", "gemma3", "gpt_neox", "qwen3_moe", "smollm3", "granite4-rope", "phi3-long", "cohere2", "gemma4")
NO_READERS = ("OtherKeys", "HuggingFace", "FunctionKeys")
IMPORT_OPTIONS = ((), ("--z-loss=0.1",), ("--label-smoothing=0.1",), ("--document-separator=3",), ("--dropout",))


def split(text):
    """The keys of a model's function, its parameters, and its text without initial values."""
    header = SAID.search(text)
    keys = dict(re.findall(r'"?([\w-][^"=,{]*?)"? = "([^"]*)"', header[0].split("zero.function = ")[1]))
    body = re.sub(r", zero\.init = #zero\.\w+<[^>]*>|#loc.*|loc\(.*\)", "", SAID.sub("", text))
    parameters = re.findall(r'tensor<([^>]*)> \{[^}]*zero\.param = "([^"]*)"', body)
    return keys, parameters, body


def changed(value):
    """Other values of a key of config.json."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value * 2, value // 2, value + 1]
    if isinstance(value, float):
        return [value * 2, value / 2]
    if isinstance(value, str):
        return ["relu"]
    if isinstance(value, list):
        return [value[:i] + [one] + value[i + 1:] for i, old in enumerate(value) for one in changed(old)]
    if isinstance(value, dict):
        return [{**value, key: one} for key, old in value.items() for one in changed(old)]
    return []


def others(config):
    """A config's neighbours: each key that a family reads, with other values."""
    sources = [path for path in (support.ROOT / "frontend/families").glob("*.*") if path.stem not in NO_READERS]
    read = {key for source in sources for key in re.findall(r'"([a-z]+_[a-z_0-9]+)"', source.read_text())}
    for key in sorted(read | config.keys()):
        for value in changed(config[key]) if key in config else (3, True):
            yield {**config, key: value}


class Keys(support.Case):
    def imported(self, config, *options):
        number = abs(hash((json.dumps(config), options)))
        path = self.write(f"{number}.json", json.dumps(config))
        done = support.run(support.ZEROC, "import", path, "--batch=1", "--seq=16", *options)
        return split(done.out) if done.returncode == 0 else None

    def test_equal_keys_are_one_function(self):
        """Of neighbours with equal parameters, those with another text have another key: what the importer reads and
        the model depends on is compared."""
        found = set()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case in FAMILIES:
                config = json.loads((support.ROOT / "test/golden" / case / "config.json").read_text())
                keys, parameters, body = self.imported(config)
                models = [(other, ()) for other in others(config)] + [(config, option) for option in IMPORT_OPTIONS]
                for (other, option), model in zip(models, pool.map(lambda one: self.imported(one[0], *one[1]), models)):
                    if not model or model[1] != parameters or model[2] == body:
                        continue
                    differing = {key for key in keys if model[0].get(key) != keys[key]}
                    found |= differing
                    self.assertTrue(differing, f"{case}: {[key for key in other if other[key] != config.get(key)]} {option}")
        # The net has caught something of each kind.
        for key in ("n_head", "num_attention_heads", "rope_theta", "rope_scaling", "sliding_window", "--z-loss", "--dropout",
                    "num_experts_per_tok", "router_aux_loss_coef with output_router_logits", "hidden_act", "norm_eps",
                    "--label-smoothing", "--document-separator", "attention scale", "final_logit_softcapping",
                    "layers without rotary positions", "embedding_multiplier", "residual_multiplier", "logit_scale"):
            self.assertIn(key, found)

    def test_two_spellings_are_one_function(self):
        theta = self.imported({**LLAMA, "rope_theta": 5e4})
        self.assertEqual(self.imported({**LLAMA, "rope_parameters": {"rope_type": "default", "rope_theta": 5e4}}), theta)
        self.assertNotEqual(self.imported(LLAMA)[0], theta[0])


class Resume(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(2000, 256)

    def command(self, model, *flags, options=()):
        return (support.compile_model(model, *options), "--data", self.data, "--steps", 3, "--lr", "1e-3", *flags)

    def start(self, model):
        self.run_ok(*self.command(model, "--checkpoint", "ck", "--save-every", 2, "--quiet"))

    def go_on(self, model, *flags, options=()):
        return support.run(*self.command(model, "--resume", "ck", *flags, options=options), cwd=self.folder)

    def imported(self, config=LLAMA, *options, batch=2):
        return support.import_model({**LLAMA, **config}, batch, 16, *options)

    def test_another_function_is_refused(self):
        self.start(self.imported())
        for config, options, words in (
                ({"rope_theta": 5e5}, (), "rope_theta is 500000.0, and was 10000.0; go on with the model that it had"),
                ({"num_attention_heads": 4, "head_dim": 4, "num_key_value_heads": 4}, (), "num_attention_heads is 4, and was 2"),
                ({}, ("--label-smoothing=0.1",), "--label-smoothing is 0.1, and was 0.0"),
                ({}, ("--z-loss=0.01",), "--z-loss is 0.01, and was 0.0")):
            self.assert_refused(self.go_on(self.imported(config, *options)), words)
        # Of another batch, too.
        other = self.imported({"rope_theta": 5e5}, batch=1)
        self.assert_refused(self.go_on(other), "rope_theta is 500000.0")
        done = self.go_on(other, "--resume-other-model")
        self.assertEqual((done.returncode, done.err), (0, ""))
        self.assertIn("note      rope_theta is 500000.0, and was 10000.0 until the checkpoint\n", done.out)
        self.assert_refused(support.run(*self.command(other, "--resume-other-model"), cwd=self.folder),
                            "--resume-other-model is for a run that goes on; add --resume=DIR", status=2)

    def test_what_is_no_part_of_the_function(self):
        """Batch, micro-steps, initial values, precision, plans; dropout is said."""
        self.start(self.imported())
        for config, how, options, said in (
                ({}, {"batch": 1}, ("--accumulate=2",), ""), ({}, {"batch": 4}, (), "a step reads 4 samples now"),
                ({"initializer_range": 0.5, "max_position_embeddings": 32}, {}, ("--offload=cpu",), ""),
                ({}, {}, ("--precision=bf16", "--remat=block"), "--precision of the plan is bf16"),
                ({}, {}, ("--attention=f32",), ""), ({"rope_parameters": {"rope_theta": 1e4, "rope_type": "default"}}, {}, (), "")):
            done = self.go_on(self.imported(config, **how), options=options)
            self.assertEqual((done.returncode, done.err), (0, ""), (config, how, options))
            self.assertIn(said, done.out)
            self.assertNotIn("function", done.out)
        done = self.go_on(self.imported({"attention_dropout": 0.1}, "--dropout"))
        self.assertEqual((done.returncode, done.err), (0, ""))
        self.assertRegex(done.out, r"--dropout is attention 0.1, .* until the checkpoint")

    def test_a_model_without_keys(self):
        """Of MLIR that was written by hand, the text is compared."""
        text = SAID.sub("module {", self.imported().read_text())
        model = support.written_model(text)
        self.start(model)
        self.assertEqual(self.go_on(support.written_model(re.sub(r"std = [^>]*", "std = 0.5", text))).returncode, 0)
        other = support.written_model(text.replace("eps = 9.9999999999999995E-7", "eps = 1.0E-3"))
        self.assert_refused(self.go_on(other), "its text is another, and has no keys")
        self.assertIn("its text is another", self.go_on(other, "--resume-other-model").out)
        batch = support.written_model(SAID.sub("module {", self.imported(batch=1).read_text()))
        done = self.go_on(batch)
        self.assertEqual((done.returncode, done.err), (0, ""))
        self.assertIn("is the function that the run had is not checked: it is for tokens: tensor<1x16xi32>", done.out)

    def test_an_edited_text(self):
        self.start(self.imported())
        text = self.imported().read_text()
        edited = text.replace("eps = 9.9999999999999995E-7", "eps = 1.0E-3")
        self.assertNotEqual(edited, text)
        done = self.go_on(support.written_model(edited))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.err, "warning: the text of model.mlir is another .* whose keys are all the same")
