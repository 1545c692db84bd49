"""What `make install` puts where, and Debian packages: their contents, and the same bytes from the same tree."""

import configparser
import os
import pathlib
import re
import shutil
import subprocess

from harness import BUILD, ROOT, TAMIZ, Skip, check, equal, main


def make(*words, env=None, umask=0o022):
    """Of what is built already: nothing is compiled."""
    command = ["make", "-s", "-o", f"{BUILD}/tamiz", f"BUILD={BUILD}", "PACKAGES=no", *map(str, words)]
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**environment, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        umask=umask,
        check=False,
    )
    equal(done.returncode, 0, done.stdout.decode())
    return done.stdout.decode()


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_install_and_uninstall(folder):
    root = folder / "root"
    make("install", f"DESTDIR={root}", "PREFIX=/opt/tamiz", umask=0o077)
    installed = files(root)
    wanted = {"opt/tamiz/bin/tamiz", "opt/tamiz/share/doc/tamiz/LICENSE"}
    wanted |= {f"opt/tamiz/share/doc/tamiz/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    wanted.add("opt/tamiz/share/doc/tamiz/examples/cluster.ini")
    check(wanted <= set(installed), wanted - set(installed))
    wanted |= {"opt/tamiz/lib/systemd/system/tamiz@.service", "opt/tamiz/lib/sysusers.d/tamiz.conf", "opt/tamiz/lib/tmpfiles.d/tamiz.conf"}
    check(wanted <= set(installed), wanted - set(installed))
    about = (root / "opt/tamiz/share/pkgconfig/tamiz.pc").read_text()
    check("prefix=/opt/tamiz\n" in about and "@" not in about, about)
    check(not any("/tests/" in name or name.endswith((".c", ".o")) for name in installed), installed)
    for name in installed:
        equal(oct((root / name).stat().st_mode), "0o100755" if "/bin/" in name else "0o100644", name)
    version = subprocess.run([root / "opt/tamiz/bin/tamiz", "--version"], stdout=subprocess.PIPE, check=True).stdout
    check(version.startswith(b"tamiz "), version)
    check(f"Version: {version.decode().split()[1]}\n" in about, about)
    make("uninstall", f"DESTDIR={root}", "PREFIX=/opt/tamiz")
    equal(files(root), [])


def test_the_example_is_a_cluster_file(folder):
    """As far as a node gets with it here: it has everything but the password."""
    done = subprocess.run(
        [TAMIZ, "node", "reducer-9", "--file", ROOT / "packaging" / "cluster.ini"],
        env={**os.environ, "TAMIZ_BROKER_PASSWORD": "x"},
        stderr=subprocess.PIPE,
        check=False,
    )
    check(b'has no node "reducer-9"' in done.stderr, done.stderr)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "packaging" / "cluster.ini")
    equal(parser["cluster"]["state"], "/var/lib/tamiz")


def deb(folder, **more):
    make("deb", f"DEBS={folder}", **more)
    (package,) = folder.glob("tamiz_*.deb")
    return package


def test_a_package_is_the_same_bytes_again(folder):
    if not shutil.which("dpkg-shlibdeps"):
        raise Skip("no dpkg-dev on this machine")
    one = deb(folder / "one")
    other = deb(folder / "other", env={"TZ": "Asia/Tokyo", "LC_ALL": "C"}, umask=0o077)
    check(one.read_bytes() == other.read_bytes(), "two packages of the same files differ")
    fields = subprocess.run(["dpkg-deb", "-f", one], stdout=subprocess.PIPE, check=True).stdout.decode()
    version = subprocess.run([TAMIZ, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().split()[1]
    check(f"Version: {version}-1\n" in fields, fields)
    # Also what is loaded only when it is needed.
    for library in ("libpg-query", "libzip", "librabbitmq", "libmicrohttpd", "libssl3"):
        check(re.search(rf"Depends: .*\b{library}", fields), fields)
    listing = subprocess.run(["dpkg-deb", "-c", one], stdout=subprocess.PIPE, check=True).stdout.decode()
    check(all(line.split()[1] == "root/root" for line in listing.splitlines()), listing)
    if shutil.which("lintian"):
        done = subprocess.run(["lintian", "--fail-on", "error", one], stdout=subprocess.PIPE, check=False)
        equal(done.returncode, 0, done.stdout.decode())


def test_what_an_image_is_made_of(folder):
    """The final stage runs as nobody's root, and what it copies exists."""
    lines = (ROOT / "packaging" / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    froms = [at for at, step in enumerate(steps) if step[0] == "FROM"]
    for kind, rest in steps[: froms[-1]]:
        if kind == "COPY":
            check((ROOT / rest.split()[0]).exists(), rest)
    final = dict(steps[froms[-1] :])
    check(re.fullmatch(r"[1-9]\d*:[1-9]\d*", final["USER"]), final)
    equal(final["ENTRYPOINT"], '["/usr/bin/tamiz"]')
    check(".git" in (ROOT / ".dockerignore").read_text().split(), "the image would have the history")


main(globals())
