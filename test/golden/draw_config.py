"""Random config.json files of the families that zeroc imports."""
import json
from dataclasses import dataclass, field
from pathlib import Path

#: The architecture of each model_type that has a folder of test_families.py.
FAMILIES = {config["model_type"]: config["architectures"][0] for config in (
    json.loads(path.with_name("config.json").read_text())
    for path in sorted(Path(__file__).parent.glob("*/gradients.safetensors")))}
GEMMA = ("gemma2", "gemma3_text")
OLMO = ("olmo2", "olmo3")
GRANITE = ("granite", "granitemoehybrid")
#: Of each mixture of experts, names for their number; a name that is there twice is more usual.
MIXTURES = {"mixtral": ("num_local_experts", "num_local_experts", "num_experts"),
            "qwen3_moe": ("num_experts", "num_experts", "num_local_experts"),
            "olmoe": ("num_experts", "num_experts", "num_local_experts")}
#: Families whose head width may differ from hidden_size / num_attention_heads.
FREE_HEADS = ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "qwen3_5_text", *GEMMA, "smollm3", *OLMO,
              *GRANITE, "cohere2", "starcoder2", "exaone4", "ministral3", "gemma4_text")
#: The families that have a key of `others`.
OWNERS = {"mlp_bias": ("llama", "smollm3", "granite"), "logits_scaling": GRANITE, "no_rope_layers": ("smollm3",)}
ACTIVATIONS = ("silu", "gelu", "gelu_new", "gelu_pytorch_tanh", "relu", "swish")
#: Activations that zeroc refuses.
OTHER_ACTIVATIONS = ("quick_gelu", "relu2", "mish")


@dataclass
class Case:
    config: dict
    batch: int
    seq: int
    #: True if save_pretrained rewrites the file.
    saved: bool = False
    #: Keys that zeroc may refuse by name, and one that it must refuse.
    odd: list = field(default_factory=list)
    must_refuse: str = ""


