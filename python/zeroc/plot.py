"""zeroc plot: the metrics of runs as a picture, in SVG.

    +--------------------------------------+
    | -- a.jsonl   1,000 steps, loss 1.73  |  a line a run
    | -- b.jsonl   ...                     |
    | average of ...                       |  what else there is to see
    | loss                                 |
    | 5 |\\                                 |  a panel for each quantity that
    | 2 |  ------                          |  some run has
    | gradient norm                        |
    | 1 | -------                          |
    |   0   200   400                      |  steps, of all panels
    +--------------------------------------+

Equal files give equal pictures, byte for byte.
"""
from __future__ import annotations

import html
import math
import re
from typing import NamedTuple

from .curves import linear_ticks, log_ticks, padded, scale, smoothed, thinned
from .errors import plural
from .metrics import read_metrics
from .options import add_output, parser_of
from .own_files import check_output
from .whole_file import write_whole

#: Pixels.
WIDTH, LEFT, RIGHT, ROW, COLUMNS = 960, 76, 936, 20, 860
#: Curves with fewer points are not smoothed.
MANY_STEPS = 150
COLOURS = ("#1d5fbf", "#d1442f", "#1b8a5a", "#b7790b", "#7a45c4", "#0b8aa6", "#c2348f", "#5b6470")
INK, FAINT, GRID = "#24292f", "#6a737d", "#e4e7eb"
#: Beyond these, differences and powers of ten would overflow or underflow.
LARGEST, SMALLEST = 1e200, 1e-200


class Panel(NamedTuple):
    key: str
    title: str
    height: int
    from_zero: bool
    log_from: float  # the axis is logarithmic if the maximum is this many times the minimum, above 0
    is_smoothed: bool


PANELS = (Panel("reward", "reward", 300, False, math.inf, True), Panel("length", "tokens of an answer", 110, True, math.inf, True),
          Panel("loss", "loss", 300, False, 100, True), Panel("grad_norm", "gradient norm", 130, True, 20, True),
          Panel("lr", "learning rate", 90, True, math.inf, False), Panel("tokens_per_s", "tokens/s", 110, True, math.inf, True),
          Panel("samples_per_s", "samples/s", 110, True, math.inf, True),
          Panel("eval_rewards/accuracies", "accuracy of rewards in evaluations", 110, True, math.inf, False),
          Panel("eval_accuracy", "accuracy in evaluations", 110, True, math.inf, False))
#: What is marked in the panel of the loss: its name, and its shape and what fills it, around a point.
SIGNS = {"eval_loss": ("evaluation", "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z", "#ffffff"),
         "spikes": ("skipped spike", "m-4-4h8l-4 8z", None), "skipped": ("skipped step", "m0-5v10", "none"),
         "nonfinite": ("loss not finite", "m-3.5-3.5l7 7m0-7l-7 7", "none")}


class Run:
    def __init__(self, path):
        lines = read_metrics(path)
        self.name = "standard input" if path == "-" else path
        self.curves = {key: [(line["step"], drawable(line.get(key))) for line in lines]
                       for key in ("eval_loss", *(panel.key for panel in PANELS))}
        # The loss before a step is that of a model before its update, as an evaluation before the first step is.
        evaluations = [key for key in self.curves if key.startswith("eval_")]
        for key in evaluations:
            self.curves[key].insert(0, (lines[0]["step"], drawable(lines[0].get(f"initial_{key}"))))
        # A key that no line has gives no curve; missing evaluations are not gaps.
        for key, curve in self.curves.items():
            if key in evaluations or key != "loss" and all(math.isnan(y) for _, y in curve):
                self.curves[key] = [point for point in curve if not math.isnan(point[1])]
        self.steps = [line["step"] for line in lines]
        self.marks = {"spikes": [], "skipped": [], "nonfinite": [x for x, y in self.curves["loss"] if math.isnan(y)]}
        # In a part of a run, steps that were skipped before are unknown.
        before = lines[0] if lines[0]["step"] else {}
        for line in lines:
            for key in ("spikes", "skipped"):
                if line.get(key, 0) > before.get(key, 0):
                    self.marks[key].append(line["step"])
                    break
            before = line

    def has(self, key):
        return bool(self.curves[key] if key in self.curves else self.marks[key])


def drawable(value):
    """NaN for a value that is missing or not finite."""
    if value is None or abs(value) > LARGEST:
        return math.nan
    return 0.0 if abs(value) < SMALLEST else float(value)


