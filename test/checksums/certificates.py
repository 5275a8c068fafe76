"""Every number of a memory certificate, as lines of a name and a value.

    memory certificate
      parameters              124,439,808 B      118.68 MiB    parameters: 124,439,808 B
      model state: 4.00 bytes a parameter + ...                model-state: 4.00 bytes a ...
        parameters            124,439,808 B = 497,759,232 / 4  model-state.parameters: 124,439,808 B = ...
      live at the peak:
                 28,351,488 B  gradients of @b12               live-at-the-peak.line: 28,351,488 B gradients ...
                 28,351,488 B  gradients of @b13               live-at-the-peak.line-2: 28,351,488 B gradients ...
"""
import re

import support

MODEL = "gpt2-small"


def parse(text):
    """Returns [(name, value)]; lines of the same name are numbered."""
    section, found, times = "", [], {}
    for line in text.partition("memory certificate\n")[2].splitlines():
        if not line.startswith("  "):
            break
        match = re.fullmatch(r" +(?:([a-z][a-z_ ]*)(?:: ?|  +))?(.*)", line)
        name = (match[1] or "line").strip().replace(" ", "-")
        if line.startswith("    "):
            name = f"{section}.{name}"
        else:
            section = name
        times[name] = times.get(name, 0) + 1
        value = " ".join(re.sub(r" +[\d.]+ MiB$", "", match[2]).split())
        if value:  # else a title
            found.append((f"{name}-{times[name]}" if times[name] > 1 else name, value))
    return found


def layouts():
    return [(stage, micro_steps, ranks) for stage in range(4) for micro_steps in (1, 3) for ranks in (1, 2, 4)]


def of_layout(place, layout):
    stage, micro_steps, ranks = layout
    place.command(support.ZEROC, "import", support.EXAMPLES / f"{MODEL}.json", "--batch=4", "--seq=64",
                  "-o", "model.mlir")
    done = place.compile("model.mlir", "plan.o", f"--stage={stage}", f"--accumulate={micro_steps}",
                         f"--world-size={ranks}", "--emit=obj")
    return parse(done.out)
