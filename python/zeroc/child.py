"""Runs the programs that a command consists of, and hands on to them the signals that end it.

Ctrl-C in a terminal reaches the program by itself; a batch system, or `kill`, may signal the command alone.  A training
program takes two signals within a second for one, so it gets each at once.  Another one has ended by the first, or gets
it a moment later: twice would end it before it has removed what it was writing.
"""
from __future__ import annotations

import signal
import subprocess
import threading

HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
#: Seconds in which a program ends by a signal that it got, too.
MOMENT = 1.0


def how_ended(status):
    """Of a program, as the rest of a sentence."""
    if status >= 0:
        return f"with status {status}"
    return (f"by signal {signal.Signals(-status).name}" +
            ("; if nobody has sent it, the machine ran out of memory" if status == -signal.SIGKILL else ""))


def run_program(command, quiet, trains):
    """(What a command prints if it is `quiet`, its status as a shell has it).  After a signal the status is not 0."""
    program, noted = None, []

    def hand_on(number):
        if number == signal.SIGINT and not trains:
            later = threading.Timer(MOMENT, program.send_signal, [number])
            later.daemon = True
            later.start()
        else:
            program.send_signal(number)

    def note(number, _):
        noted.append(number)
        if program:
            hand_on(number)

    # Under nohup SIGHUP stays ignored.
    before = {number: signal.signal(number, note) for number in HANDED_ON
              if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN}
    try:
        program = subprocess.Popen(command, stdout=subprocess.PIPE if quiet else None, text=True, errors="replace")
        for number in [*noted]:
            hand_on(number)
        text, _ = program.communicate()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    status = program.returncode
    return text, 128 - status if status < 0 else status or (128 + noted[0] if noted else 0)
