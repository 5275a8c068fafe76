"""The first mistakes of new users: in the model, in the options, at the run.  Each is refused, or
warned of, in one message that names the thing, the number and the fix."""
import re
import sys

import support

MLP = support.EXAMPLES / "mlp.mlir"


def options_of(text):
    """Returns the long options in the output of --help."""
    return set(re.findall(r"^ +(?:-\w, ?)?--([a-z][a-z-]+)", text, re.MULTILINE))


class Mistakes(support.Case):
    def zeroc(self, *arguments):
        return support.run(support.ZEROC, *arguments, cwd=self.folder)

    def assert_says(self, done, *messages):
        """Checks that it is refused with these texts, without signs of a crash."""
        self.assert_refused(done, *map(re.escape, messages))

    def train(self, *arguments, model=MLP, ranks=1, options=()):
        binary = support.compile_model(model, *options)
        return support.run(*support.mpirun(ranks), binary, *arguments, cwd=self.folder, env=support.MPI_ENVIRONMENT)


class Commands(Mistakes):
    def test_each(self):
        """Help and versions of every command, also where Python has no package."""
        table = (support.ROOT / "tools" / "zeroc" / "Commands.def").read_text()
        version = self.run_ok(support.ZEROC, "--version").out
        python = self.write("python", f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        python.chmod(0o755)
        for kind, name in re.findall(r'^(CPP|PYTHON)\("(\w+)"', table, re.M):
            with self.subTest(name):
                self.assertEqual(self.run_ok(support.ZEROC, name, "--version").out, version)
                for words in ((name, "--help"), ("help", name)):
                    shown = self.run_ok(support.ZEROC, *words, env={"ZEROC_PYTHON": str(python), "COLUMNS": "80"}).out
                    self.assertIn(f"usage: zeroc {name} ", shown.replace("USAGE", "usage"))
                    if kind == "PYTHON":
                        self.assertEqual([line for line in shown.splitlines() if len(line) > 80], [])


class OtherTools(Mistakes):
    def test_commands(self):
        """Commands of other tools are told what does that here; what is named exists."""
        table = (support.ROOT / "tools" / "zeroc" / "Commands.def").read_text()
        ours = set(re.findall(r'^(?:CPP|PYTHON)\("(\w+)"', table, re.M))
        others = re.findall(r'^OTHER\("([^"]+)",', table, re.M)
        self.assertGreater(len(others), 8)
        for name in " ".join(others).split():
            with self.subTest(name):
                done = support.run(support.ZEROC, name, "x", cwd=self.folder)
                self.assert_refused(done, f"zeroc has no command {name}: ")
                self.assertNotIn(name, ours)
                self.assertLessEqual(set(re.findall(r"zeroc ([a-z]+)\b", done.err.partition(": ")[2])) - {"has", "is"}, ours)

    def test_options_at_once(self):
        done = support.run(support.ZEROC, "finetune", "a", "b", "-o", "c", "--bf16", "--lr=1", "--learning_rate=2", "--flash_attn")
        self.assert_refused(done)
        self.assertEqual(done.err.splitlines(), [
            "zeroc finetune: error: 3 options are not known; see zeroc finetune --help:",
            "  --bf16 is --precision=bf16 here",
            "  --learning_rate is --lr X here",
            "  --flash_attn is not supported, because every step is compiled; there are no kernels to choose"])

    def test_argument_is_missing(self):
        done = support.run(support.ZEROC, "finetune", "a")
        self.assertEqual((done.returncode, done.err.splitlines()), (2, [
            "zeroc finetune: error: the following arguments are required: -o/--out; see zeroc finetune --help"]))


class Model(Mistakes):
    def refuse(self, old, new, *messages):
        text = MLP.read_text()
        self.assertIn(old, text)
        done = self.zeroc(self.write("model.mlir", text.replace(old, new)), "-o", "train")
        self.assert_says(done, *messages)
        self.assertRegex(done.err, r"model\.mlir:[1-9]\d*:\d+: error")

    def test_shapes_that_do_not_fit(self):
        self.refuse("ins(%x, %w1 : tensor<512x64xf32>, tensor<64x128xf32>)",
                    "ins(%w1, %x : tensor<64x128xf32>, tensor<512x64xf32>)",
                    "note: dimension 0 of operand 1 is 512, and the other operands need 128 (both are counted from 0)")

    def test_misspelled_operation(self):
        self.refuse("nn.cross_entropy", "nn.crossentropy", "'nn.crossentropy' is unknown",
                    "did you mean nn.cross_entropy?")

    def test_parameter_without_mark(self):
        self.refuse('%b1: tensor<128xf32> {zero.param = "mlp.fc.bias", zero.init = #zero.constant<0.0>}',
                    "%b1: tensor<128xf32>",
                    "argument 2 is neither a parameter nor an input; give it zero.param or zero.input")

    def test_misspelled_mark(self):
        self.refuse("zero.param", "zero.parameter", 'has "zero.parameter" of argument 0, and the dialect has no such '
                    "attribute there; did you mean zero.param?")

    def test_unknown_initial_values(self):
        self.refuse("#zero.uniform", "#zero.unifrom",
                    "note: initial values are #zero.normal<std = 0.02>, #zero.uniform<low = -0.1, high = 0.1> or "
                    "#zero.constant<0.0>")

    def test_loss_that_is_no_scalar(self):
        text = MLP.read_text().replace("-> tensor<f32> {\n", "-> tensor<16x32x256xf32> {\n")
        text = text.replace("return %loss : tensor<f32>", "return %logits : tensor<16x32x256xf32>")
        self.assert_says(self.zeroc(self.write("model.mlir", text), "-o", "train"),
                         "the loss must be a scalar, tensor<f32> or tensor<f64>, got 'tensor<16x32x256xf32>'; reduce it, "
                         "for example with nn.cross_entropy")

    def test_operation_without_derivative(self):
        self.refuse("math.tanh %y_product", "math.clampf %y_product to [%y_product, %y_product]",
                    "math.clampf", "no derivative")

    def test_batch_of_any_size(self):
        self.refuse("16x32x", "?x32x", "write numbers in place of ?")

    def test_config_in_place_of_a_model(self):
        config = self.write("config.json", {"model_type": "gpt2"})
        self.assert_says(self.zeroc(config, "-o", "train"),
                         f"{config} is no MLIR; the model of a folder comes from zeroc import {config} --batch=B --seq=T "
                         f"-o model.mlir; zeroc plan {config} shows which plans of it fit")


class Options(Mistakes):
    def refuse(self, *options, message):
        self.assert_says(self.zeroc(MLP, "-o", "train", *options), message)

    def test_misspelled_option(self):
        self.refuse("--satge=3", message="Did you mean '--stage=3'?")

    def test_stage_that_is_none(self):
        self.refuse("--stage=4", message="--stage must be 0, 1, 2 or 3, got 4")

    def test_unit(self):
        self.refuse("--bucket-size=25M", message="--bucket-size must be a number of bytes from 1 on, as in 4096, 64KiB, "
                                                 "25MiB, 2GiB or 80GB, got 25M")

    def test_two_models(self):
        self.refuse("other.mlir", message="too many files are given; zeroc takes one MODEL.mlir, zeroc import one CONFIG.json; see zeroc --help")

    def test_batch_that_ranks_do_not_divide(self):
        config = self.write("ds.json", {"train_batch_size": 100, "train_micro_batch_size_per_gpu": 16})
        self.refuse(f"--ds-config={config}", "--world-size=3",
                    message='"train_batch_size": 100 is not a multiple of 16 ("train_micro_batch_size_per_gpu") x 3 ranks; '
                            "change it or --world-size")

    def test_less_memory_than_it_takes(self):
        self.refuse("--device-memory=1MiB", message="needs 2,234,880 bytes (2.1 MiB) of device memory on each rank, "
                                                    "1,186,304 bytes (1.1 MiB) more than the 1,048,576 bytes (1.0 MiB) "
                                                    "that it may have")

    def test_options_of_the_other_program(self):
        """All options of each program, as both print them."""
        train, zeroc = options_of(self.train("--help").out), options_of(self.zeroc("--help-all").out)
        self.assertGreater(len(train - zeroc), 40)
        self.assertGreater(len(zeroc - train), 30)
        for name in sorted(train - zeroc):
            with self.subTest(name):
                self.refuse(f"--{name}=1", message=f"--{name} is an option of the program that zeroc makes; compile "
                                                   f"without it, then ./train --{name} ...")
        for name in sorted(zeroc - train - {"version", "help-all"}):
            with self.subTest(name):
                self.assert_says(self.train(f"--{name}=1"), f"--{name} is an option of zeroc; compile the model with it")


class Run(Mistakes):
    def setUp(self):
        super().setUp()
        self.data = self.write("text.txt", support.TEXT)

    def refuse(self, *arguments, message, **keywords):
        self.assert_says(self.train(*arguments, **keywords), message)

    def start(self, *more, message, data=None, **keywords):
        self.refuse("--data", data or self.data, "--steps", 2, "--lr", 1e-3, *more, message=message, **keywords)

    def test_ranks(self):
        self.start(ranks=3, options=("--stage=3", "--world-size=2"),
                   message="compiled for 2 ranks, started with 3; run mpirun -n 2 ... or compile with --world-size=3")

    def test_misspelled_option(self):
        self.refuse("--data", self.data, "--stesp", 2, message="unknown option --stesp; did you mean --steps? see")

    def test_no_data(self):
        self.refuse("--steps", 2, "--lr", 1e-3, message="--data is missing; give it a file of text or tokens (see")
        self.start(data="nowhere.bin", message="cannot read nowhere.bin: no such file or directory")

    def test_too_little_data(self):
        short = self.write("short.txt", "x" * 20)
        self.start(data=short, message="has 20 tokens (text bytes), but one sequence needs 33; choose a longer file, or "
                                       "import a model with a shorter --seq")
        some = self.write("some.txt", "x" * 300)
        done = self.train("--data", some, "--steps", 1, "--lr", 1e-3)
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("warning: the data have 9 samples, and a step reads 16: it reads some of them again; give it more "
                      "data", done.err)

    def test_tokens_beyond_the_vocabulary(self):
        tokens = self.folder / "tokens.u16"
        support.write_tokens(tokens, 2000, 1000)
        self.start(data=tokens, message='is not 0 to 255, the vocabulary of input "tokens" (read as raw uint16); choose '
                                        "another --data-format or compile a model with a larger vocabulary")

    def test_text_for_a_model_of_other_tokens(self):
        wide = support.import_model({**support.SMALL, "vocab_size": 2048}, 2, 16)
        self.start(model=wide, message=f"{self.data} is text, and this model reads tokens of a vocabulary of 2,048: make a "
                                       f"file of them, zeroc tokenize {self.data} -o tokens.bin "
                                       "--tokenizer=TOKENIZER.json; if its tokens are bytes, say --data-format=text")
        done = self.train("--data", self.data, "--steps", 1, "--lr", 1e-3, "--data-format", "text", model=wide)
        self.assertEqual(done.returncode, 0, done.err)

    def test_epochs_that_nobody_asked_for(self):
        some = self.write("some.txt", "x" * 163)
        model = support.import_model(support.SMALL, 2, 16)
        done = self.train("--data", some, "--steps", 50, "--lr", 1e-3, model=model)
        self.assertIn("epochs    10: 50 steps read 2 samples each, and the data have 10\n", done.out)
        done = self.train("--data", some, "--steps", 5, "--lr", 1e-3, model=model)
        self.assertNotIn("epochs", done.out)

    def test_options_of_other_trainers(self):
        for option, words in (("--learning_rate=1e-3", "unknown option --learning_rate; it is --lr X here"),
                              ("--max-steps=3", "unknown option --max-steps; it is --steps N here"),
                              ("--bf16", "unknown option --bf16; it is --precision=bf16 of zeroc;"),
                              ("--per_device_train_batch_size=8", "it is --batch=B of zeroc import;"),
                              ("--val_set_size=0.1", "it is --eval-split=PART of zeroc finetune;"),
                              ("--push-to-hub", "it is not supported, because a folder is written, which")):
            with self.subTest(option):
                self.refuse(option, message=words)

    def test_weights_of_another_kind(self):
        self.start("--init", self.data, message="text.txt: not a safetensors file, or cut short: it says its header has ")
        other = support.GOLDEN / "model.safetensors"
        self.start("--init", other, message=f"{other}: tensor head.weight is missing; the file has 28 tensors of another "
                                            "model")

    def test_folder_that_does_not_exist(self):
        self.start("--save", "nowhere/x.safetensors", message="cannot write nowhere/x.safetensors: no such file or "
                                                              "directory in nowhere; choose a folder that exists and is "
                                                              "writable")

    def test_no_folder_for_nvme(self):
        self.start(options=("--offload=nvme",), message="--nvme-path is missing; this plan keeps 614,400 bytes (600.0 "
                                                        "KiB) of each rank on nvme: name a folder on the drive, or "
                                                        "several as A,B")
