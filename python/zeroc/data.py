"""zeroc data: files of data to a file of sequences, and what is in them."""
from __future__ import annotations

import argparse

from . import dataset, hub, objectives, show
from .columns import add_columns, read_columns
from .errors import UserError
from .model_folder import check_model_folder
from .options import add_output, parser_of
from .own_files import check_output


def parser():
    p = parser_of("data")
    commands = p.add_subparsers(dest="command", required=True, metavar="build|show")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("model", metavar="MODEL_DIR", help="a folder with the tokenizer and its chat template, or "
                        "OWNER/NAME of a hub")
    common.add_argument("data", metavar="DATA", nargs="+", help="*.jsonl, *.json, *.parquet, *.csv, *.txt, folders of "
                        "them, or data sets of a hub")
    add_columns(common)
    common.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    common.add_argument("--stop-token", metavar="TEXT", action="append", default=[], help="a further stop token")
    common.add_argument("--objective", choices=[*objectives.ALL], default="sft", help="what to train for (default: sft)")
    build = commands.add_parser("build", parents=[common], allow_abbrev=False,
                                help="write sequences for train --data")
    add_output(build, "FILE", "the file to write, *.safetensors")
    build.add_argument("--seq", type=int, required=True, help="tokens of a sequence")
    build.add_argument("--no-packing", action="store_true", help="one sample in a sequence, padded")
    build.add_argument("--eval-split", type=float, metavar="PART", default=0.0,
                       help="keep this part of the records for evaluation")
    build.add_argument("--eval", metavar="FILE", help="where to write them")
    build.add_argument("--eval-batch", type=int, metavar="N", default=1,
                       help="fill it up with empty sequences to a multiple of N, which are read at once (default: 1)")
    build.add_argument("--seed", type=int, default=0, help="of the choice of these records (default: 0)")
    shown = commands.add_parser("show", parents=[common], allow_abbrev=False,
                                help="print samples; what is trained on is in colour, or in [[ ]]")
    shown.add_argument("--samples", type=int, default=3, help="number of records (default: 3)")
    shown.add_argument("--seq", type=int, help="as sequences of so many tokens have them (default: whole)")
    return p


def main(arguments):
    a = parser().parse_args(arguments)
    columns = read_columns(a.column)
    if not hub.is_name(a.model):
        check_model_folder(f"data {a.command}", a.model, a.data)
    if a.seq is not None and a.seq < 2:
        raise UserError(f"--seq={a.seq} must be 2 or more")
    if a.command == "show":
        return show.show(hub.find_folder(a.model, hub.TOKENIZER), a.data, a.samples, a.chat_template, tuple(a.stop_token),
                         a.objective, a.seq, columns, a.split)
    dataset.check_split(a.eval_split)
    if bool(a.eval_split) != bool(a.eval):
        raise UserError("--eval-split and --eval belong together: how much, and where to write it")
    for path in filter(None, (a.o, a.eval)):
        if not path.endswith(".safetensors"):
            raise UserError(f"{path} must be named *.safetensors")
        check_output(path, "data", a.force, a.data)
    if a.eval_batch < 1:
        raise UserError(f"--eval-batch={a.eval_batch} must be 1 or more")
    model = hub.find_folder(a.model, hub.TOKENIZER)
    request = dataset.Request(str(model), a.data, a.seq, not a.no_packing, a.eval_split, a.eval_batch, a.seed,
                              a.chat_template, tuple(a.stop_token), a.objective, columns, a.split)
    summaries, was_there, _ = dataset.build(request, a.o, a.eval)
    for path, summary in zip((a.o, a.eval), summaries):
        print(f"{'kept' if was_there else 'wrote'} {path}")
        for line in summary.lines():
            print(f"  {line}")
