"""--report-to of zeroc finetune and pretrain: what stub packages of the services' names are told."""
import json
import os

import chats
import support

MODEL = support.ROOT / "test" / "golden" / "preferences" / "model"
#: A package that writes each call of it as a line.
STUB = """
import json, os
NAME = __name__

def call(kind, /, **values):
    with open(os.environ["CALLS"], "a") as file:
        file.write(json.dumps([NAME, kind, values]) + "\\n")
    if kind in os.environ.get("FAILS", "").split():
        raise ConnectionError("no service")

class Run:
    def __init__(self, run_id):
        self.id = self.run_id = run_id
        self.info = self

    def log(self, values, step):
        call("log", values=values, step=step)

    def finish(self, exit_code):
        call("finish", exit_code=exit_code)

def init(project, name, config, resume, id=None):
    call("init", project=project, name=name, resume=resume, id=id, config=sorted(config))
    return Run(id or "run-1")

def log(values, step):
    call("log", values=values, step=step)

def finish():
    call("finish")

def set_experiment(name):
    call("set_experiment", name=name)

def start_run(run_id, run_name):
    call("init", name=run_name, id=run_id)
    return Run(run_id or "run-1")

def log_params(params):
    call("log_params", config=sorted(params))

def log_metrics(values, step):
    call("log", values=values, step=step)

def end_run(status):
    call("finish", status=status)
"""


class Reports(chats.ChatCase):
    def setUp(self):
        super().setUp()
        self.stubs, self.log = self.folder / "stubs", self.folder / "calls.jsonl"
        self.stubs.mkdir()
        for name in ("wandb", "mlflow", "trackio"):
            (self.stubs / f"{name}.py").write_text(STUB)
        self.data = self.write("texts.jsonl", "".join(json.dumps({"text": f"w{i} w{i + 1} w{i + 2}"}) + "\n"
                                                      for i in range(1, 40)))

    def finetune(self, *options, status=0, path=None, fails=""):
        done = support.run(support.ZEROC, "finetune", MODEL, self.data, "-o", self.folder / "out", "--seq=16", "--accumulate=1",
                           "--batch=2", "--threads=1", "--progress=none", "--eval-split=0.2", "--eval-every=2", *options,
                           env={"CALLS": str(self.log), "FAILS": fails,
                                "PYTHONPATH": os.pathsep.join([str(path or self.stubs), os.environ.get("PYTHONPATH", "")])})
        self.assertEqual(done.returncode, status, done.err + done.out)
        return done

    def calls(self, name):
        lines = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        return [(kind, values) for who, kind, values in lines if who == name]

    def test_services(self):
        """Each gets every step once, with evaluations, also if the run stops and goes on."""
        self.finetune("--report-to=wandb,mlflow,trackio", "--steps=6", "--until=4")
        self.finetune("--report-to=wandb,mlflow,trackio", "--steps=6")
        metrics = support.read_metrics(self.folder / "out" / "zeroc" / "metrics.jsonl")
        for name in ("wandb", "mlflow", "trackio"):
            with self.subTest(name):
                calls = self.calls(name)
                logged = [(values["step"], values["values"]) for kind, values in calls if kind == "log"]
                self.assertEqual([step for step, _ in logged], list(range(7)))
                self.assertEqual(logged[0][1]["eval/loss"], metrics[0]["initial_eval_loss"])
                for step, values in logged[1:]:
                    self.assertEqual(values["train/loss"], metrics[step - 1]["loss"])
                    self.assertEqual(values.get("eval/loss"), metrics[step - 1].get("eval_loss"))
                first, again = [values for kind, values in calls if kind == "init"]
                self.assertEqual((first["name"], again["name"]), ("out", "out"))
                if name != "trackio":  # which knows a run by its name
                    self.assertEqual((first["id"], again["id"]), (None, "run-1"))
                self.assertEqual(len([kind for kind, _ in calls if kind == "finish"]), 2)
        self.assertIn("lr", [values for kind, values in self.calls("wandb") if kind == "init"][0]["config"])

    def test_tensorboard(self):
        self.finetune("--report-to=tensorboard", "--steps=2")
        self.assertTrue(list((self.folder / "out" / "zeroc" / "tensorboard").glob("events.out.tfevents*")))

    def test_a_service_that_fails(self):
        """The run goes on, and other services get what they should."""
        done = self.finetune("--report-to=wandb,mlflow", "--steps=2", fails="finish")
        self.assertIn("--report-to=wandb: ConnectionError: no service; the run goes on without it", done.err)
        done = self.finetune("--report-to=wandb,mlflow", "--steps=2", "--restart", fails="init")
        self.assertIn("--report-to=mlflow: ConnectionError", done.err)
        self.assertTrue((self.folder / "out" / "model.safetensors").exists())

    def test_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        (empty / "wandb.py").write_text("raise ImportError('not there')")
        done = self.finetune("--report-to=wandb", "--steps=1", status=1, path=empty)
        self.assert_refused(done, "--report-to=wandb needs the Python package wandb", "-m pip install wandb", status=1)
        done = self.finetune("--report-to=comet", "--steps=1", status=1)
        self.assert_refused(done, "--report-to=comet is none of wandb, mlflow, trackio, tensorboard", status=1)
        self.assertFalse(self.log.exists(), "a service is called without being asked for")
        self.finetune("--steps=1")
        self.assertFalse(self.log.exists(), "a service is called without being asked for")
