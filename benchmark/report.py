"""The tables that the benchmark prints."""
from cases import limit_of, median
from where import middle, parts_of

#: The share of a step below which a part gets no line of its own.
WORTH_A_LINE = 0.005


def table(header, rows):
    """Columns as narrow as possible; the first is left-aligned, the others right-aligned."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    return "\n".join("  " + "  ".join(
        cell.ljust(width) if i == 0 else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells)


def ms(seconds):
    return f"{seconds * 1e3:.1f}"


def mib(size):
    return f"{size / 2**20:.0f}" if size else "-"


def spread(values):
    """(largest - smallest) / median."""
    if len(values) < 2:
        return "-"
    return f"{100 * (max(values) - min(values)) / median(values):.0f}%"


def limits_text(cases, model, limits):
    lines = []
    for threads, tokens in sorted({(case.threads, case.tokens) for case in cases}):
        rate = limits.rate(threads, model, tokens)
        lines += [f"oneDNN, {threads} thread{'s' * (threads > 1)}, {tokens} tokens: "
                  f"{rate * 1e-9:.0f} GFLOP/s over a step", _forms(threads, tokens, model, limits)]
    for threads in sorted({case.threads * case.ranks for case in cases}):
        seconds, form = limits.best("adamw", threads)
        lines.append(f"AdamW, {threads} thread{'s' * (threads > 1)}: {28e-9 / seconds:.1f} GB/s "
                     f"({form} stores), {ms(seconds * model.parameters)} ms for "
                     f"{model.parameters / 1e6:.1f}M parameters")
    if any(case.ranks > 1 for case in cases):
        for name in ("reduce_scatter", "gather_in_place", "gather_apart"):
            seconds = limits.collective(name)
            lines.append(f"{name}, two ranks: {1e-9 / seconds:.1f} GB/s, "
                         f"{ms(4 * seconds * model.parameters)} ms for all parameters")
    return "\n".join(lines)


def _forms(threads, tokens, model, limits):
    first = (threads, *next(iter(model.products(tokens))))
    forms = [key[-1] for key in limits.seconds if key[:-1] == first]
    rows = []
    for (m, n, k), count in model.products(tokens).items():
        flops = 2e-9 * m * n * k
        rates = [flops / median(limits.seconds[threads, m, n, k, form]) for form in forms]
        rows.append((f"{m} x {n} x {k}", count, *(f"{rate:.0f}" for rate in rates),
                     limits.best(threads, m, n, k)[1]))
    return table(("GFLOP/s", "a step", *forms, "best"), rows)


def cases_text(cases, model, limits, ours, theirs):
    """`ours` and `theirs`: case -> runs."""
    rows = []
    for case in cases:
        limit = limit_of(case, model, limits).total
        times = [run.step for run in ours[case]]
        step = median(times)
        row = [case.name, ms(limit), ms(step), spread(times), f"{step / limit:.2f}"]
        if theirs.get(case):
            times = [run.step for run in theirs[case]]
            row += [ms(median(times)), spread(times), f"{step / median(times):.2f}"]
        else:
            row += ["-", "-", "-"]
        row += [mib(max(run.resident for run in ours[case])), mib(ours[case][0].arenas),
                mib(max((run.resident for run in theirs.get(case, [])), default=0))]
        rows.append(row)
    return table(("ms a step", "limit", "zeroc", "spread", "x limit", "torch", "spread",
                  "zeroc/torch", "zeroc MiB", "arenas", "torch MiB"), rows)


def rates_text(cases, ours, theirs):
    rows = []
    for case in cases:
        rates = [f"{case.tokens * case.ranks / median([run.step for run in runs[case]]):,.0f}"
                 if runs.get(case) else "-" for runs in (ours, theirs)]
        rows.append((case.name, *rates))
    return table(("tokens a second", "zeroc", "torch"), rows)


def ranks_text(cases, ours):
    """Compares several ranks with one rank that has as many threads and the same global batch."""
    text = ""
    for case in cases:
        for other in cases:
            if (case.ranks > 1 and other.ranks == 1 and case.seq == other.seq
                    and other.threads == case.ranks * case.threads
                    and other.batch == case.ranks * case.batch):
                ratio = (median([run.step for run in ours[case]])
                         / median([run.step for run in ours[other]]))
                text += f"  {case.name} / {other.name}: {ratio:.2f}\n"
    return text


def where_text(case, model, limits, runs):
    """The parts of zeroc's time, the largest loss first.

    A profile is a mean over steps, so this describes a mean step.
    """
    profile = middle([run.profile for run in runs])
    outside = median([run.mean - run.profile.step for run in runs])
    parts = parts_of(case, model, limits, profile, outside)
    step = sum(part.seconds for part in parts)
    mean = limits.rate(case.threads, model, case.tokens)
    rows = []
    for part in sorted(parts, key=lambda p: -p.lost):
        rows.append(_line(part, step, mean))
        large = [one for one in part.inner if one.seconds >= WORTH_A_LINE * step]
        for one in sorted(large, key=lambda p: -p.lost):
            rows.append(_line(one, step, mean, "  ", with_limit=bool(one.flops)))
    limit = sum(part.limit for part in parts)
    rows.append(("sum", ms(step), "100.0", ms(limit), ms(step - limit), "", f"{limit / step:.2f}"))
    text = table((case.name, "ms", "% step", "limit", "lost", "rate", "of limit"), rows)
    for wire in profile.wires:
        busy = wire.seconds - wire.waiting
        text += (f"\n  {wire.name} on {wire.stream}: {ms(busy)} ms moving"
                 f" {wire.bytes * 1e-6:.0f} MB, {ms(wire.waiting)} ms waiting for its peer")
    return text


def _line(part, step, mean, indent="", with_limit=True):
    limit, lost = (ms(part.limit), ms(part.lost)) if with_limit else ("", "")
    rate = of_limit = ""
    if part.flops and part.seconds:
        rate = f"{part.flops / part.seconds * 1e-9:.0f} GFLOP/s"
    elif part.rate:
        rate = f"{part.rate * 1e-9:.1f} GB/s"
    if with_limit and part.limit and part.seconds:
        of_limit = f"{part.limit / part.seconds:.2f}"
    return (indent + part.name, ms(part.seconds), f"{100 * part.seconds / step:.1f}", limit, lost,
            rate, of_limit)
