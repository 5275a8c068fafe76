"""GPT-2 in PyTorch's DistributedDataParallel over gloo, one thread a rank.

    torch_ddp.py CONFIG.json BATCH SEQ RANKS STEPS [--bf16] [--compile]

prints one line of JSON: the seconds of each step of rank 0, and the sum of the
ranks' peaks of memory.  The options are those of torch_gpt2.py.
"""
import json
import multiprocessing
import os
import sys

import torch
import torch.distributed
from torch.nn.parallel import DistributedDataParallel

import torch_gpt2


def work(rank, ranks, address, config, batch, seq, steps, how, results):
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=ranks)
    model = DistributedDataParallel(torch_gpt2.model_of(config, how), gradient_as_bucket_view=True)
    inputs, targets = torch_gpt2.batch_of(config, batch, seq, seed=1 + rank)
    seconds = torch_gpt2.train(model, inputs, targets, steps, how,
                               before_step=torch.distributed.barrier)
    results.put((rank, seconds, torch_gpt2.peak_bytes()))
    torch.distributed.barrier()


def main():
    how, (path, *numbers) = torch_gpt2.How.take(sys.argv[1:])
    batch, seq, ranks, steps = map(int, numbers)
    with open(path) as file:
        config = json.load(file)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    # The ranks meet through a file in the current folder.
    meeting = os.path.abspath(f"torch-ddp-{os.getpid()}")
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    processes = [context.Process(target=work, args=(rank, ranks, f"file://{meeting}", config,
                                                    batch, seq, steps, how, results))
                 for rank in range(ranks)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit("torch_ddp.py: error: a rank failed")
    found = sorted(results.get() for _ in processes)
    print(json.dumps({"seconds": found[0][1], "peak_bytes": sum(peak for *_, peak in found)}))


if __name__ == "__main__":
    main()
