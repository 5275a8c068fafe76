"""Groups of answers as rows of a policy's loss: advantages, weights, and what TRL's names of losses stand for.

A step's loss is the sum over answers i and their tokens t of weight[i] x loss[i, t] (docs/preferences.md, "Policies"); with
L[i] trained tokens of answer i, N answers and up to M tokens of one, weight[i] is

    grpo      1 / (N L[i])       each answer counts alike
    bnpo      1 / sum of L       each token of the step does; one micro-batch, as TRL has it for bnpo, is the step
    dapo      1 / sum of L       the same: TRL's sum is over the whole step
    dr_grpo   1 / (N M)          a long answer counts more, by its length alone
"""
from __future__ import annotations

import numpy as np

from .tokens import IGNORED

LOSSES = ("dapo", "grpo", "dr_grpo", "bnpo")
SCALES = ("group", "batch", "none")
#: Added to deviations, as in TRL.
EPSILON = 1e-4


def advantages_of(rewards, scale):
    """[prompts, answers] of float64: rewards less the mean of their group, over the deviation of the group or of all."""
    rewards = np.asarray(rewards, np.float64)
    centered = rewards - rewards.mean(1, keepdims=True)
    if scale == "none":
        return centered
    spread = rewards.std(1, ddof=1, keepdims=True) if scale == "group" else rewards.std(ddof=1)
    return centered / (spread + EPSILON)


def weights_of(lengths, loss, most):
    """The weight of each answer's tokens, by their numbers: [answers] of float64.  Answers that train nothing have length
    0 and count as answers."""
    lengths = np.asarray(lengths, np.float64)
    if loss == "dr_grpo":
        return np.full(len(lengths), 1 / (len(lengths) * most))
    if loss == "grpo":
        return 1 / (len(lengths) * np.maximum(lengths, 1))
    return np.full(len(lengths), 1 / max(lengths.sum(), 1))


def rows_of(prompts, answers, seq):
    """(tokens, targets) [rows, seq] of int32: each answer after its prompt, with its tokens as targets."""
    tokens = np.zeros((len(answers), seq), np.int32)
    targets = np.full((len(answers), seq), IGNORED, np.int32)
    for row, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
        text = [*prompt, *answer]
        # The last token has no next one, so that a text may fill the sequence and one more.
        tokens[row, :min(len(text), seq)] = text[:seq]
        targets[row, len(prompt) - 1:len(text) - 1] = answer
    return tokens, targets


def spread(values, targets):
    """A number for each row, at its trained positions: [rows, seq] of float32."""
    return np.where(targets != IGNORED, np.asarray(values, np.float32)[:, None], np.float32(0))
