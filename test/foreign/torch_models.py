"""Models written with PyTorch: {name: (module, inputs)}, where inputs is a dictionary of shapes (for
ids: an exclusive upper bound, and the shape).  A model is a function of its parts that returns the loss."""
import torch
from torch import nn
import torch.nn.functional as F

MODELS = {}


class Model(nn.Module):
    def __init__(self, parts, loss):
        super().__init__()
        self.loss = loss
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.loss(self, *inputs)


def model(parts, **inputs):
    def add(loss):
        MODELS[loss.__name__] = (Model(parts, loss), inputs)
        return loss
    return add


def ids(below, *shape):
    return (below, shape)


@model(dict(net=nn.Sequential(nn.Linear(7, 10), nn.ReLU(), nn.Linear(10, 3))), x=(6, 7), y=(6, 3))
def relu_regression(self, x, y):
    return F.mse_loss(self.net(x), y)


@model(dict(net=nn.Sequential(nn.Linear(7, 10), nn.GELU(), nn.Linear(10, 5))), x=(6, 7), y=ids(5, 6))
def gelu_classifier(self, x, y):
    return F.cross_entropy(self.net(x), y)


@model(dict(a=nn.Linear(7, 9), b=nn.Linear(9, 2)), x=(6, 7), y=(6, 2))
def gelu_tanh_huber(self, x, y):
    return F.huber_loss(self.b(F.gelu(self.a(x), approximate="tanh")), y, delta=0.5)


@model(dict(net=nn.Sequential(nn.Linear(7, 9), nn.SiLU(), nn.Linear(9, 1))), x=(6, 7), y=(6, 1))
def silu_logistic(self, x, y):
    return F.binary_cross_entropy_with_logits(self.net(x), y)


@model(dict(net=nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 4))),
       x=(5, 6), y=ids(4, 5))
def layer_norm_classifier(self, x, y):
    return F.nll_loss(F.log_softmax(self.net(x), -1), y)


@model(dict(norm=nn.RMSNorm(6, eps=1e-6), gate=nn.Linear(6, 10, bias=False), up=nn.Linear(6, 10, bias=False),
            down=nn.Linear(10, 6, bias=False)), x=(5, 6), y=(5, 6))
def swiglu_rms_norm(self, x, y):
    h = self.norm(x)
    return (x + self.down(F.silu(self.gate(h)) * self.up(h)) - y).pow(2).mean()


@model(dict(norm=nn.GroupNorm(2, 6), mix=nn.Linear(5, 5)), x=(3, 6, 5), y=(3, 6, 5))
def group_norm(self, x, y):
    return F.smooth_l1_loss(self.mix(F.elu(self.norm(x))), y)


@model(dict(q=nn.Linear(8, 8), k=nn.Linear(8, 8), v=nn.Linear(8, 8), o=nn.Linear(8, 3)),
       x=(2, 5, 8), y=(2, 5, 3))
def attention_heads(self, x, y):
    split = lambda v: v.view(2, 5, 2, 4).transpose(1, 2)
    q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
    s = q @ k.transpose(-2, -1) / 2.0
    s = s.masked_fill(torch.ones(5, 5).triu(1) > 0, float("-inf"))
    a = (torch.softmax(s, -1) @ v).transpose(1, 2).reshape(2, 5, 8)
    return F.mse_loss(self.o(a), y)


