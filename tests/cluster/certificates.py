"""Authorities and certificates for tests, made with openssl."""

import subprocess

CONFIG = """
[ca]
default_ca = own
[own]
dir = {folder}
new_certs_dir = {folder}
database = {folder}/index.txt
serial = {folder}/serial
certificate = {folder}/ca.pem
private_key = {folder}/ca.key
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
"""


def openssl(*words):
    done = subprocess.run(
        ["openssl", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 0, f"openssl {words}: {done.stdout.decode()}"
    return done.stdout.decode()


def new_key(file):
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file)


class Authority:
    def __init__(self, folder):
        self.folder, self.cert = folder, folder / "ca.pem"
        folder.mkdir()
        (folder / "index.txt").touch()
        (folder / "serial").write_text("01\n")
        (folder / "openssl.cnf").write_text(CONFIG.format(folder=folder))
        new_key(folder / "ca.key")
        openssl("req", "-x509", "-new", "-key", folder / "ca.key", "-subj", f"/CN={folder.name}", "-days", "30", "-out", self.cert)

    def issue(self, name, names="IP:127.0.0.1", expired=False):
        """Files (certificate, key); `names` as the extension subjectAltName has them."""
        cert, key, request = (self.folder / f"{name}.{suffix}" for suffix in ("pem", "key", "csr"))
        new_key(key)
        openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}", "-out", request)
        dates = ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"] if expired else ["-days", "30"]
        openssl("ca", "-batch", "-notext", "-config", self.folder / "openssl.cnf", *dates, "-in", request, "-out", cert)
        return cert, key
