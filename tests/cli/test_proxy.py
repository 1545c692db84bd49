#!/usr/bin/env python3
"""tamiz proxy between clients and stub gateways."""

import contextlib
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import threading

import harness
from harness import PATIENCE_SECONDS, check, equal, free_ports, wait_for

HEALTH = b"\x0d\0\0\0\0"
ERROR = 0x21
ERROR_FRAME = bytes([ERROR]) + struct.pack(">I", 14) + b"\x01" + bytes(8) + struct.pack(">I", 1) + b"x"

class Gateway:
    """Answers HEALTH; gives other connections to `serve`, which gets the first bytes."""

    def __init__(self, port, serve=None, healthy=True):
        self.port, self.serve, self.healthy = port, serve, healthy
        self.clients = []
        self.open = []
        self.shy = False
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(4096)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.open.append(connection)
                threading.Thread(target=self.run, args=(connection,), daemon=True).start()

    def run(self, connection):
        with contextlib.suppress(OSError):
            first = connection.recv(1 << 16)
            # A slow reader finds several questions at once; a connection that ends without a word is nobody's.
            if first and not first.startswith(HEALTH):
                self.clients.append(connection)
                (self.serve or self.echo)(connection, first)
                return
            while first:
                if self.shy:
                    connection.sendall(ERROR_FRAME)
                elif self.healthy:
                    connection.sendall(HEALTH)
                first = connection.recv(1 << 16)

    @staticmethod
    def echo(connection, data):
        while data:
            connection.sendall(data)
            data = connection.recv(1 << 16)
        connection.shutdown(socket.SHUT_WR)

    def die(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


class Proxy:
    """Its patience is so long that it leaves nobody for not answering, unless a test says otherwise."""

    def __init__(self, folder, gateways, options="", patience="10m"):
        self.port, self.health = free_ports(2)
        hosts = ", ".join(f"127.0.0.1:{port}" for port in gateways)
        harness.write(
            folder / "cluster.ini",
            f"[gateway]\nhosts = {hosts}\n[proxy]\nlisten = 127.0.0.1:{self.port}\n"
            f"health = 127.0.0.1:{self.health}\npatience = {patience}\n{options}\n",
        )
        self.log = open(folder / "log", "w+b")
        self.process = subprocess.Popen(
            [harness.TAMIZ, "proxy", "--file", folder / "cluster.ini"], stderr=self.log
        )

    def text(self):
        self.log.seek(0)
        return self.log.read().decode()

    def wait_for(self, *parts, times=1):
        """Until its log has each of these so many times."""

        def has_all():
            equal(self.process.poll(), None, self.text())
            return all(self.text().count(part) >= times for part in parts)

        wait_for(lambda: f"{parts} in {self.text()}", has_all)

    def connect(self, say=b"hi"):
        client = socket.create_connection(("127.0.0.1", self.port))
        client.settimeout(PATIENCE_SECONDS)
        if say:
            client.sendall(say)
        return client

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE_SECONDS)
        finally:
            self.process.kill()
            self.log.close()
        equal(status, 0)


def up(port):
    return f"GATEWAY_UP address=127.0.0.1:{port}"


def down(port):
    return f"GATEWAY_DOWN address=127.0.0.1:{port}"


def ended(client):
    try:
        return client.recv(1 << 16) == b""
    except ConnectionResetError:
        return True


def test_clients_are_spread_and_a_dead_gateway_is_left_at_once(folder):
    ports = free_ports(2)
    gateways = [Gateway(port) for port in ports]
    with Proxy(folder, ports) as proxy:
        proxy.wait_for(*map(up, ports))
        clients = [proxy.connect() for _ in range(6)]
        equal([client.recv(10) for client in clients], [b"hi"] * 6)
        equal([len(gateway.clients) for gateway in gateways], [3, 3])
        gateways[0].die()
        left = []
        while len(left) < 3:
            ready, _, _ = select.select(clients, [], [], PATIENCE_SECONDS)
            check(ready, "the clients of a dead gateway are still connected")
            for client in ready:
                check(ended(client))
                clients.remove(client)
                left.append(client)
        proxy.wait_for(down(ports[0]))
        for client in clients:
            client.sendall(b"still")
            equal(client.recv(10), b"still")
        late = [proxy.connect() for _ in range(4)]
        equal([client.recv(10) for client in late], [b"hi"] * 4)
        equal(len(gateways[1].clients), 7)
        gateways[0] = Gateway(ports[0])
        proxy.wait_for(up(ports[0]), times=2)
        back = proxy.connect()
        equal(back.recv(10), b"hi")
        equal(len(gateways[0].clients), 1)


def test_a_gateway_that_does_not_answer_is_left(folder):
    ports = free_ports(2)
    mute, good = [Gateway(port) for port in ports]
    with Proxy(folder, ports, patience="5s") as proxy:
        proxy.wait_for(*map(up, ports))
        clients = [proxy.connect() for _ in range(2)]
        equal([client.recv(10) for client in clients], [b"hi"] * 2)
        mute.healthy = False
        proxy.wait_for(down(ports[0]), "it does not answer")
        equal(len(good.clients), 1)
        ready, _, _ = select.select(clients, [], [], PATIENCE_SECONDS)
        equal(len(ready), 1)
        check(ended(ready[0]))


