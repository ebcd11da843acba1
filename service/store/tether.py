"""Run a program that does not outlive the process that started it (Linux).

Started as ``python -I -S tether.py PARENT_PID PROGRAM ARGUMENT...``: it asks the kernel for SIGTERM on the
death of its parent and becomes the program, under the same process id. Doing this between fork and exec
instead would run Python code in a forked copy of a process with threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent_pid: int, program: list[str]) -> None:
    """Become ``program``, tied to the life of the parent."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent_pid:
        # It died before the request was made, so that no signal will come.
        sys.exit(1)
    os.execv(program[0], program)  # noqa: S606 -- a list, no shell


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
