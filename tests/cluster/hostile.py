"""Bytes that no honest client sends: noise, frames and requests that were changed, lengths that lie, floods, halves."""

import os
import pathlib
import random
import socket
import struct
import time

SEEDS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "seeds"
KINDS = [*range(0x01, 0x0E), *range(0x20, 0x27)]
REQUEST = 0x08
HEALTH = bytes.fromhex("0d 00 00 00 00")
# Frames that one connection sends at most.
FRAMES_MAX = 12
ANSWER_SECONDS = 0.2


def frame(kind, value, length=None):
    return struct.pack(">BI", kind, len(value) if length is None else length) + value


def hello(version, token):
    return frame(0x20, struct.pack(">HI", version, len(token)) + token.encode())


def mutate(rng, data):
    """Some bits, bytes, lengths and ends other than they were."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(7):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1 if data:
                data[at % len(data)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
            case 2:
                data[at:at] = rng.randbytes(rng.randrange(1, 9))
            case 3:
                del data[at : at + rng.randrange(1, 9)]
            case 4:
                data[at : at + 4] = struct.pack(">I", rng.choice((0, 1, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)))
            case 5:
                data[at:at] = data[rng.randrange(len(data) + 1) :][: rng.randrange(1, 200)]
            case 6:
                del data[at:]
    return bytes(data)


class Clients:
    """Frames of clients, behind one of several greetings. `opens`: with some of them they open jobs."""

    def __init__(self, greetings, opens=True):
        self.greetings = greetings
        # What the fuzzer of the decoder begins with: a frame of each kind, one after the other.
        seeds = [seed for path in sorted((SEEDS / "wire").iterdir()) for seed in self.cut(path.read_bytes())]
        self.seeds = [seed for seed in seeds if opens or seed[0] != REQUEST]

    @staticmethod
    def cut(data):
        found = []
        while len(data) >= 5:
            size = 5 + struct.unpack(">I", data[1:5])[0]
            found.append(data[:size])
            data = data[size:]
        return found

    def broken(self, rng):
        match rng.randrange(6):
            case 0:
                return frame(rng.choice(KINDS), rng.randbytes(rng.randrange(200)))
            case 1:
                return frame(rng.randrange(256), rng.randbytes(rng.randrange(60)), rng.choice((0, 4000, 0x04FFFFFF, 0xFFFFFFFF)))
            case _:
                return mutate(rng, rng.choice(self.seeds))

    def one(self, rng):
        match rng.randrange(6):
            case 0 | 1:
                return rng.choice(self.seeds)
            case 2:
                return HEALTH + frame(0x25, b"")
            case 3 | 4:
                # Of a job that nobody opened, as far as the decoder is concerned in order.
                job = struct.pack(">Q16s", rng.getrandbits(64), rng.randbytes(16))
                number = struct.pack(">I", 1)
                return rng.choice(
                    (
                        frame(0x01, number + job + struct.pack(">BIII", rng.randrange(3), rng.randrange(5), 0, 0) + b"n\n1\n"),
                        frame(0x02, number + job + struct.pack(">BI", rng.randrange(3), rng.randrange(5))),
                        frame(0x03, number + job),
                        frame(0x09, job + struct.pack(">II", rng.randrange(3), rng.randrange(3))),
                        frame(0x0C, job),
                        frame(0x23, number + job),
                    )
                )
            case _:
                return frame(0x25, b"")

    def __call__(self, rng):
        """Nothing is read behind a frame that makes no sense: it is the last one, as a rule."""
        frames = [rng.choice(self.greetings)]
        if rng.random() < 0.1:
            return [mutate(rng, frames[0]), self.broken(rng)]
        frames += [self.one(rng) for _ in range(rng.randrange(FRAMES_MAX))]
        frames += [self.broken(rng) for _ in range(rng.choice((1, 1, 1, 2)))]
        return frames


class Requests:
    """HTTP, for pages of health and the console."""

    PATHS = ["/", "/health", "/ready", "/status", "/metrics", "/api/cluster", "/api/jobs", "/app.js", "/?key=", "/../etc/passwd"]
    METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "\x00"]

    def one(self, rng):
        path = rng.choice(self.PATHS) + rng.choice(("", "", "%00", "?" + "a=b&" * rng.randrange(300), "/" * rng.randrange(3000)))
        body = rng.randbytes(rng.choice((0, 0, 10, 3000)))
        heads = [f"Host: {rng.choice(('127.0.0.1', 'x', 'a' * 5000, ''))}"]
        if body:
            heads.append(f"Content-Length: {rng.choice((len(body), 0, -1, 2**64, len(body) + 5))}")
        if rng.random() < 0.2:
            heads.append(rng.choice(("Transfer-Encoding: chunked", "Cookie: " + "k=v; " * 500, "X" * 3000 + ": y", ": :", "Range: bytes=0-")))
        text = f"{rng.choice(self.METHODS)} {path} HTTP/{rng.choice(('1.1', '1.1', '1.0', '0.9', '9.9', ''))}\r\n"
        return (text + "".join(f"{head}\r\n" for head in heads) + "\r\n").encode() + body

    def __call__(self, rng):
        requests = [self.one(rng) for _ in range(rng.randrange(1, 8))]
        return [mutate(rng, request) if rng.random() < 0.5 else request for request in requests]


class Lines:
    """What watchers might say to each other, without a proof, or with the wrong one."""

    SEEDS = [b"HELLO 2 tamiz 1", b"ASK 7", b"ANSWER 7", b"LEADER 18446744073709551615", b"TALLY reducer-0 1 2 x", b"PING", b""]

    def __call__(self, rng):
        lines = []
        for _ in range(rng.randrange(1, 8)):
            line = rng.choice((b"", b"0" * 32 + b" ", rng.randbytes(16).hex().encode() + b" ")) + rng.choice(self.SEEDS)
            lines.append((mutate(rng, line) if rng.random() < 0.5 else line) + rng.choice((b"\n", b"\n", b"\r\n", b"")))
        return lines


class Noise:
    def __call__(self, rng):
        return [rng.randbytes(rng.randrange(1, 20000))]


def visit(port, parts, rng):
    """One connection: sends it all, or half of it, listens for a moment or not at all, and goes, one way or the other."""
    with socket.create_connection(("127.0.0.1", port), 20) as to:
        to.settimeout(20)
        if rng.random() < 0.1:
            to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for part in parts:
            to.sendall(part)
        if rng.random() < 0.6:
            to.shutdown(socket.SHUT_WR)
            to.settimeout(ANSWER_SECONDS)
            while to.recv(65536):
                pass


def attack(targets, seed, frames, rate, told):
    """A process: so many frames, by turns to all of `targets`, which are (port, maker). `rate`: in a second; 0: as they go.
    Adds to `told`, an array of numbers: frames, connections, connections that were not taken."""
    os.nice(19)
    rng = random.Random(seed)
    sent, began = 0, time.monotonic()
    while sent < frames:
        port, maker = rng.choice(targets)
        parts = maker(rng)
        try:
            visit(port, parts, rng)
        except ConnectionRefusedError:
            told[2] += 1
            parts = []
        except OSError:
            pass  # thrown out, or nothing to hear
        sent += len(parts)
        told[0] += len(parts)
        told[1] += 1
        if rate and sent > rate * (time.monotonic() - began):
            time.sleep(sent / rate - (time.monotonic() - began))
