"""A training program is one file, and starts its ranks itself."""
import os
import shutil
import signal
import subprocess
import time

import support


class OneFile(support.Case):
    def test_needs_no_compiler_and_no_folder(self):
        """It is compiled with an empty PATH, and runs when only the program is left."""
        model = support.import_model(support.SMALL, 2, 16)
        built = self.folder / "build" / "train"
        built.parent.mkdir()
        self.run_ok(support.ZEROC, model, "-o", built, env={"PATH": "/nowhere"})
        moved = self.folder / "moved"
        built.rename(moved)
        shutil.rmtree(built.parent)
        support.write_tokens(self.folder / "tokens.u16", 600, 256)
        self.run_ok(moved, "--data", "tokens.u16", "--steps", 2, "--lr", "1e-3", env={"PATH": "/nowhere"})

    def test_without_its_plan_says_so(self):
        program = self.folder / "train"
        shutil.copy(support.compile_gpt2(support.SMALL, 2, 16), program)
        self.run_ok("strip", program)
        self.assert_refused(support.run(program, "--help"), "train: error: this program has no plan", "strip", status=1)
        # The installed program of the runtime.
        self.assert_refused(support.run(support.BUILD / "lib" / "zrt_program"), "no plan", status=1)

    def test_keeps_its_plan_where_streams_are_closed(self):
        """Output must not go to the plan's file, which takes the first free descriptor."""
        program = support.compile_gpt2(support.SMALL, 2, 16)
        support.write_tokens(self.folder / "tokens.u16", 600, 256)
        self.run_ok("sh", "-c", f"{program} --data tokens.u16 --steps 3 --lr 1e-3 --save all <&- >&- 2>&-")
        self.run_ok(program, "--data", "tokens.u16", "--steps", 3, "--lr", "1e-3", "--save", "open")
        self.assert_same_bytes(self.folder / "all", self.folder / "open")

    def test_that_may_write_no_file_says_so(self):
        done = support.run("sh", "-c", f"ulimit -f 1; exec {support.compile_gpt2(support.SMALL, 2, 16)} --help")
        self.assert_refused(done, "cannot keep plan.so", "file too large", status=1)

    def test_that_is_cut_off_says_so(self):
        whole = support.compile_gpt2(support.SMALL, 2, 16).read_bytes()
        program = self.write("train", whole[:-100])
        program.chmod(0o755)
        self.assert_refused(support.run(program, "--help"), "no plan", status=1)


class Ranks(support.Case):
    def setUp(self):
        super().setUp()
        self.binary = support.compile_gpt2(support.SMALL, 2, 16, "--stage=3", "--world-size=2")
        self.data = self.folder / "tokens.u16"
        support.write_tokens(self.data, 600, 256)
        #: Without the variables of a launcher that this test may run under.
        self.alone = {name: value for name, value in os.environ.items()
                      if not name.startswith(("OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE"))}

    def command(self, steps, *options):
        return [str(self.binary), "--data", str(self.data), "--steps", str(steps), "--lr", "1e-3", *options]

    def test_have_the_bits_of_other_launchers(self):
        weights = {}
        for name, launcher in (("alone", []), ("mpirun", ["mpirun", "-n", "2"])):
            self.run_ok(*launcher, *self.command(4, "--save", name), env=support.MPI_ENVIRONMENT)
            weights[name] = (self.folder / name).read_bytes()
        self.assertTrue(weights["alone"] == weights["mpirun"])

    def test_save_when_the_process_that_started_them_is_stopped(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                metrics = self.folder / f"{status}.jsonl"
                process = subprocess.Popen(self.command(10**6, "--metrics", str(metrics), "--save", str(status)),
                                           cwd=self.folder, env=self.alone, stdout=subprocess.DEVNULL)
                self.addCleanup(process.kill)
                for _ in range(3000):
                    if metrics.exists() and metrics.read_bytes().count(b"\n") > 1:
                        break
                    time.sleep(0.02)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), status)
                self.assertTrue((self.folder / str(status)).exists())

    def test_save_when_a_signal_comes_to_all_processes(self):
        """A rank gets it twice: directly, and from the process that started it."""
        metrics = self.folder / "all.jsonl"
        process = subprocess.Popen(self.command(10**6, "--metrics", str(metrics), "--save", "saved"), cwd=self.folder,
                                   env=self.alone, stdout=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        for _ in range(3000):
            if metrics.exists() and metrics.read_bytes().count(b"\n") > 1:
                break
            time.sleep(0.02)
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as children:
            for pid in (*map(int, children.read().split()), process.pid):
                os.kill(pid, signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 143)
        self.assertTrue((self.folder / "saved").exists())

    def test_refuse_an_option_once(self):
        done = support.run(self.binary, "--steps", "1", "--lr", "x", env=self.alone)
        self.assert_refused(done, "--lr", status=2)
        self.assertEqual(done.err.count("error:"), 1)

    def test_of_several_hosts_need_mpi(self):
        """A zeroc that was built without MPI makes programs that say so under mpirun."""
        library = self.folder / "lib"
        library.mkdir()
        shutil.copy(support.BUILD / "lib" / "zrt_program", library)
        model = support.import_model(support.SMALL, 2, 16)
        self.binary = self.folder / "train"
        self.run_ok(support.ZEROC, model, "--world-size=2", "-o", self.binary, env={"ZRT_LIB_DIR": str(library)})
        self.run_ok(*self.command(2))
        done = support.run("mpirun", "-n", "2", *self.command(2), env=support.MPI_ENVIRONMENT)
        self.assert_refused(done, "started by mpirun or srun, but the zeroc that made this program was built without "
                                  "MPI; start it without them on one host, or install Open MPI")
