"""Stops zeroc while it links: interrupt.py FOLDER MODEL

The linker is a script that records its process and waits, so that every signal arrives when the
compiler's objects exist.
"""

import os
import shutil
import signal
import subprocess
import sys
import time

folder, model = sys.argv[1:]


def wait_for(condition, what):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    sys.exit("waited a minute for " + what)


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/tmp")
    os.makedirs(folder + "/out")
    mark, linker = folder + "/mark", folder + "/linker"
    with open(linker, "w") as out:
        out.write(f'#!/bin/sh\necho $$ > {mark}.new\nmv {mark}.new {mark}\nexec sleep 120\n')
    os.chmod(linker, 0o755)
    with open(folder + "/out/train", "w") as out:
        out.write("old, of zeroc: zrtfile1")
    compiler = subprocess.Popen(
        ["zeroc", model, "-o", folder + "/out/train"],
        env={**os.environ, "TMPDIR": folder + "/tmp", "ZERO_LINKER": linker},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        # The environment of the tests may ignore the signal.
        preexec_fn=lambda: number != signal.SIGKILL and signal.signal(number, signal.SIG_DFL))
    wait_for(lambda: os.path.exists(mark), "the linker")
    assert len(os.listdir(folder + "/tmp")) == 1, "nothing to leave behind"
    compiler.send_signal(number)
    assert compiler.wait() != 0
    # The linker did not get the signal, and writes its output.
    os.kill(int(open(mark).read()), signal.SIGTERM)
    wait_for(lambda: not os.listdir(folder + "/tmp"), f"the end of the folder after {number!r}")
    assert os.listdir(folder + "/out") == ["train"]
    assert open(folder + "/out/train").read() == "old, of zeroc: zrtfile1"
