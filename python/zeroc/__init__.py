"""zeroc from Python: `import zeroc`.

    program = zeroc.compile("model.mlir", stage=3, world_size=2)
    program.certificate                    # memory, before anything runs
    for metrics in program.train("tokens.bin", steps=100, lr=3e-4):
        print(metrics["loss"])
    zeroc.finetune("Qwen3-0.6B", "chats.jsonl", "tuned", lora=16).weights

See docs/python.md.  What zeroc does in Python beside the compiler is here, too: data, runs from data to a tuned model,
and its answers.

    api.py            compile, finetune, Program and Run
    torch_model.py    modules of PyTorch
    weights.py        weights as arrays

    records.py        reads JSONL, JSON, Parquet and text files
    conversations.py  what a record means: turns, or texts
    template.py       a model's chat template
    masks.py          which characters of a conversation are trained on
    pieces.py         the bytes of each token
    tokenizer_file.py loads a tokenizer.json
    tokenize.py       files of texts to a file of tokens
    tokens.py         token ids of samples, with targets
    packing.py        several samples in one sequence
    objectives.py     records and arrays of preferences, rewards and labels
    dataset.py        files of data to a file of sequences, in parallel and cached
    show.py           prints samples
    run.py            a run: data, import, compile, train, export; finetuning.py and pretrain.py are two
    card.py           the README.md of what a run makes
    commands.py       the commands of zeroc that others are made of
    source.py         the model that generates: its config, weights and adapters
    cache.py          programs that were compiled before
    needs.py          packages that a command needs
    whole_file.py     files that appear whole or not at all
    generation.py     options and the running program of generate.py and chat.py
    answer.py         the text of an answer while its tokens come
    trace.py          traces of runs for Perfetto
    metrics.py        the lines of metrics of a run
    curves.py         curves, smoothed and thinned, and their axes
    plot.py           pictures of runs

Compiling and training on the command line need none of it.
"""
from .api import Program, Run, compile, finetune
from .errors import UserError as Error
from .weights import Weights

__all__ = ["Error", "Program", "Run", "Weights", "compile", "finetune"]
