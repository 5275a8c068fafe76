"""--report-to: sends the metrics of a run to a service, by its own package, while the run writes them.

A thread follows the file of metrics, so a step waits for nothing, and a service that fails ends its reports alone.
OUT/zeroc/reports.json has the run of each service and the last step that it got: the same command, given again, goes on
there.  A value of step s is sent as that of s + 1 steps, one before the first step as that of 0.
"""
from __future__ import annotations

import contextlib
import json
import os
import sys
import threading

from .errors import UserError
from .metrics import GrowingMetrics, check_line
from .needs import need
from .template import read_json
from .whole_file import write_whole

#: Seconds between two looks at the file.
PAUSE = 1.0
#: What is of the machine, not of the model.
SPEED = ("tokens_per_s", "samples_per_s", "step_ms", "mfu", "hfu", "checkpoint_ms")


class Service:
    """A run of a service; `run_id` is that of an earlier part of it, or None."""

    def __init__(self, module, name, config, run_id):
        raise NotImplementedError

    def log(self, values, step):
        raise NotImplementedError

    def finish(self, failed):
        raise NotImplementedError


class Wandb(Service):
    def __init__(self, module, name, config, run_id):
        project = os.environ.get("WANDB_PROJECT") or "zeroc"
        self.run = module.init(project=project, name=name, config=config, id=run_id, resume="allow")
        self.run_id = self.run.id

    def log(self, values, step):
        self.run.log(values, step=step)

    def finish(self, failed):
        self.run.finish(exit_code=int(failed))


class Mlflow(Service):
    def __init__(self, module, name, config, run_id):
        self.module = module
        if not os.environ.get("MLFLOW_EXPERIMENT_NAME"):
            module.set_experiment("zeroc")
        self.run_id = module.start_run(run_id=run_id, run_name=name).info.run_id
        if run_id is None:
            module.log_params({key: str(value)[:500] for key, value in config.items()})

    def log(self, values, step):
        self.module.log_metrics(values, step=step)

    def finish(self, failed):
        self.module.end_run("FAILED" if failed else "FINISHED")


class Trackio(Service):
    def __init__(self, module, name, config, run_id):
        self.module, self.run_id = module, run_id or name
        module.init(project=os.environ.get("TRACKIO_PROJECT") or "zeroc", name=self.run_id, config=config, resume="allow")

    def log(self, values, step):
        self.module.log(values, step=step)

    def finish(self, failed):
        self.module.finish()


#: By the name of the package, which is that of the service.  TensorBoard's events are written by the run itself.
SERVICES = {"wandb": Wandb, "mlflow": Mlflow, "trackio": Trackio}
NAMES = (*SERVICES, "tensorboard")


def names_of(text):
    """The services of "wandb,tensorboard", whose packages are there; throws UserError."""
    names = [name for name in (text or "").split(",") if name]
    for name in names:
        if name not in NAMES:
            raise UserError(f"--report-to={name} is none of {', '.join(NAMES)}")
        if name in SERVICES:
            need(f"--report-to={name}", [name])
    return names


def points_of(line):
    """[(steps that are done, values)] of a line of metrics."""
    before, after = {}, {}
    for key, value in line.items():
        if key == "step" or type(value) not in (int, float):
            continue
        if key.startswith("initial_eval_"):
            before["eval/" + key.removeprefix("initial_eval_")] = value
        elif key.startswith("eval_"):
            after["eval/" + key.removeprefix("eval_")] = value
        else:
            after[("speed/" if key in SPEED else "train/") + key] = value
    return [(step, values) for step, values in ((line["step"], before), (line["step"] + 1, after)) if values]


class Reports:
    """What is sent to the services of `names` in this part of a run."""

    def __init__(self, names, metrics, state, name, config):
        self.lines, self.path, self.state = GrowingMetrics(metrics), state, read_json(state)
        self.begun, self.over, self.failed = {}, threading.Event(), False
        for one in names:
            known = self.state.get(one, {})
            with self.attempt(one):
                module = __import__(one)
                service = SERVICES[one](module, name, config, known.get("run"))
                self.begun[one] = service
                self.state[one] = {"run": service.run_id, "steps": known.get("steps", -1)}
        self.save()
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    @contextlib.contextmanager
    def attempt(self, name):
        """A service may fail in any way, and the run goes on."""
        try:
            yield
        except Exception as error:  # pylint: disable=broad-except
            self.begun.pop(name, None)
            print(f"zeroc: warning: --report-to={name}: {type(error).__name__}: {error}; the run goes on without it",
                  file=sys.stderr)

    def follow(self):
        while not self.over.wait(PAUSE):
            self.send()
        self.send()
        for name, service in list(self.begun.items()):
            with self.attempt(name):
                service.finish(self.failed)

    def send(self):
        lines = (check_line(json.loads(line), self.lines.path) for line in self.lines.read() if line.strip())
        points = [point for line in lines if line for point in points_of(line)]
        for name, service in list(self.begun.items()):
            with self.attempt(name):
                for steps, values in points:
                    if steps > self.state[name]["steps"]:
                        service.log(values, steps)
                        self.state[name]["steps"] = steps
        if points:
            self.save()

    def save(self):
        write_whole(self.path, json.dumps(self.state, indent=2) + "\n")

    def end(self, failed):
        self.failed = failed
        self.over.set()
        self.thread.join()


@contextlib.contextmanager
def reported(names, metrics, state, name, config):
    """Reports what is written to `metrics` in this block."""
    names = [one for one in names if one in SERVICES]
    if not names:
        yield
        return
    reports = Reports(names, metrics, state, name, config)
    try:
        yield
    except BaseException as error:
        stopped = isinstance(error, SystemExit) and error.code in (75, 130)  # by --time-limit, or by Ctrl-C
        reports.end(failed=not stopped)
        raise
    reports.end(failed=False)
