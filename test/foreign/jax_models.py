"""Models written with JAX: {name: (parameters, inputs, loss)}, where the first two are dictionaries
of shapes (for inputs of ids: an exclusive upper bound)."""
import jax
import jax.numpy as jnp

MODELS = {}


def model(parameters, **inputs):
    def add(loss):
        MODELS[loss.__name__] = (parameters, inputs, loss)
        return loss
    return add


def ids(below, *shape):
    return (below, shape)


def dense(p, name, x):
    return x @ p[name + ".w"] + p[name + ".b"]


def layer(name, *sizes):
    """Shapes of dense layers name.0, name.1, ... that lead from size to size."""
    shapes = {}
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        shapes[f"{name}{i}.w"] = (a, b)
        shapes[f"{name}{i}.b"] = (b,)
    return shapes


def cross_entropy(logits, labels):
    logp = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(logp, labels[..., None], axis=-1))


def layer_norm(x, w, b):
    mean = jnp.mean(x, -1, keepdims=True)
    var = jnp.var(x, -1, keepdims=True)
    return (x - mean) / jnp.sqrt(var + 1e-5) * w + b


def rms_norm(x, w):
    return x * jax.lax.rsqrt(jnp.mean(x**2, -1, keepdims=True) + 1e-6) * w


@model(layer("l", 7, 10, 5), x=(6, 7), y=ids(5, 6))
def relu_classifier(p, x, y):
    return cross_entropy(dense(p, "l1", jax.nn.relu(dense(p, "l0", x))), y)


@model(layer("l", 7, 11, 3), x=(6, 7), y=(6, 3))
def gelu_regression(p, x, y):
    return jnp.mean((dense(p, "l1", jax.nn.gelu(dense(p, "l0", x))) - y) ** 2)


@model(layer("l", 7, 9, 1), x=(6, 7), y=(6,))
def silu_logistic(p, x, y):
    z = dense(p, "l1", jax.nn.silu(dense(p, "l0", x)))[:, 0]
    return jnp.mean(jax.nn.softplus(z) - y * z)


@model(layer("l", 5, 9, 2), x=(6, 5), y=(6, 2))
def huber_elu(p, x, y):
    e = jnp.abs(dense(p, "l1", jax.nn.elu(dense(p, "l0", x))) - y)
    q = jnp.minimum(e, 0.5)
    return jnp.mean(0.5 * q**2 + 0.5 * (e - q))


@model({**layer("l", 6, 8), "n.w": (8,), "n.b": (8,), **layer("o", 8, 4)}, x=(5, 6), y=ids(4, 5))
def layer_norm_classifier(p, x, y):
    h = layer_norm(jnp.tanh(dense(p, "l0", x)), p["n.w"], p["n.b"])
    return cross_entropy(dense(p, "o0", h), y)


@model({"gate": (6, 10), "up": (6, 10), "down": (10, 6), "n": (6,)}, x=(5, 6), y=(5, 6))
def swiglu_rms_norm(p, x, y):
    h = rms_norm(x, p["n"])
    h = x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]
    return jnp.mean((h - y) ** 2)


@model({"q": (8, 8), "k": (8, 8), "v": (8, 8), "o": (8, 3)}, x=(2, 5, 8), y=(2, 5, 3))
def attention_heads(p, x, y):
    split = lambda w: (x @ w).reshape(2, 5, 2, 4)
    q, k, v = split(p["q"]), split(p["k"]), split(p["v"])
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2.0
    s = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), s, -1e9)
    a = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s, -1), v).reshape(2, 5, 8)
    return jnp.mean((a @ p["o"] - y) ** 2)


@model({"wte": (13, 8), "wpe": (6, 8), "n.w": (8,), "n.b": (8,), "qkv": (8, 24), "proj": (8, 8),
        "up": (8, 16), "down": (16, 8)}, tokens=ids(13, 2, 6), targets=ids(13, 2, 6))