@model(dict(qkv=nn.Linear(8, 24), o=nn.Linear(8, 8)), x=(2, 5, 8), y=(2, 5, 8))
def fused_attention(self, x, y):
    q, k, v = (t.view(2, 5, 2, 4).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
    a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return F.mse_loss(self.o(a.transpose(1, 2).reshape(2, 5, 8)), y)


@model(dict(wte=nn.Embedding(13, 8), wpe=nn.Embedding(6, 8), norm=nn.LayerNorm(8), qkv=nn.Linear(8, 24),
            proj=nn.Linear(8, 8), up=nn.Linear(8, 16), down=nn.Linear(16, 8)),
       tokens=ids(13, 2, 6), targets=ids(13, 2, 6))
def language_model(self, tokens, targets):
    x = self.wte(tokens) + self.wpe(torch.arange(6))
    q, k, v = self.qkv(self.norm(x)).split(8, -1)
    s = q @ k.transpose(1, 2) * 8**-0.5
    s = s.masked_fill(torch.tril(torch.ones(6, 6)) == 0, -1e9)
    x = x + self.proj(s.softmax(-1) @ v)
    x = x + self.down(F.gelu(self.up(x), approximate="tanh"))
    logits = x @ self.wte.weight.t()
    return F.cross_entropy(logits.view(-1, 13), targets.view(-1))


@model(dict(table=nn.Embedding(11, 6), out=nn.Linear(6, 4)), tokens=ids(11, 5, 7), y=ids(4, 5))
def bag_of_words(self, tokens, y):
    return F.cross_entropy(self.out(self.table(tokens).mean(1)), y)


@model(dict(users=nn.Embedding(9, 5), items=nn.Embedding(12, 5), bias=nn.Embedding(12, 1)),
       u=ids(9, 8), i=ids(12, 8), y=(8,))
def matrix_factorization(self, u, i, y):
    r = (self.users(u) * self.items(i)).sum(-1) + self.bias(i).squeeze(-1)
    return F.l1_loss(r, y)


@model(dict(cell=nn.GRUCell(4, 6), out=nn.Linear(6, 1)), x=(3, 4, 4), y=(3, 1))
def gru(self, x, y):
    h = torch.zeros(3, 6, dtype=x.dtype)
    for t in range(4):
        h = self.cell(x[:, t], h)
    return F.mse_loss(self.out(h), y)


@model(dict(cell=nn.LSTMCell(4, 5), out=nn.Linear(5, 3)), x=(3, 3, 4), y=ids(3, 3))
def lstm(self, x, y):
    h = c = torch.zeros(3, 5, dtype=x.dtype)
    for t in range(3):
        h, c = self.cell(x[:, t], (h, c))
    return F.cross_entropy(self.out(h), y)


@model(dict(blocks=nn.ModuleList(nn.ModuleList([nn.LayerNorm(6), nn.Linear(6, 6)]) for _ in range(3))),
       x=(5, 6), y=(5, 6))
def residual(self, x, y):
    for norm, linear in self.blocks:
        x = x + F.leaky_relu(linear(norm(x)), 0.1)
    return F.mse_loss(x, y)


@model(dict(gate=nn.Linear(6, 3), experts=nn.ModuleList(nn.Linear(6, 4) for _ in range(3))),
       x=(5, 6), y=(5, 4))
def soft_experts(self, x, y):
    g = torch.softmax(self.gate(x), -1)
    e = torch.stack([expert(x) for expert in self.experts], 1)
    return F.mse_loss((g.unsqueeze(-1) * torch.tanh(e)).sum(1), y)


@model(dict(net=nn.Sequential(nn.Linear(6, 9), nn.Hardswish(), nn.Linear(9, 5))), x=(5, 6), y=ids(5, 5))
def label_smoothing(self, x, y):
    return F.cross_entropy(self.net(x), y, label_smoothing=0.1)


@model(dict(net=nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))), x=(7, 6), y=ids(4, 7))
def focal(self, x, y):
    logp = F.log_softmax(self.net(x), -1).gather(1, y.unsqueeze(1)).squeeze(1)
    return -((1 - logp.exp()) ** 2 * logp).mean()


@model(dict(enc=nn.Linear(6, 8), mu=nn.Linear(8, 3), lv=nn.Linear(8, 3),
            dec=nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 6))), x=(5, 6), eps=(5, 3))
def variational_autoencoder(self, x, eps):
    h = torch.tanh(self.enc(x))
    mu, lv = self.mu(h), self.lv(h)
    out = self.dec(mu + torch.exp(0.5 * lv) * eps)
    kl = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp(), -1)
    return (((out - x) ** 2).sum(-1) + kl).mean()


