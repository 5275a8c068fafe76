"""A command in a terminal of its own, for tests of what is shown there and of Ctrl-C."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, command, environment, folder):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 400, 0, 0))  # no line is broken

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment,
                                      preexec_fn=take_terminal)
        os.close(slave)
        self.seen = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, text, seconds=60):
        """Returns what is printed up to a text, which is taken with it."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            if time.monotonic() > end or not self.more(end):
                raise AssertionError(f"{text!r} is not in {self.seen!r}")
        before, _, self.seen = self.seen.partition(text)
        return before

    def more(self, end):
        if not select.select([self.master], [], [], max(0.0, end - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:  # the other side is closed
            return False
        self.seen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)

    def close(self):
        """The status, once the command has ended."""
        end = time.monotonic() + 60
        while self.more(end):
            pass
        status = self.child.wait(60)
        os.close(self.master)
        return status