def language_model(p, tokens, targets):
    x = p["wte"][tokens] + p["wpe"]
    h = layer_norm(x, p["n.w"], p["n.b"])
    q, k, v = jnp.split(h @ p["qkv"], 3, -1)
    s = jnp.where(jnp.tril(jnp.ones((6, 6), bool)), q @ k.swapaxes(1, 2) * 8**-0.5, -jnp.inf)
    x = x + jax.nn.softmax(s, -1) @ v @ p["proj"]
    x = x + jax.nn.gelu(x @ p["up"], approximate=False) @ p["down"]
    return cross_entropy(x @ p["wte"].T, targets)


@model({"table": (11, 6), **layer("l", 6, 4)}, tokens=ids(11, 5, 7), y=ids(4, 5))
def bag_of_words(p, tokens, y):
    x = jnp.take(p["table"], tokens, axis=0).mean(1)
    return cross_entropy(dense(p, "l0", x), y)


@model({"users": (9, 5), "items": (12, 5), "bu": (9,), "bi": (12,)}, u=ids(9, 8), i=ids(12, 8), y=(8,))
def matrix_factorization(p, u, i, y):
    r = jnp.sum(p["users"][u] * p["items"][i], -1) + p["bu"][u] + p["bi"][i]
    return jnp.mean((r - y) ** 2) + 0.01 * (jnp.sum(p["users"] ** 2) + jnp.sum(p["items"] ** 2))


@model({"wx": (4, 18), "wh": (6, 18), "b": (18,), "o": (6, 1)}, x=(3, 5, 4), y=(3, 1))
def gru(p, x, y):
    h = jnp.zeros((3, 6))
    for t in range(5):
        a, c = x[:, t] @ p["wx"] + p["b"], h @ p["wh"]
        r = jax.nn.sigmoid(a[:, :6] + c[:, :6])
        z = jax.nn.sigmoid(a[:, 6:12] + c[:, 6:12])
        n = jnp.tanh(a[:, 12:] + r * c[:, 12:])
        h = (1 - z) * n + z * h
    return jnp.mean((h @ p["o"] - y) ** 2)


@model({"wx": (4, 20), "wh": (5, 20), "b": (20,), "o": (5, 3)}, x=(3, 4, 4), y=ids(3, 3))
def lstm(p, x, y):
    h = c = jnp.zeros((3, 5))
    for t in range(4):
        i, f, g, o = jnp.split(x[:, t] @ p["wx"] + h @ p["wh"] + p["b"], 4, axis=1)
        c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return cross_entropy(h @ p["o"], y)


@model({"gate": (6, 3), "experts": (3, 6, 4), "bias": (3, 4)}, x=(5, 6), y=(5, 4))
def soft_experts(p, x, y):
    g = jax.nn.softmax(x @ p["gate"])
    e = jnp.tanh(jnp.einsum("bi,eio->beo", x, p["experts"]) + p["bias"])
    return jnp.mean((jnp.einsum("be,beo->bo", g, e) - y) ** 2)


@model(layer("l", 6, 9, 5), x=(6, 6), y=ids(5, 6))
def label_smoothing(p, x, y):
    logp = jax.nn.log_softmax(dense(p, "l1", jax.nn.leaky_relu(dense(p, "l0", x))))
    soft = jax.nn.one_hot(y, 5) * 0.9 + 0.02
    return -jnp.mean(jnp.sum(soft * logp, -1))


@model(layer("l", 6, 8, 1), x=(7, 6), y=ids(2, 7, 1))
def focal(p, x, y):
    z = dense(p, "l1", jax.nn.relu(dense(p, "l0", x)))
    q = jax.nn.sigmoid(z)
    pt = y * q + (1 - y) * (1 - q)
    return -jnp.mean((1 - pt) ** 2 * jnp.log(pt))