class Draw:
    def __init__(self, family, rng):
        self.family, self.rng = family, rng
        self.config = {"model_type": family}
        self.odd = []
        self.must_refuse = ""
        if rng.random() < 0.5:
            self.config["architectures"] = [FAMILIES[family]]

    def maybe(self, part=0.5):
        return self.rng.random() < part

    def refuse(self, key):
        self.odd.append(key)
        self.must_refuse = key

    def sizes(self):
        rng, c = self.rng, self.config
        heads = rng.choice((1, 2, 3, 4, 5, 6, 8))
        groups = rng.choice([g for g in range(1, heads + 1) if heads % g == 0])
        width = heads * 2 * rng.randint(1, 6)
        c.update(num_hidden_layers=rng.choice((1, 1, 2, 3, 4)), num_attention_heads=heads, hidden_size=width,
                 intermediate_size=rng.randint(1, 61), vocab_size=rng.randint(17, 131),
                 max_position_embeddings=rng.choice((32, 48, 64, 2048)), initializer_range=0.08)
        self.layers, self.heads, self.width, self.head = c["num_hidden_layers"], heads, width, width // heads
        if self.family != "gpt_neox":
            equal_by_default = ("llama", "phi3", "olmoe", *OLMO, *GRANITE, "cohere2")
            if groups != heads or self.family not in equal_by_default or self.maybe():
                c["num_key_value_heads"] = groups
            if groups == heads and self.family in (*equal_by_default, "qwen2") and self.maybe(0.2):
                c["num_key_value_heads"] = None
        if self.family in FREE_HEADS:
            must = ("qwen3", "qwen3_5_text", *GEMMA, "ministral3", "gemma4_text")
            if self.family in must or self.maybe():
                self.head = c["head_dim"] = 2 * rng.randint(1, 9)
            elif self.family in ("llama", "mistral") and self.maybe(0.3):
                c["head_dim"] = None

    def norms(self):
        c = self.config
        key = {"gpt_neox": "layer_norm_eps", "cohere2": "layer_norm_eps", "starcoder2": "norm_epsilon"}.get(
            self.family, "rms_norm_eps")
        if self.maybe(0.7):
            c[key] = self.rng.choice((1e-5, 1e-6, 1e-3, 0.02))
        key = "hidden_activation" if self.family in (*GEMMA, "gemma4_text") else "hidden_act"
        if self.maybe(0.6):
            c[key] = self.rng.choice(ACTIVATIONS)
        elif self.maybe(0.08):
            c[key] = self.rng.choice(OTHER_ACTIVATIONS)
            self.refuse(key)
        if self.maybe(0.6):
            c["tie_word_embeddings"] = self.maybe()
        if self.maybe(0.5):
            c["pad_token_id"] = self.rng.choice((None, None, 0, c["vocab_size"] - 1))
        elif self.family in (*GEMMA, "gemma4_text", "olmoe", "phi3", "smollm3"):
            c["pad_token_id"] = None if self.family in ("phi3", "smollm3") else self.rng.choice((None, 0))

    def biases(self):
        c = self.config
        if self.family in ("llama", "qwen3", "qwen3_moe", "olmoe", "gpt_neox", "qwen3_5_text", *GEMMA, "smollm3", *OLMO,
                           *GRANITE, "cohere2", "gemma4_text") and self.maybe():
            c["attention_bias"] = self.maybe()
        if self.family in OWNERS["mlp_bias"] and self.maybe():
            c["mlp_bias"] = self.maybe()
        if self.family == "starcoder2" and self.maybe():
            c["use_bias"] = self.maybe()
        if self.maybe(0.2):
            c["attention_dropout"] = self.rng.choice((0, 0.0))

    def window(self):
        c, rng = self.config, self.rng
        size = rng.choice((1, 2, 5, 9, 16, 100))
        if self.family in ("mistral", "mixtral", "phi3", "starcoder2", "ministral3") and self.maybe(0.7):
            c["sliding_window"] = rng.choice((None, size, size))
        if self.family in ("qwen2", "qwen3", "qwen3_moe", "smollm3"):
            if self.maybe(0.7):
                c.update(use_sliding_window=self.maybe(0.7), sliding_window=size)
            if self.family in ("qwen2", "qwen3") and self.maybe(0.7):
                c["max_window_layers"] = rng.randint(0, self.layers + 1)
        slide = (*GEMMA, "olmo3", "cohere2", "exaone4")
        if self.family in slide:
            c["sliding_window"] = size
        if self.family in ("gemma3_text", "cohere2", "exaone4") and self.maybe():
            c["sliding_window_pattern"] = rng.randint(1, 4)
        if self.family in (*slide, "qwen2", "qwen3", "smollm3") and self.maybe(0.4):
            kinds = ("full_attention", "sliding_attention") if c.get("use_sliding_window", self.family in slide) \
                else ("full_attention",)
            c["layer_types"] = [rng.choice(kinds) for _ in range(self.layers)]
            if self.family == "exaone4" and self.maybe(0.3):
                c.update(sliding_window=None, sliding_window_pattern=None, layer_types=["full_attention"] * self.layers)

    def turns(self):
        """Layers without rotary positions."""
        c, rng = self.config, self.rng
        if self.family == "smollm3" and self.maybe():
            c["no_rope_layer_interval"] = rng.randint(1, 4)
        if self.family == "smollm3" and self.maybe():
            c["no_rope_layers"] = [rng.randint(0, 1) for _ in range(self.layers + rng.randint(0, 2))]
        if self.family == "granitemoehybrid":
            c["position_embedding_type"] = rng.choice(("rope", "nope", None))

    def multipliers(self):
        c, rng = self.config, self.rng
        for key in ("embedding_multiplier", "residual_multiplier", "attention_multiplier", "logits_scaling"):
            if self.family in GRANITE and self.maybe(0.7):
                c[key] = rng.choice((0.22, 0.7, 1, 2.0))
        if self.family == "cohere2" and self.maybe(0.7):
            c["logit_scale"] = rng.choice((0.25, 0.8, 1.0))
        if self.family == "granitemoehybrid":
            c.update(shared_intermediate_size=rng.randint(1, 40), num_local_experts=0, mamba_n_heads=2,
                     layer_types=[rng.choice(("attention", "full_attention")) for _ in range(self.layers)])

    def caps(self):
        c, rng = self.config, self.rng
        if self.family not in GEMMA:
            return
        if self.maybe(0.8):
            c["query_pre_attn_scalar"] = rng.randint(1, 60)
        if self.maybe(0.7):
            c["final_logit_softcapping"] = rng.choice((None, 2.5, 30.0, 1.0))
        if self.family == "gemma2" and self.maybe(0.7):
            c["attn_logit_softcapping"] = rng.choice((None, 1.5, 50.0, 3.0))

    def scaling(self):
        """Returns the keys of rope_scaling, and whether zeroc may refuse them."""
        rng, kind = self.rng, self.rng.choice(("linear", "llama3", "yarn", "dynamic"))
        # Beside the default of gemma3_text, transformers ignores the older name.
        name = "rope_type" if self.family == "gemma3_text" else rng.choice(("rope_type", "type"))
        keys = {name: kind}
        original = 32 if self.family == "ministral3" else rng.choice((8, 16, 32))
        if kind == "linear":
            keys["factor"] = rng.choice((2, 2.5, 8.0))
        if kind == "llama3":
            keys.update(factor=rng.choice((2.0, 8.0)), low_freq_factor=1.0, high_freq_factor=rng.choice((2.0, 4.0)),
                        original_max_position_embeddings=original)
        if kind == "yarn":
            keys.update(factor=rng.choice((2.0, 4.0)), original_max_position_embeddings=original)
            for key, choice in (("beta_fast", (32, 16.0)), ("beta_slow", (1, 2.0)), ("attention_factor", (1.25, 0.5)),
                                ("truncate", (True, False))):
                # If an object for one kind of layers contains truncate, transformers always
                # truncates.
                if self.maybe(0.3) and (key != "truncate" or self.family != "gemma3_text"):
                    keys[key] = rng.choice(choice)
            if self.maybe(0.3):
                keys.update(mscale=rng.choice((0.7, 1.0)), mscale_all_dim=rng.choice((0.5, 1.0)))
        if kind == "dynamic":
            keys["factor"] = 2.0
            self.refuse("rope_type")
            self.odd.append("dynamic")
        return keys

    def part(self):
        """Returns the rotated fraction of a head."""
        choices = [p for p in (0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 1.0, 1) if int(self.head * p) >= 1]
        return self.rng.choice(choices)

    def rope(self):
        c, rng = self.config, self.rng
        base = rng.choice((10000, 10000.0, 500.0, 1e6))
        if self.family == "gemma4_text":
            self.gemma4_rope(base)
            return
        scaling = {}
        if self.maybe(0.5) or self.family == "ministral3":
            scaling = self.long_rope() if self.family == "phi3" else self.scaling()
        if self.family == "gemma3_text":
            self.gemma3_rope(base, scaling)
            return
        if self.family == "olmo3":
            self.olmo3_rope(base, scaling)
            return
        if self.family == "ministral3":
            c["rope_parameters"] = {"original_max_position_embeddings": 32, **scaling, "rope_theta": base,
                                    "llama_4_scaling_beta": rng.choice((0.1, 0.5))}
            return
        base_key, part_key = ("rotary_emb_base", "rotary_pct") if self.family == "gpt_neox" else \
            ("rope_theta", "partial_rotary_factor")
        partial = self.family in ("phi3", "gpt_neox", "qwen3_5_text") and "short_factor" not in scaling
        if partial:  # none may be left that turn, or an odd number that yarn scales
            self.odd.append("pairs")
        if self.maybe():  # as version 5 writes them
            keys = {"rope_type": "default", **scaling}
            if "type" in scaling:
                del keys["rope_type"]
            if self.maybe(0.8):
                keys["rope_theta"] = base
            if partial and self.maybe(0.8):
                keys["partial_rotary_factor"] = self.part()
            c["rope_parameters"] = keys
            return
        if self.maybe(0.8):
            c[base_key] = base
        if partial and self.maybe(0.8):
            c[part_key] = self.part()
        if scaling:
            c["rope_scaling"] = scaling
        elif self.maybe(0.3):
            c["rope_scaling"] = None

    def long_rope(self):
        """Of Phi-3, for half of each head."""
        c, rng = self.config, self.rng
        pairs = self.head // 4
        if pairs == 0 or self.head % 4:
            return {}
        c.update(partial_rotary_factor=0.5, original_max_position_embeddings=32)
        factors = {name: [round(rng.uniform(1, 4), 2) for _ in range(pairs)] for name in ("short_factor", "long_factor")}
        return {rng.choice(("type", "rope_type")): "longrope", **factors,
                **rng.choice(({}, {"factor": 3.0}, {"attention_factor": 1.3}))}

    def olmo3_rope(self, base, scaling):
        c = self.config
        if self.maybe():
            c["rope_parameters"] = {kind: {"rope_type": "default", "rope_theta": float(base)} for kind in
                                    ("full_attention", "sliding_attention")}
            c["rope_parameters"]["full_attention"].update(scaling)
            if "type" in scaling:
                del c["rope_parameters"]["full_attention"]["rope_type"]
            return
        if self.maybe():
            c["rope_theta"] = 500000
        if scaling:
            c["rope_scaling"] = scaling

    def gemma3_rope(self, base, scaling):
        c, rng = self.config, self.rng
        local = rng.choice((100.0, 10000, 1000.0))
        if self.maybe():
            c["rope_parameters"] = {"full_attention": {"rope_type": "default", **scaling, "rope_theta": base}}
            if "type" in scaling:
                del c["rope_parameters"]["full_attention"]["rope_type"]
            if self.maybe(0.8):
                c["rope_parameters"]["sliding_attention"] = {"rope_type": "default", "rope_theta": local}
            return
        if self.maybe(0.8):
            c["rope_theta"] = base
        if self.maybe(0.8):
            c["rope_local_base_freq"] = local
        if scaling:
            c["rope_scaling"] = scaling

    def gemma4_rope(self, base):
        rng = self.rng
        if self.maybe(0.7):
            full = {"rope_type": rng.choice(("default", "proportional")), "rope_theta": base}
            if full["rope_type"] == "proportional" and self.maybe(0.8):
                full["partial_rotary_factor"] = rng.choice((0.1, 0.25, 0.3, 0.5, 1.0))
            self.config["rope_parameters"] = {"full_attention": full, "sliding_attention": {
                "rope_type": "default", "rope_theta": rng.choice((100.0, 10000.0))}}

    def gemma4(self):
        """Layers that share keys and values have an own one of their kind before them; the last is full.  Norms follow
        all parts, and magnify f32's noise with a small eps."""
        c, rng = self.config, self.rng
        if self.family != "gemma4_text":
            return
        kinds = ["sliding_attention" if self.maybe() else "full_attention" for _ in range(self.layers - 1)] + ["full_attention"]
        c.update(layer_types=kinds, sliding_window=rng.choice((2, 5, 9, 16, 100)), rms_norm_eps=rng.choice((0.1, 0.3)),
                 global_head_dim=2 * rng.randint(1, 9),
                 hidden_size_per_layer_input=rng.choice((0, 0, 1, 4, 7)), use_double_wide_mlp=self.maybe(),
                 vocab_size_per_layer_input=c["vocab_size"] + rng.choice((0, 0, 5)), attention_k_eq_v=self.maybe())
        if self.maybe(0.7):
            c["final_logit_softcapping"] = rng.choice((None, 2.5, 30.0))
        groups = [g for g in range(1, self.heads + 1) if self.heads % g == 0]
        if self.maybe():
            c["num_global_key_value_heads"] = rng.choice(groups)
        shared = [n for n in range(self.layers) if set(kinds[self.layers - n:]) <= set(kinds[:self.layers - n])
                  and set(kinds) == set(kinds[:self.layers - n])]
        c["num_kv_shared_layers"] = rng.choice(shared)

    def mixture(self):
        c, rng = self.config, self.rng
        if self.family not in MIXTURES:
            return
        experts = rng.choice((1, 2, 3, 5, 8, 17))
        c[rng.choice(MIXTURES[self.family])] = experts
        c["num_experts_per_tok"] = rng.randint(1, experts)
        if self.maybe(0.6):
            c["output_router_logits"] = self.maybe(0.7)
        if self.maybe(0.6):
            c["router_aux_loss_coef"] = rng.choice((0.0, 0.02, 0.5))
        if self.family != "mixtral" and self.maybe(0.7):
            c["norm_topk_prob"] = self.maybe()
        if self.family == "qwen3_moe":
            c["moe_intermediate_size"] = rng.randint(1, 23)
            if self.maybe():
                c["decoder_sparse_step"] = rng.randint(1, 3)
            if self.maybe():
                c["mlp_only_layers"] = sorted({rng.randint(0, self.layers) for _ in range(rng.randint(0, 2))})

    def states(self):
        c, rng = self.config, self.rng
        if self.family == "lfm2":
            for key in ("num_experts_per_tok", "hidden_act", "attention_bias", "rms_norm_eps"):
                c.pop(key, None)
            c.update(rng.choice(({}, {"block_auto_adjust_ff_dim": False}, {"block_multiple_of": rng.randint(1, 9)})))
            if self.maybe(0.7):
                c["conv_L_cache"] = rng.randint(1, 5)
            if self.maybe():
                c["full_attn_idxs"] = sorted({rng.randrange(self.layers) for _ in range(rng.randint(0, 3))})
            elif self.maybe():
                c["layer_types"] = [rng.choice(("conv", "full_attention")) for _ in range(self.layers)]
        if self.family != "qwen3_5_text":
            return
        heads = rng.randint(1, 3)
        c.update(linear_num_key_heads=heads, linear_num_value_heads=heads * rng.randint(1, 3),
                 linear_key_head_dim=rng.randint(1, 9), linear_value_head_dim=rng.randint(1, 9))
        if self.maybe():
            c["linear_conv_kernel_dim"] = rng.randint(1, 5)
        if self.maybe():
            c["full_attention_interval"] = rng.randint(1, 3)
        elif self.maybe():
            c["layer_types"] = [rng.choice(("linear_attention", "full_attention")) for _ in range(self.layers)]

    def others(self):
        """Adds keys without effect, and some that ask for unsupported features."""
        c, rng = self.config, self.rng
        c.update(rng.choice(({}, {"use_cache": True, "torch_dtype": "bfloat16"}, {"bos_token_id": 1})))
        if self.family == "gpt_neox" and self.maybe():
            c["use_parallel_residual"] = self.maybe()
        if self.maybe(0.1):
            key, value = rng.choice((("attention_dropout", 1.5), ("quantization_config", {"quant_method": "fp8"})))
            c[key] = value
            self.refuse(key)
        others = [(key, value) for key, value in (("clip_qkv", 0.5), ("mlp_bias", True), ("logits_scaling", 2.0),
                                                  ("alibi", True), ("no_rope_layers", [0]))
                  if key not in c and self.family not in OWNERS.get(key, ())]
        if not self.must_refuse and self.maybe(0.1):  # keys of other families
            key, value = rng.choice(others)
            c[key] = value
            self.refuse(key)
        if self.family == "olmoe" and self.maybe(0.1):
            c["clip_qkv"] = 0.1
            self.refuse("clip_qkv")

    def case(self):
        for part in (self.sizes, self.norms, self.biases, self.window, self.turns, self.multipliers, self.caps, self.rope,
                     self.mixture, self.states, self.gemma4, self.others):
            part()
        return Case(self.config, batch=self.rng.randint(1, 4), seq=self.rng.choice((1, 2, 7, 16, 23, 31, 32)),
                    saved=self.maybe(0.4), odd=self.odd, must_refuse=self.must_refuse)


def draw(family, rng):
    return Draw(family, rng).case()
