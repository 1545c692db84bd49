"""A pseudo-terminal, for what people type."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

from harness import PATIENCE_SECONDS, TAMIZ, check

PROMPT = "tamiz=> "
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|[\x07\x00]|\r")


class Terminal:
    """A program at a terminal of its own; tamiz, if nothing else is said."""

    def __init__(self, folder, *words, columns=80, rows=24, program=TAMIZ, **environment):
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm", "PAGER": "cat", "LANG": "C.UTF-8", **environment}
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execve(program, [program, *words], env)
        self.resize(columns, rows)
        self.seen = ""
        self.raw = ""  # everything, with what moves the cursor and changes colours

    def resize(self, columns, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        """More of what it prints; False when it has left."""
        ready, _, _ = select.select([self.fd], [], [], 1)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data.decode("utf-8", "replace")
        self.seen += ESCAPES.sub("", data.decode("utf-8", "replace"))
        return bool(data)

    def until(self, text):
        """What is printed up to and with the text; it is not looked at again."""
        end = time.monotonic() + PATIENCE_SECONDS
        while text not in self.seen:
            check(self.read() and time.monotonic() < end, f"no {text!r} in {self.seen[-2000:]!r}")
        at = self.seen.index(text) + len(text)
        printed, self.seen = self.seen[:at], self.seen[at:]
        return printed

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def ask(self, line, prompt=PROMPT):
        """Types a line; what is printed before the next prompt."""
        self.type(line + "\r")
        self.until("\n")
        return self.until(prompt)[: -len(prompt)]

    def leave(self, keys="\x04"):
        self.type(keys)
        end = time.monotonic() + PATIENCE_SECONDS
        while self.read():
            check(time.monotonic() < end, "it does not leave")
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
