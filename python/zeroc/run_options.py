"""The options that zeroc finetune and zeroc pretrain share."""
from __future__ import annotations

import argparse
import math

from . import reporting
from .config_file import add_config
from .dataset import check_split
from .errors import UserError
from .options import name_of, parser_of, value_of

#: Options that the commands give, and what a user says instead.
MANAGED = {"--data": "name the files of data after the model", "--input": "name the files of data after the model",
           "--init": "name the model's folder first", "--base": "name the model's folder first",
           "--save": "say -o", "--checkpoint": "say -o",
           "--resume": "give the same command again", "--world-size": "say --ranks", "--metrics": "see OUT/zeroc",
           "--drive": "use train itself",
           "--save-at-exit": "it is always on", "--emit": "use zeroc itself", "--shuffle": "it is always on",
           "--document-separator": "documents are apart already", "--data-format": "use train itself",
           "--data-weights": "use train itself", "--save-dtype": "say --precision",
           "--packed": "samples are packed; see zeroc finetune --no-packing",
           "--tokenizer": "it is that of the model's folder", "--token-weights": "records say them",
           "--pieces": "see zeroc finetune --sample-prompt", "--prompt": "see zeroc finetune --sample-prompt",
           "--prompt-ids": "see zeroc finetune --sample-prompt",
           "--eval-data": "say --eval-split", "--eval-input": "say --eval-split", "--eval": "say --eval-split"}
#: Of training programs, for evaluations.
OF_EVALUATION = ("--eval-every", "--eval-batches", "--keep-best", "--patience")


def new_parser(command, epochs, lr):
    """`epochs` and `lr` are texts: what they are if they are not given."""
    p = parser_of(
        command, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="All options of zeroc (--stage, --offload, --optimizer, ...) and of training\n"
               "programs (--schedule, --threads, ...) are taken, too: see zeroc --help and\n"
               "OUT/zeroc/train --help. If they are not given: --precision=bf16,\n"
               "--schedule=cosine, --keep=2, and as many micro-steps (--accumulate) as the run\n"
               "says. The same command, given again, goes on from the last checkpoint.")
    p.add_argument("-o", "--out", dest="o", metavar="OUT", required=True, help="the folder to write")
    add_config(p)
    p.add_argument("--epochs", type=float, help=f"how often all samples are read (default: {epochs})")
    p.add_argument("--steps", type=int, help="in place of --epochs")
    p.add_argument("--lr", type=float, help=f"peak learning rate (default: {lr})")
    p.add_argument("--warmup", type=int, help="steps of warm-up (default: 3 %% of all)")
    p.add_argument("--seq", type=int, help="tokens of a sequence (default: 1024, or the model's positions if fewer)")
    p.add_argument("--batch", type=int, default=1, help="sequences of a micro-batch of a rank (default: 1)")
    p.add_argument("--ranks", type=int, default=1, help="processes that share the work (default: 1)")
    p.add_argument("--seed", type=int, default=0, help="of the order of samples and of initial weights (default: 0)")
    p.add_argument("--label-smoothing", metavar="E", help="spread this share of each target's probability over the "
                   "vocabulary (default: 0)")
    p.add_argument("--z-loss", metavar="C", help="add C times the mean of logsumexp(logits)^2 to the loss (default: 0)")
    p.add_argument("--dropout", action="store_true", help="train with the dropout of config.json (default: without)")
    p.add_argument("--save-every", type=int, metavar="N", help="steps between checkpoints (default: a tenth of all)")
    p.add_argument("--report-to", metavar="NAME,...", help="send metrics to "
                   f"{', '.join(reporting.NAMES[:-1])} by their Python packages, or write events of {reporting.NAMES[-1]} "
                   "to OUT/zeroc/tensorboard")
    p.add_argument("--dry-run", action="store_true", help="print the plan: memory, tokens, steps, commands")
    p.add_argument("--force", action="store_true", help="write into a folder, and replace files, that are not of zeroc")
    p.add_argument("--restart", action="store_true", help="drop what an earlier run left in OUT/zeroc")
    return p


def check_options(args, compiled, trained):
    """Throws UserError for what is wrong with the options of a run, beside those of zeroc and of training programs."""
    for name, value, least in (("--batch", args.batch, 1), ("--ranks", args.ranks, 1), ("--seq", args.seq, 2),
                               ("--steps", args.steps, 1), ("--warmup", args.warmup, 0),
                               ("--save-every", args.save_every, 1)):
        if value is not None and value < least:
            raise UserError(f"{name}={value} must be {least} or more")
    if args.steps is not None and args.epochs is not None:
        raise UserError("--steps and --epochs both say when the run ends; drop one")
    if args.epochs is not None and not 0 < args.epochs < math.inf:
        raise UserError(f"--epochs={args.epochs:g} must be above 0")
    check_split(args.eval_split)
    for name in map(name_of, trained):
        if name in OF_EVALUATION and not args.eval_split:
            raise UserError(f"{name} is for evaluations; say --eval-split=PART, the part of the data for them")
    patience = value_of(trained, "--patience")
    if patience is not None and value_of(trained, "--eval-every") is None:
        raise UserError(f"--patience={patience} counts evaluations; add --eval-every=N, or there are only those before the "
                        "first step and after the last")
    micro = value_of(compiled, "--accumulate")
    if micro is not None and not (micro.isascii() and micro.isdecimal() and int(micro) > 0):
        raise UserError(f"--accumulate={micro} must be a whole number from 1")