@model(layer("l", 4, 10, 6), x=(6, 4), y=(6, 1))
def mixture_density(p, x, y):
    h = dense(p, "l1", jnp.tanh(dense(p, "l0", x)))
    pi, mu, s = h[:, :2], h[:, 2:4], h[:, 4:]
    logn = -0.5 * ((y - mu) / jnp.exp(s)) ** 2 - s
    return -jnp.mean(jax.nn.logsumexp(jax.nn.log_softmax(pi) + logn, axis=1))


@model({**layer("e", 6, 8), "mu": (8, 3), "lv": (8, 3), **layer("d", 3, 8, 6)}, x=(5, 6), eps=(5, 3))
def variational_autoencoder(p, x, eps):
    h = jnp.tanh(dense(p, "e0", x))
    mu, lv = h @ p["mu"], h @ p["lv"]
    z = mu + jnp.exp(0.5 * lv) * eps
    out = dense(p, "d1", jax.nn.relu(dense(p, "d0", z)))
    kl = -0.5 * jnp.sum(1 + lv - mu**2 - jnp.exp(lv), -1)
    return jnp.mean(jnp.sum((out - x) ** 2, -1) + kl)


@model({**layer("s", 2, 8), **layer("t", 2, 8), "so": (8, 2), "to": (8, 2)}, x=(6, 4))
def coupling_flow(p, x):
    a, b = x[:, :2], x[:, 2:]
    s = jnp.tanh(jax.nn.relu(dense(p, "s0", a)) @ p["so"])
    z = jnp.concatenate([a, b * jnp.exp(s) + jax.nn.relu(dense(p, "t0", a)) @ p["to"]], 1)
    return jnp.mean(0.5 * jnp.sum(z**2, 1) - jnp.sum(s, 1))


@model({"w0": (5, 6), "w1": (6, 3)}, a=(7, 7), x=(7, 5), y=ids(3, 7))
def graph_convolution(p, a, x, y):
    a = jnp.abs(a) + jnp.eye(7)
    d = 1 / jnp.sqrt(jnp.sum(a, 1))
    n = a * d[:, None] * d[None]
    return cross_entropy(n @ jax.nn.relu(n @ x @ p["w0"]) @ p["w1"], y)


@model({"w": (5, 6), "src": (6,), "dst": (6,), "o": (6, 1)}, a=(7, 7), x=(7, 5), y=(7, 1))
def graph_attention(p, a, x, y):
    h = x @ p["w"]
    e = jax.nn.leaky_relu((h @ p["src"])[:, None] + (h @ p["dst"])[None], 0.2)
    w = jax.nn.softmax(jnp.where(a > 0, e, -1e30), axis=1)
    return jnp.mean((jax.nn.elu(w @ h) @ p["o"] - y) ** 2)


@model({"f": (2, 8), "fb": (8,), "g": (8, 8), "o": (8, 1)}, x=(9, 2), y=(9, 1))
def sine_network(p, x, y):
    h = jnp.sin(3.0 * (x @ p["f"] + p["fb"]))
    return jnp.mean((jnp.sin(h @ p["g"]) @ p["o"] - y) ** 2)


@model({"a": (6, 8), "b": (6, 8)}, x=(5, 6), z=(5, 6))
def contrastive(p, x, z):
    unit = lambda v: v / jnp.linalg.norm(v, axis=1, keepdims=True)
    s = unit(x @ p["a"]) @ unit(z @ p["b"]).T / 0.2
    same = jnp.eye(5)
    return -0.5 * jnp.mean(jnp.sum(same * (jax.nn.log_softmax(s, 1) + jax.nn.log_softmax(s, 0)), 1))


@model(layer("l", 5, 8, 2), x=(6, 5), y=(6, 1))
def gaussian_nll(p, x, y):
    h = dense(p, "l1", jax.nn.softplus(dense(p, "l0", x)))
    mu, scale = h[:, :1], jax.nn.softplus(h[:, 1:]) + 1e-3
    return jnp.mean(jnp.log(scale) + 0.5 * ((y - mu) / scale) ** 2)


