"""What zeroc does in Python, beside the compiler: data of chats, and runs from data to a tuned model.

    records.py        reads JSONL, JSON, Parquet and text files
    conversations.py  what a record means: turns, or texts
    template.py       a model's chat template
    masks.py          which characters of a conversation are trained on
    tokenizer_file.py loads a tokenizer.json
    tokens.py         token ids of samples, with targets
    packing.py        several samples in one sequence
    dataset.py        files of data to a file of sequences, in parallel and cached
    show.py           prints samples
    run.py            a run: data, import, compile, train, export; finetune.py and pretrain.py are two
    card.py           the README.md of what a run makes

Compiling and training need none of it.
"""
