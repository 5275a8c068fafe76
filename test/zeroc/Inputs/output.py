"""Tests zeroc -o with modes, links and pipes: output.py FOLDER MODEL"""

import os
import stat
import subprocess
import sys
import threading

folder, model = sys.argv[1:]
os.chdir(folder)


def compile_to(name, umask=0o027):
    subprocess.run(["zeroc", model, "-o", name], check=True,
                   stdout=subprocess.DEVNULL, umask=umask)


def mode(name):
    return stat.S_IMODE(os.stat(name).st_mode)


compile_to("new")
assert mode("new") == 0o750, oct(mode("new"))

os.chmod("new", 0o600)
compile_to("new")
assert mode("new") == 0o700, oct(mode("new"))

os.symlink("new", "link")
before = os.stat("new").st_ino
refused = subprocess.run(["zeroc", model, "-o", "link"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
assert refused.returncode == 1 and b"it is a link to a file" in refused.stderr
assert os.path.islink("link") and os.stat("new").st_ino == before

os.mkfifo("pipe")
got = []
reader = threading.Thread(target=lambda: got.append(open("pipe", "rb").read()))
reader.start()
compile_to("pipe")
reader.join()
assert got[0] == open("new", "rb").read()
assert stat.S_ISFIFO(os.stat("pipe").st_mode)
