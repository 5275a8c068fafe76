"""An installed zeroc, and an external project that builds against it."""
import os
import shutil
import subprocess

import support


class Install(support.Case):
    def cmake(self, *arguments):
        done = subprocess.run(["cmake", *map(str, arguments)], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_project_outside(self):
        """find_package finds it, also after the installation was moved, as from an archive."""
        prefix, moved, build = (self.folder / name for name in ("first", "moved", "build"))
        self.cmake("--install", support.BUILD, "--prefix", prefix)
        prefix.rename(moved)
        self.cmake("-S", support.ROOT / "test/install", "-B", build, f"-DCMAKE_PREFIX_PATH={moved}",
                   "-DCMAKE_BUILD_TYPE=Release")
        self.cmake("--build", build)
        data = self.folder / "text.bin"
        data.write_bytes(bytes(range(32, 127)) * 40)
        # Nothing of the build folder is needed.
        done = self.run_ok(build / "training/train-outside", "--data", data, "--data-format", "text",
                           "--steps", 3, "--lr", 1e-3, env=support.MPI_ENVIRONMENT)
        self.assertIn("options   --optimizer=adamw", done.out)
        self.assertIn("--offload-optimizer=cpu --offload-params=cpu", done.out)
        installed = sorted(str(path.relative_to(moved)) for path in moved.rglob("*") if path.is_file())
        for name in ("bin/zeroc", "bin/zero-opt", "lib/cmake/zeroc/zerocConfig.cmake", "include/zeroc/abi/zrt.h",
                     "lib/zeroc/machines/h100.json"):
            self.assertIn(name, installed)

    def test_a_broken_installation(self):
        """The error names the missing file and the searched places."""
        prefix = self.folder / "bin"
        prefix.mkdir()
        shutil.copy(support.ZEROC, prefix)
        model = support.import_model(support.SMALL, 1, 16)
        done = support.run(prefix / "zeroc", model, "-o", self.folder / "train",
                           env={name: value for name, value in os.environ.items() if name != "ZRT_LIB_DIR"})
        self.assert_refused(done, "the runtime's zrt_program is not in", "lib/zeroc nor in")

    def test_version(self):
        done = self.run_ok(support.ZEROC, "--version")
        self.assertRegex(done.out, r"^zeroc \d+\.\d+, LLVM 22\.\d+\.\d+\n$")
