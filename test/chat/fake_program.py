"""In place of a program that generates: speaks its protocol, and says what a script tells it.

The script is the file that FAKE_SCRIPT names, a list with an answer for each request in its order: {"ids": tokens,
"end": why}; without "end" the tokens come again and again.  With "dies" it ends there with this status.  Tokens of
several requests come in turns, and the one that came last begins.  FAKE_LOG gets the command line, and each line
that was read.
"""
import json
import os
import select
import sys
import time


def main():
    with open(os.environ["FAKE_SCRIPT"], encoding="utf-8") as file:
        script = json.load(file)
    log = open(os.environ["FAKE_LOG"], "a", encoding="utf-8")

    def note(value):
        log.write(json.dumps(value) + "\n")
        log.flush()

    note(sys.argv[1:])
    active, asked, buffer, is_open = {}, 0, b"", True
    while is_open or active:
        while is_open and select.select([0], [], [], 0 if active else None)[0]:
            data = os.read(0, 1 << 16)
            is_open = bool(data)
            buffer += data
            *lines, buffer = buffer.split(b"\n")
            for line in map(json.loads, lines):
                note(line)
                if "stop" in line:
                    if active.pop(line["stop"], None):
                        answer(line["stop"], end="stop")
                    continue
                active[line["id"]] = {"most": line.get("max"), "said": 0, **script[asked]}
                asked += 1
        for number in sorted(active, reverse=True):
            if step(number, active[number]):
                del active[number]
        time.sleep(0.001)


def answer(number, **what):
    print(json.dumps({"id": number, **what}), flush=True)


def step(number, state):
    """Says one token, or why the answer ends; returns whether it has ended."""
    if "dies" in state:
        print("zeroc: error: the weights are damaged", file=sys.stderr)
        sys.exit(state["dies"])
    if "error" in state:
        answer(number, error=state["error"])
        return True
    ids, said = state["ids"], state["said"]
    if said == state["most"]:
        answer(number, end="length")
        return True
    if "end" in state and said == len(ids):
        answer(number, end=state["end"])
        return True
    answer(number, token=ids[said % len(ids)])
    state["said"] += 1
    return False


main()
