"""zeroc from Python: `import zeroc`.

    program = zeroc.compile("model.mlir", stage=3, world_size=2)
    program.certificate                    # memory, before anything runs
    for metrics in program.train("tokens.bin", steps=100, lr=3e-4, wait=False):
        print(metrics["loss"])
    zeroc.finetune("Qwen3-0.6B", "chats.jsonl", "tuned", lora=16).weights

See docs/python.md.  What zeroc does in Python beside the compiler is here, too: data, runs from data to a tuned model,
and its answers.  The first line of a file says what is in it.

Compiling and training on the command line need none of it.
"""
__all__ = ["Error", "Program", "Run", "Session", "Weights", "compile", "finetune"]


def __getattr__(name):
    """The commands of zeroc are in this package, too, and import what they use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import api
    return getattr(api, {"Error": "UserError"}.get(name, name))