def test_a_full_gateway_keeps_its_clients_and_gets_no_more(folder):
    ports = free_ports(2)
    full, good = [Gateway(port) for port in ports]
    with Proxy(folder, ports) as proxy:
        proxy.wait_for(*map(up, ports))
        clients = [proxy.connect() for _ in range(2)]
        equal([client.recv(10) for client in clients], [b"hi"] * 2)
        full.shy = True
        proxy.wait_for("GATEWAY_TAKES_NOBODY")
        late = [proxy.connect() for _ in range(4)]
        equal([client.recv(10) for client in late], [b"hi"] * 4)
        for client in clients + late:
            client.sendall(b"more")
            equal(client.recv(10), b"more")
        equal((len(full.clients), len(good.clients)), (1, 5))


def told(client):
    data = b""
    while True:
        more = client.recv(1 << 16)
        if not more:
            break
        data += more
    equal(data[0], ERROR)
    return data


def test_nobody_up_and_too_many_are_told(folder):
    [port] = free_ports(1)
    with Proxy(folder, [port], "connections_max = 3") as proxy:
        proxy.wait_for("LISTENING")
        check(b"no gateway is up" in told(proxy.connect()))
        gateway = Gateway(port)
        proxy.wait_for(up(port))
        clients = [proxy.connect() for _ in range(3)]
        equal([client.recv(10) for client in clients], [b"hi"] * 3)
        check(b"connections_max = 3" in told(proxy.connect()))
        clients.pop().close()
        # As soon as the proxy has seen that.
        wait_for("a place", lambda: proxy.connect().recv(10) == b"hi")
        gateway.die()


def test_bytes_arrive_in_order_both_ways(folder):
    [port] = free_ports(1)
    Gateway(port)
    data = os.urandom(1 << 20) * 32
    with Proxy(folder, [port]) as proxy:
        proxy.wait_for(up(port))
        client = proxy.connect(b"")

        def send():
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        got = bytearray()
        while True:
            more = client.recv(1 << 20)
            if not more:
                break
            got += more
        sender.join()
        check(bytes(got) == data, f"{len(got)} bytes came back")


def test_a_half_closed_connection_still_answers(folder):
    [port] = free_ports(1)
    go_on = threading.Event()

    def serve(connection, data):
        total = len(data)
        while data:
            data = connection.recv(1 << 16)
            total += len(data)
        connection.sendall(b"%d" % total)
        go_on.wait(PATIENCE_SECONDS)
        connection.sendall(b"more")
        connection.close()

    Gateway(port, serve)
    with Proxy(folder, [port]) as proxy:
        proxy.wait_for(up(port))
        client = proxy.connect(b"x" * 100000)
        client.shutdown(socket.SHUT_WR)
        equal(client.recv(100), b"100000")
        go_on.set()
        equal(client.recv(100), b"more")
        equal(client.recv(100), b"")


def test_who_does_not_read_stops_the_other_side(folder):
    [port] = free_ports(1)
    sent = [0]

    def serve(connection, data):
        if data != b"flood":
            Gateway.echo(connection, data)
            return
        piece = bytes(1 << 16)
        while sent[0] < 200 << 20:
            connection.sendall(piece)
            sent[0] += len(piece)

    gateway = Gateway(port, serve)
    with Proxy(folder, [port]) as proxy:
        proxy.wait_for(up(port))
        before = proxy.memory()
        client = proxy.connect(b"flood")
        wait_for("a flood", lambda: sent[0] > 0)
        [flooding] = gateway.clients
        other = proxy.connect()
        equal(other.recv(10), b"hi")

        def stands_still():
            """The gateway cannot send, and while it could not, the proxy did many other things."""
            before = sent[0]
            for _ in range(50):
                if select.select([], [flooding], [], 0)[1] or sent[0] != before:
                    return False
                other.sendall(b"more")
                equal(other.recv(10), b"more")
            return True

        wait_for("it stands still", stands_still)
        check(0 < sent[0] < 64 << 20, f"{sent[0]} bytes went somewhere")
        check(proxy.memory() - before < 4 << 20)
        # It goes on when it is read.
        got = 0
        while got < 100 << 20:
            got += len(client.recv(1 << 20))
        client.close()


def test_idle_connections_are_cheap(folder):
    count = 1500
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4 * count:
        raise harness.Skip("too few open files are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    [port] = free_ports(1)
    held = []
    Gateway(port, lambda connection, data: (held.append(connection), connection.sendall(data)))
    with Proxy(folder, [port]) as proxy:
        proxy.wait_for(up(port))
        before = proxy.memory()
        clients = [proxy.connect() for _ in range(count)]
        for client in clients:
            equal(client.recv(10), b"hi")
        files = len(os.listdir(f"/proc/{proxy.process.pid}/fd"))
        check(files < 2 * count + 250, f"{files} descriptors")
        if not harness.SANITIZED:
            check(proxy.memory() - before < 8 << 20, f"{proxy.memory() - before} bytes")
        for client in clients:
            client.close()


if __name__ == "__main__":
    harness.main(globals())
