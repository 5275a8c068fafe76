# lit tests: one file per pass, one function per behaviour.
#
# Each file is one test.  Its RUN lines find zeroc, zero-opt, zero-gradcheck, FileCheck and not on
# the PATH.  Unit and end-to-end tests have their own runners; see run.sh.
#
# Started in the source tree (`lit-22 test/passes/x.mlir`) they use the build folder
# that ZERO_BUILD_DIR names, or build/release.
import os
import subprocess
import sys

import lit.formats

if not hasattr(config, "zero_binary_dir"):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    site = os.path.join(os.environ.get("ZERO_BUILD_DIR", os.path.join(root, "build", "release")),
                        "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal(f"{site} does not exist; build first (cmake --preset release && cmake --build "
                         "build/release), or set ZERO_BUILD_DIR")
    lit_config.load_config(config, site)  # which comes here again
    sys.exit()

config.name = "zeroc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "e2e", "foreign", "fuzz", "golden", "sanitize", "unit"]
config.test_source_root = os.path.join(config.zero_source_dir, "test")
config.test_exec_root = os.path.join(config.zero_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.zero_binary_dir, "bin"),
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)
# Builds with assertions print the decisions of passes.
listed = subprocess.run(
    [os.path.join(config.zero_binary_dir, "bin", "zero-opt"), "--help-hidden"],
    capture_output=True, text=True,
)
if "--debug-only=" in listed.stdout:
    config.available_features.add("debug-only")

# The lint of machine code needs ptxas and nvdisasm.
lint = f"env CUDA_HOME={os.environ.get('CUDA_HOME', '')} ZERO_BUILD_DIR={config.zero_binary_dir} " \
       f"python3 {config.test_source_root}/sass/lint.py"
config.substitutions.append(("%lint", lint))
if subprocess.run(f"{lint} --tools", shell=True, capture_output=True, env=config.environment).returncode == 0:
    config.available_features.add("sass")

# The model of collectives needs SPIN; there is another program with this name.
try:
    said = subprocess.run(["spin", "-V"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
except OSError:
    said = ""
if said.startswith("Spin Version"):
    config.available_features.add("spin")

# A test that hangs is a failure, not the end of the run.  `lit --timeout=N` gives
# slower builds more.
if lit_config.maxIndividualTestTimeIsSupported[0] and not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = 300

config.substitutions.append(("%build", config.zero_binary_dir))
config.substitutions.append(("%each", f"python3 {config.test_source_root}/Inputs/each.py"))
config.substitutions.append(("%examples", os.path.join(config.zero_source_dir, "examples")))
config.substitutions.append(("%llvm_include", os.path.join(os.path.dirname(config.llvm_tools_dir), "include")))
config.substitutions.append(("%golden", os.path.join(config.zero_source_dir, "test", "golden")))