@model({"c": (4, 5, 6), "o": (6, 1)}, x=(6, 5), y=(6, 1))
def polynomial_network(p, x, y):
    z = jnp.tanh(x)
    basis = jnp.stack([z, 2 * z**2 - 1, 4 * z**3 - 3 * z, 8 * z**4 - 8 * z**2 + 1])
    return jnp.mean((jnp.einsum("kbi,kio->bo", basis, p["c"]) @ p["o"] - y) ** 2)


@model({"q": (8, 8), "k": (8, 8), "o": (8, 2)}, x=(5, 8), y=(5, 2))
def rotary_attention(p, x, y):
    t = jnp.arange(5)[:, None] * 10000.0 ** (-jnp.arange(4) / 4.0)[None]
    def rotate(v):
        a, b = v[:, :4], v[:, 4:]
        return jnp.concatenate([a * jnp.cos(t) - b * jnp.sin(t), b * jnp.cos(t) + a * jnp.sin(t)], -1)
    s = rotate(x @ p["q"]) @ rotate(x @ p["k"]).T / jnp.sqrt(8.0)
    return jnp.mean((jax.nn.softmax(s) @ x @ p["o"] - y) ** 2)


@model({"w": (3, 3, 1, 4), "o": (64, 3)}, x=(2, 6, 6, 1), y=ids(3, 2))
def convolution(p, x, y):
    h = jax.lax.conv_general_dilated(x, p["w"], (1, 1), "VALID",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return cross_entropy(jax.nn.relu(h).reshape(2, 64) @ p["o"], y)


@model({"wx": (4, 6), "wh": (6, 6), "o": (6, 1)}, x=(5, 3, 4), y=(3, 1))
def scanned_rnn(p, x, y):
    step = lambda h, xt: (jnp.tanh(xt @ p["wx"] + h @ p["wh"]), None)
    h, _ = jax.lax.scan(step, jnp.zeros((3, 6)), x)
    return jnp.mean((h @ p["o"] - y) ** 2)


@model({"u": (6, 4, 5), "b": (5,), "o": (5,)}, x=(7, 6), z=(7, 4), y=(7,))
def bilinear_max(p, x, z, y):
    h = jnp.einsum("bi,ijk,bj->bk", x, p["u"], z) + p["b"]
    s = jnp.max(jnp.clip(h, -1.0, 2.0) * p["o"], axis=1)
    return jnp.mean(jnp.logaddexp(0.0, -jnp.sign(y) * s))


@model({"w": (3, 6, 5), "o": (5, 2)}, x=(4, 7, 6), y=ids(2, 4))
def shifted_windows(p, x, y):
    x = jnp.pad(x, ((0, 0), (1, 1), (0, 0)))
    h = sum(x[:, k:k + 7] @ p["w"][k] for k in range(3))
    h = jnp.roll(jax.nn.relu(h), 2, axis=1) + jnp.flip(h, 1)
    return cross_entropy(h.max(1) @ p["o"], y)


@model({"pair": (5, 5), "first": (5,), **layer("l", 5, 1)}, i=ids(5, 6, 4), j=ids(5, 6, 4))
def pairwise_table(p, i, j):
    s = p["pair"][i, j] + p["first"][i]
    s = jnp.where(i > j, s, jnp.expm1(s))
    h = jax.vmap(lambda r: jax.nn.one_hot(r, 5).mean(0))(j)
    return jnp.mean(jnp.log1p(s**2)) + jnp.mean(jnp.abs(dense(p, "l0", h)) ** 1.5)


@model({"s": (6, 6), "o": (6, 1)}, x=(5, 6), y=(5, 1))
def kernel_machine(p, x, y):
    k = x @ p["s"]
    d = jnp.sum((k[:, None] - k[None]) ** 2, -1)
    f = jnp.exp(-0.5 * d) @ (k @ p["o"])
    return jnp.mean(jnp.maximum(0.0, 1.0 - jnp.sign(y) * f)) + 1e-2 * jnp.sqrt(jnp.sum(p["o"] ** 2))


def convolve(x, w, strides=(1, 1), padding="SAME", **options):
    return jax.lax.conv_general_dilated(x, w, strides, padding,
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)


def pool(x, start, combine, size, stride, padding="VALID"):
    return jax.lax.reduce_window(x, start, combine, (1, size, size, 1), (1, stride, stride, 1), padding)


@model({"stem": (3, 3, 2, 6), "bias": (6,), "deep": (3, 3, 6, 8), **layer("o", 8, 4)},
       x=(3, 8, 8, 2), y=ids(4, 3))
def vision_net(p, x, y):
    h = jax.nn.relu(convolve(x, p["stem"]) + p["bias"])
    h = pool(h, -jnp.inf, jax.lax.max, 3, 2, "SAME")
    h = jax.nn.relu(convolve(h, p["deep"], (2, 2)))
    return cross_entropy(dense(p, "o0", h.mean((1, 2))), y)


@model({"depth": (3, 3, 1, 4), "point": (1, 1, 4, 6), "groups": (3, 3, 3, 6)},
       x=(2, 7, 6, 4), y=(2, 3, 3, 6))
def separable_convolution(p, x, y):
    h = convolve(x, p["depth"], feature_group_count=4)
    h = jax.nn.silu(convolve(h, p["point"]))
    h = convolve(h, p["groups"], feature_group_count=2)
    return jnp.mean((pool(h, 0.0, jax.lax.add, 2, 2) / 4 - y) ** 2)


@model({"down": (3, 3, 1, 4), "up": (3, 3, 4, 1)}, x=(2, 6, 6, 1))
def convolutional_autoencoder(p, x):
    h = jnp.tanh(convolve(x, p["down"], (2, 2)))
    h = jax.lax.conv_transpose(h, p["up"], (2, 2), "SAME")
    return jnp.mean((h - x) ** 2)


@model({"w": (6, 7), "o": (7, 7)}, x=(4, 6), y=(4, 7))
def cumulative(p, x, y):
    h = jnp.cumsum(jnp.tanh(x @ p["w"]), 1)
    h = h + jnp.flip(jnp.cumsum(jnp.flip(h, 1), 1), 1) / 7
    return jnp.mean((h[:, ::-1] @ p["o"] - y) ** 2)


@model({"table": (11, 6), **layer("o", 6, 3)}, tokens=ids(11, 4, 5), w=(4, 5), y=ids(3, 4))
def embedding_bag(p, tokens, w, y):
    h = jnp.einsum("bt,btd->bd", w, p["table"][tokens])
    best = jnp.argmax(w, axis=1)
    return cross_entropy(dense(p, "o0", h + p["table"][best]), y)


@model({"w": (3, 3, 2, 4), "scale": (4,), "shift": (4,), "o": (4, 3)}, x=(4, 6, 6, 2), y=ids(3, 4))
def batch_normalisation(p, x, y):
    h = convolve(x, p["w"], padding="VALID")
    mean, var = h.mean((0, 1, 2)), h.var((0, 1, 2))
    h = (h - mean) * jax.lax.rsqrt(var + 1e-5) * p["scale"] + p["shift"]
    return cross_entropy(jax.nn.relu(h).mean((1, 2)) @ p["o"], y)


@model({"f": (5, 3, 4), "o": (4, 2)}, x=(3, 3, 10), y=ids(2, 3))
def text_convolution(p, x, y):
    h = jax.lax.conv_general_dilated(x, p["f"], (1,), [(2, 1)], rhs_dilation=(2,),
                                     dimension_numbers=("NCH", "HIO", "NCH"))
    h = jax.lax.reduce_window(jax.nn.gelu(h), -jnp.inf, jax.lax.max, (1, 1, 5), (1, 1, 5), "VALID")
    return cross_entropy(h[:, :, 0] @ p["o"], y)
