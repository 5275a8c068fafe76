"""Published figures for training on GPUs.  Their conditions differ: other models, states and batches."""

#: LLMQ prints the share as "sol"; the headline of its file says RTX PRO 6000, its name and its
#: shares an H100.
#: llm.c's of 124M is quoted at luisquintanilla.me/feed/repro-gpt-2-llm-c-90-min-20-dollars-karpathy.
#: Author, model, GPU, tokens/s of one GPU, share of the peak, conditions, source.
FIGURES = (
    ("LLMQ", "Qwen2.5-0.5B", "H100", 149_500, 0.468, "bf16 products, moments of bf16, T = 1024, 16 x 32 sequences",
     "github.com/IST-DASLab/llmq benchmarks/H100x1.md, 7f895bdb"),
    ("LLMQ", "Qwen2.5-1.5B", "H100", 59_250, 0.570, "likewise, 16 x 32 sequences", "the same"),
    ("LLMQ", "Qwen2.5-3B", "H100", 30_900, 0.593, "likewise, 32 x 16 sequences", "the same"),
    ("LLMQ", "Qwen2.5-7B", "H100", 13_850, 0.602, "likewise, 128 x 4 sequences, head and attention in 2 chunks", "the same"),
    ("llm.c", "GPT-2 124M", "8 x A100 80GB SXM", None, 0.60, "bf16, up to; 10 billion tokens in about 90 minutes",
     "github.com/karpathy/llm.c/discussions/481"),
    ("llm.c", "GPT-2 1.5B", "8 x H100", None, None, "one node, 24 hours", "github.com/karpathy/llm.c/discussions/677"),
)


def text():
    lines = ["", "published by others, in their own conditions and counts of flops; not measured here"]
    for who, model, gpu, rate, share, conditions, source in FIGURES:
        lines.append(f"  {who:6} {model:13} {gpu:18}{f'{rate:,} tokens/s' if rate else '':>18}"
                     f"{f'{share:.0%} of peak' if share else '':>13}  {conditions} ({source})")
    return "\n".join(lines)