@model(dict(net=nn.Sequential(nn.Linear(6, 8), nn.Mish(), nn.Linear(8, 4))), x=(5, 6), t=(5, 4))
def distillation(self, x, t):
    return F.kl_div(F.log_softmax(self.net(x) / 2, -1), F.softmax(t / 2, -1),
                    reduction="batchmean")


@model(dict(net=nn.Sequential(nn.Linear(5, 8), nn.PReLU(), nn.Linear(8, 4))), x=(6, 5), p=(6, 5), n=(6, 5))
def triplet(self, x, p, n):
    x, p, n = (F.normalize(self.net(v), dim=-1) for v in (x, p, n))
    return F.relu((x - p).pow(2).sum(-1) - (x * n).sum(-1) + 0.3).mean()


@model(dict(net=nn.Sequential(nn.Linear(5, 8), nn.Softsign(), nn.Linear(8, 1))), x=(6, 5), y=(6, 1))
def poisson(self, x, y):
    return F.poisson_nll_loss(self.net(x), y.abs())


@model(dict(q=nn.Linear(8, 8, bias=False), k=nn.Linear(8, 8, bias=False)), x=(2, 5, 8), y=(2, 5, 8))
def rotary_attention(self, x, y):
    t = torch.outer(torch.arange(5), 10000.0 ** (-torch.arange(4) / 4.0)).to(x.dtype)
    def rotate(v):
        a, b = v.chunk(2, -1)
        return torch.cat([a * t.cos() - b * t.sin(), b * t.cos() + a * t.sin()], -1)
    s = rotate(self.q(x)) @ rotate(self.k(x)).transpose(1, 2) / 8**0.5
    return F.mse_loss(s.softmax(-1) @ x, y)


@model(dict(net=nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 6))), x=(6, 4), y=(6, 1))
def mixture_density(self, x, y):
    pi, mu, s = self.net(x).chunk(3, -1)
    logn = -0.5 * ((y - mu) / s.exp()).pow(2) - s
    return -torch.logsumexp(F.log_softmax(pi, -1) + logn, 1).mean()


@model(dict(conv=nn.Conv2d(1, 4, 3), out=nn.Linear(64, 3)), x=(2, 1, 6, 6), y=ids(3, 2))
def convolution(self, x, y):
    return F.cross_entropy(self.out(F.relu(self.conv(x)).flatten(1)), y)


@model(dict(table=nn.Embedding(9, 6, padding_idx=0), mix=nn.Linear(6, 8), out=nn.Linear(8, 3)),
       tokens=ids(9, 4, 6), y=ids(3, 4))
def text_max_pool(self, tokens, y):
    h = F.relu6(self.mix(self.table(tokens)))
    h = h.masked_fill((tokens == 0).unsqueeze(-1), -10.0)
    return F.cross_entropy(self.out(h.amax(1) + h.flip(1)[:, 0]), y)


@model(dict(a=nn.Linear(5, 6), b=nn.Linear(6, 2), scale=nn.Parameter(torch.ones(6))), x=(8, 5), y=(8, 2))
def batch_statistics(self, x, y):
    h = self.a(x)
    h = (h - h.mean(0)) / torch.sqrt(h.var(0, unbiased=False) + 1e-5) * self.scale
    e = self.b(F.softplus(h)) - y
    return torch.log(torch.cosh(e) + 1e-3).mean() + 0.1 * h.std(0).mean()


@model(dict(pair=nn.Bilinear(6, 3, 5), out=nn.Linear(10, 2)), x=(4, 6), z=(4, 3), y=(4, 2))
def bilinear(self, x, z, y):
    h = self.pair(x, z)
    h = torch.cat([h, torch.roll(h, 1, 1)], 1)
    return 1 - F.cosine_similarity(self.out(torch.sin(h)), y).mean()


