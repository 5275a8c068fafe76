#!/usr/bin/env python3
"""Holds predicted times of steps over a network against measured ones.

    benchmark/networks.py [--machine=FILE] [--ranks=N] [--rates=250,1000,4000] [--options="--stage=2 ..." ...]

Half of the ranks are in one network namespace and half in another, with a virtual cable between them, whose rate
`tc ... tbf` limits: they share this machine's processors and nothing else.  FILE has the times of N ranks, and what MPI
and TCP take of a core (zeroc calibrate --ranks=N, with mpirun); without it, times are only measured.  Needs root, ip, tc
and mpirun.
"""
import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import trainer
import watch
from cases import quiet

sys.path.insert(0, str(trainer.ROOT / "test" / "e2e"))
import test_hosts  # noqa: E402

CONFIG = {"model_type": "gpt2", "n_layer": 6, "n_head": 6, "n_embd": 384, "vocab_size": 4096, "n_positions": 256,
          "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "initializer_range": 0.02, "resid_pdrop": 0.0,
          "embd_pdrop": 0.0, "attn_pdrop": 0.0, "tie_word_embeddings": True}
#: Ethernet, IP and TCP take 66 of 1,514 bytes; tbf counts them all.
PAYLOAD = 1448 / 1514


def measure(hosts, agent, program, ranks, tokens, metrics, steps):
    # Each host would bind its rank to its first processor, which is the other's, too.
    inner = ["mpirun", "--mca", "plm_rsh_agent", agent, "--bind-to", "none", "-n", ranks, "--host",
             ",".join(f"{host}:{ranks // 2}" for host in hosts)]
    for layer in ("btl_tcp_if_include", "oob_tcp_if_include"):
        inner += ["--mca", layer, f"{test_hosts.NETWORK}.0/24"]
    inner += [program, "--data", tokens, "--lr", "1e-4", "--steps", steps, "--threads", 1, "--progress", "none", "--metrics",
              metrics]
    watch.run(program.name, ["ip", "netns", "exec", hosts[0], "unshare", "--uts", "--fork", "bash", "-c",
                             f"hostname {hosts[0]}; exec {' '.join(map(str, inner))}"],
              watch.environment(**test_hosts.support.MPI_ENVIRONMENT, ZRT_TIMEOUT="60"), metrics.parent)
    return quiet([json.loads(line)["step_ms"] / 1e3 for line in metrics.read_text().splitlines()[trainer.WARM_UP:]])


class Model:
    def __init__(self, folder, name, config, options, ranks, machine):
        self.model, self.program, self.machine = folder / f"{name}.mlir", folder / name, machine
        self.plan = [f"--world-size={ranks}", *options.split()]
        path = folder / f"{name}.json"
        path.write_text(json.dumps(config))
        self.run("import", path, "--batch=2", "--seq=128", "-o", self.model)
        self.run(self.model, *self.plan, "-o", self.program)

    def run(self, *words):
        return watch.run("zeroc", [trainer.ZEROC, *words], watch.environment(), self.model.parent).out

    def predict(self, rate):
        """Seconds of a step where collectives get `rate` bytes a second."""
        return json.loads(self.run("simulate", self.model, *self.plan, f"--machine={self.machine}", "--certificate=json",
                                   f"--network={round(rate)}"))["step_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", type=Path)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rates", default="250,1000,4000", help="Mbit/s")
    parser.add_argument("--options", action="append", help="of a plan; may be repeated [--stage=1, and --stage=3]")
    options = parser.parse_args()
    machine = options.machine and options.machine.resolve()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        unique = "".join(chr(ord("a") + int(digit)) for digit in str(os.getpid()))
        hosts = [f"zero-{unique}-{letter}" for letter in "xy"]
        test_hosts.make_hosts(stack, hosts)
        agent, tokens, metrics = (folder / name for name in ("agent.sh", "tokens.u16", "metrics.jsonl"))
        agent.write_text(test_hosts.AGENT)
        agent.chmod(0o755)
        trainer.write_tokens(tokens, 1 << 15, 256)
        print(f"{'':24} {'simulated':>10} {'measured':>10}  {'ms; error':>8}")
        for number, plan in enumerate(options.options or ("--stage=1", "--stage=3")):
            model = Model(folder, f"model{number}", CONFIG, plan, options.ranks, machine)
            for rate in map(int, options.rates.split(",")):
                for host in hosts:
                    test_hosts.ip("netns", "exec", host, "tc", "qdisc", "replace", "dev", "cable", "root", "tbf", "rate",
                                  f"{rate}mbit", "burst", str(max(500 * rate, 256000)), "latency", "200ms")
                seconds = measure(hosts, agent, model.program, options.ranks, tokens, metrics, 10)
                if not machine:
                    print(f"{plan}, {rate:5} Mbit/s   {'':10} {1e3 * seconds:10.1f}", flush=True)
                    continue
                predicted = model.predict(rate * 1e6 / 8 * PAYLOAD)
                print(f"{plan}, {rate:5} Mbit/s   {1e3 * predicted:10.1f} {1e3 * seconds:10.1f}  "
                      f"{100 * (predicted / seconds - 1):+7.1f} %", flush=True)


if __name__ == "__main__":
    try:
        main()
    except watch.Failed as error:
        sys.exit(f"networks.py: error: {error}")
