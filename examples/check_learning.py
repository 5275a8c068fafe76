#!/usr/bin/env python3
"""Says whether a byte-level language model has learned.

    check_learning.py TEXT METRICS.jsonl

A model that knows only the frequency of each byte has a loss equal to the unigram entropy of the text, in
nats.  A loss well below it requires context.
"""
import collections
import json
import math
import sys
from pathlib import Path


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text = Path(sys.argv[1]).read_bytes()
    losses = [json.loads(line)["loss"] for line in Path(sys.argv[2]).read_text().splitlines()]
    counts = collections.Counter(text)
    entropy = -sum(n / len(text) * math.log(n / len(text)) for n in counts.values())
    last = losses[-20:]
    final = sum(last) / len(last)
    print(f"loss at the start               {losses[0]:.3f} nats a byte")
    print(f"knowing how often bytes occur   {entropy:.3f}   (unigram entropy of the text)")
    print(f"loss at the end                 {final:.3f}   (mean of the last {len(last)} steps)")
    if not final < 0.8 * entropy:
        sys.exit("check_learning.py: error: the final loss is not below 80% of the entropy; the model has "
                 "not learned")
    print("the model has learned to use context")


if __name__ == "__main__":
    main()