@model(dict(score=nn.Linear(4, 1), out=nn.Linear(4, 3)), x=(6, 5, 4), y=ids(3, 6))
def attention_pooling(self, x, y):
    w = torch.softmax(self.score(x).squeeze(-1), 1)
    h = torch.einsum("bt,btd->bd", w, x)
    h = F.pad(h, (0, 1))[:, :4].clamp(min=-1.5, max=1.5)
    return F.multi_margin_loss(self.out(h), y)


@model(dict(stem=nn.Conv2d(2, 6, 3, padding=1), norm=nn.GroupNorm(2, 6),
            deep=nn.Conv2d(6, 8, 3, stride=2, padding=1, bias=False), out=nn.Linear(8, 4)),
       x=(3, 2, 8, 8), y=ids(4, 3))
def vision_net(self, x, y):
    h = F.max_pool2d(F.relu(self.norm(self.stem(x))), 2)
    h = F.adaptive_avg_pool2d(F.relu(self.deep(h)), 1).flatten(1)
    return F.cross_entropy(self.out(h), y)


@model(dict(depth=nn.Conv2d(4, 4, 3, padding=1, groups=4), point=nn.Conv2d(4, 6, 1),
            groups=nn.Conv2d(6, 6, 3, padding=1, groups=2, dilation=1)), x=(2, 4, 7, 6), y=(2, 6, 3, 3))
def separable_convolution(self, x, y):
    h = self.groups(F.silu(self.point(self.depth(x))))
    return F.mse_loss(F.avg_pool2d(h, 2), y)


@model(dict(down=nn.Conv2d(1, 4, 3, stride=2, padding=1),
            up=nn.ConvTranspose2d(4, 1, 4, stride=2, padding=1)), x=(2, 1, 6, 6))
def convolutional_autoencoder(self, x):
    return F.mse_loss(self.up(torch.tanh(self.down(x))), x)


@model(dict(conv=nn.Conv1d(4, 6, 3, dilation=2), out=nn.Linear(6, 3)), x=(3, 4, 9), y=ids(3, 3))
def text_convolution(self, x, y):
    h = F.gelu(self.conv(x))
    return F.cross_entropy(self.out(F.max_pool1d(h, 5).squeeze(-1) + h.flip(2)[:, :, 0]), y)


@model(dict(bag=nn.Embedding(11, 6), out=nn.Linear(6, 3)), tokens=ids(11, 4, 5), w=(4, 5), y=ids(3, 4))
def embedding_bag(self, tokens, w, y):
    h = torch.einsum("bt,btd->bd", w, F.embedding(tokens, self.bag.weight))
    return F.cross_entropy(self.out(h), y)


@model(dict(conv=nn.Conv2d(2, 4, 3, bias=False), out=nn.Linear(4, 3), scale=nn.Parameter(torch.ones(4)),
            shift=nn.Parameter(torch.zeros(4))), x=(4, 2, 6, 6), y=ids(3, 4))
def batch_normalisation(self, x, y):
    h = self.conv(x)
    mean = h.mean((0, 2, 3), keepdim=True)
    var = ((h - mean) ** 2).mean((0, 2, 3), keepdim=True)
    h = (h - mean) * torch.rsqrt(var + 1e-5) * self.scale[:, None, None] + self.shift[:, None, None]
    return F.cross_entropy(self.out(F.relu(h).mean((2, 3))), y)


@model(dict(a=nn.Linear(7, 8), b=nn.Linear(4, 4)), x=(3, 7), y=(3, 4))
def upsampled(self, x, y):
    h = torch.tanh(self.a(x)).view(3, 2, 2, 2)
    h = F.interpolate(h, scale_factor=2.0, mode="nearest")
    return F.mse_loss(self.b(h[:, :, 1::2].mean((1, 2))), y)


@model(dict(a=nn.Linear(7, 9), b=nn.Linear(9, 3)), x=(6, 7), y=(6, 3))
def cumulative_sums(self, x, y):
    h = torch.cumsum(torch.tanh(self.a(x)), 1)
    h = torch.cumsum(h / 7, 0) + h.flip(1)
    return F.mse_loss(self.b(h), y)