class Picture:
    def __init__(self, runs):
        self.runs, self.elements, self.y = runs, [], 8
        longest = max(len(run.steps) for run in runs)
        # Enough points to show the trend, and few enough to show changes.
        self.average = min(max(longest // 100, 5), 200) if longest >= MANY_STEPS else 0
        low, high = min(run.steps[0] for run in runs), max(run.steps[-1] for run in runs)
        # The last of 1,000 steps is step 999.
        high += longest >= 50
        self.steps = (low, high) if low < high else (low - 1, high + 1)
        # Runs whose colour is used a second time are dashed.
        self.looks = [(COLOURS[i % len(COLOURS)], "6 3" if i >= len(COLOURS) else "") for i in range(len(runs))]

    def draw(self):
        self.draw_legend()
        self.draw_key()
        shown = [panel for panel in PANELS if any(run.has(panel.key) for run in self.runs)]
        for panel in shown:
            self.draw_panel(panel, is_last=panel is shown[-1])
        size = f'width="{WIDTH}" height="{self.y + 46}"'
        fits = 'style="max-width:100%;height:auto"'  # in a narrow window, where the picture is opened by itself
        return ('<?xml version="1.0" encoding="UTF-8"?>\n'
                f'<svg id="zeroc" xmlns="http://www.w3.org/2000/svg" version="1.1" {size} {fits} '
                f'viewBox="0 0 {WIDTH} {self.y + 46}" '
                'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif">\n'
                f'<rect {size} fill="#ffffff"/>\n<g fill="none" stroke-linecap="round" stroke-linejoin="round">\n'
                + "".join(f"{element}\n" for element in self.elements) + "</g>\n</svg>\n")

    def draw_legend(self):
        for run, (colour, dash) in zip(self.runs, self.looks):
            self.y += ROW
            self.line(LEFT, self.y - 4, LEFT + 26, self.y - 4, colour, 3, dash)
            name = run.name if len(run.name) <= 60 else "..." + run.name[-57:]
            self.text(LEFT + 34, self.y, "start", INK, 13, name, bold=True)
            self.text(RIGHT, self.y, "end", FAINT, 12, self.summary(run))

    def draw_key(self):
        """A legend of the signs that occur in this picture."""
        x, words = LEFT, f"average of about {self.average:,} steps, each step pale"
        kinds = [kind for kind in SIGNS if any(run.has(kind) for run in self.runs)]
        self.y += ROW if self.average or kinds else 0
        if self.average:
            self.line(x, self.y - 4, x + 12, self.y - 4, FAINT, 2)
            self.text(x + 17, self.y, "start", FAINT, 12, words)
            x += 35 + 6.4 * len(words)
        for kind in kinds:
            self.sign(kind, x + 6, self.y - 4, FAINT)
            self.text(x + 17, self.y, "start", FAINT, 12, SIGNS[kind][0])
            x += 35 + 6.4 * len(SIGNS[kind][0])

    def smoothed(self, run, key):
        return smoothed(run.curves[key], self.average, set(run.marks["spikes"]))

    def summary(self, run):
        text = plural(len(run.steps), "step")
        for curve, words in ((run.curves["loss"], ", last loss {:.4g}"),
                             (self.smoothed(run, "loss") if self.average else [], " (average {:.4g})")):
            last = next((y for _, y in reversed(curve) if not math.isnan(y)), None)
            text += words.format(last) if last is not None else ""
        if run.has("eval_loss"):
            text += f", {run.curves['eval_loss'][-1][1]:.4g} in evaluation"
        return text

    def range_of(self, panel):
        """(The values that the axis shows, whether it is logarithmic)."""
        values = [y for run in self.runs for key in (panel.key, *["eval_loss"] * (panel.key == "loss"))
                  for _, y in run.curves[key] if not math.isnan(y)] or [0, 1]
        low, high = min(values), max(values)
        if low > 0 and high / low >= panel.log_from:
            return (low / 1.15, high * 1.15), True
        if panel.from_zero and low >= 0:
            return (0, 1.06 * high or 1), False
        return padded(low, high, 0.05), False

    def draw_panel(self, panel, is_last):
        shown, is_log = self.range_of(panel)
        top, bottom = self.y + 34, self.y + 34 + panel.height
        across, up = scale(*self.steps, LEFT, RIGHT), scale(*shown, bottom, top, is_log)
        self.text(LEFT, top - 8, "start", INK, 13, panel.title + ", logarithmic" * is_log, bold=True)
        for value, label in log_ticks(*shown) if is_log else linear_ticks(*shown, panel.height // 38):
            self.line(LEFT, up(value), RIGHT, up(value), GRID, 1)
            self.text(LEFT - 8, up(value) + 4, "end", FAINT, 11, label)
        for value, label in linear_ticks(*self.steps, 9, whole=True):
            if value >= 0:
                self.line(across(value), top, across(value), bottom, GRID, 1)
                if is_last:
                    self.text(across(value), bottom + 17, "middle", FAINT, 11, label)
        self.line(LEFT, bottom, RIGHT, bottom, FAINT, 1)
        if is_last:
            self.text((LEFT + RIGHT) / 2, bottom + 35, "middle", INK, 12, "step")
        for run, (colour, dash) in zip(self.runs, self.looks):
            curve = run.curves[panel.key]
            is_averaged = self.average and panel.is_smoothed and len(curve) >= MANY_STEPS
            if is_averaged:
                self.curve(curve, across, up, colour, 1, run.name, opacity=0.28)
            self.curve(self.smoothed(run, panel.key) if is_averaged else curve, across, up, colour, 1.8, run.name, dash)
        if panel.key == "loss":
            for run, (colour, _) in zip(self.runs, self.looks):
                evaluations = self.curve(run.curves["eval_loss"], across, up, colour, 1.2, f"{run.name}, evaluation", "5 3", 0.9)
                for x, y in evaluations if len(evaluations) <= 100 else []:
                    self.sign("eval_loss", x, y, colour)
                for kind, y in (("skipped", bottom - 6), ("spikes", top + 5), ("nonfinite", top + 15)):
                    self.draw_marks(kind, map(across, run.marks[kind]), y, colour)
        self.y = bottom

    def draw_marks(self, kind, places, y, colour):
        """At most one every four pixels."""
        last = -WIDTH
        for x in places:
            if x - last >= 4:
                self.sign(kind, x, y, colour)
                last = x

    def curve(self, points, across, up, colour, width, title, dash="", opacity=1):
        """A line through the points, with a gap where there is none; returns their places."""
        places = [(across(x), y if math.isnan(y) else up(y)) for x, y in thinned(points, COLUMNS)]
        path, is_on = "", False
        for i, (x, y) in enumerate(places):
            was_on, is_on = is_on, not math.isnan(y)
            if is_on:
                path += f"{'L' if was_on else 'M'}{place(x)} {place(y)}"
                # A single point becomes a dot, because lines have round ends.
                if not was_on and (i + 1 == len(places) or math.isnan(places[i + 1][1])):
                    path += "h0"
        if path:
            self.path(path, colour, width, dash, f' stroke-opacity="{opacity}"' * (opacity < 1), f"<title>{escaped(title)}</title>")
        return places

    def sign(self, kind, x, y, colour):
        _, shape, fill = SIGNS[kind]
        self.path(f"M{place(x)} {place(y)}{shape}", colour, 1.5, more=f' fill="{fill or colour}"')

    def line(self, x1, y1, x2, y2, colour, width, dash=""):
        self.path(f"M{place(x1)} {place(y1)}L{place(x2)} {place(y2)}", colour, width, dash)

    def path(self, path, colour, width, dash="", more="", inside=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        begin = f'<path d="{path}" stroke="{colour}" stroke-width="{width}"{more}{dashes}'
        self.elements.append(f"{begin}>{inside}</path>" if inside else f"{begin}/>")

    def text(self, x, y, anchor, colour, size, words, bold=False):
        """`anchor` is the part of the text that lies at x: start, middle or end."""
        more = f' text-anchor="{anchor}"' * (anchor != "start") + ' font-weight="bold"' * bold
        self.elements.append(f'<text x="{place(x)}" y="{place(y)}" fill="{colour}" font-size="{size}"{more}>{escaped(words)}</text>')


def place(value):
    """A coordinate, to a tenth of a pixel."""
    return f"{round(value, 1):g}"


def escaped(text):
    """For XML, also in attributes; it has no control characters and no halves of pairs, not even escaped."""
    return html.escape(re.sub("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "?", text))


def parser():
    p = parser_of("plot")
    p.add_argument("runs", metavar="RUN.jsonl", nargs="+", help="metrics of a run; - is standard input")
    add_output(p, "RUN.svg", "the file to write (default: standard output)", "-")
    return p


def main(arguments):
    a = parser().parse_args(arguments)
    if a.o != "-":
        check_output(a.o, "a picture", a.force, a.runs)
    text = Picture([Run(path) for path in a.runs]).draw()
    if a.o != "-":
        write_whole(a.o, text)
    else:
        with open(1, "w", encoding="utf-8", closefd=False) as out:
            out.write(text)
