#!/usr/bin/env python3
"""The page of `tamiz ui` in a real Chromium (ui.mjs). Pictures of it go to the folder $PICTURES, if there is one."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from browser import HERE, Skip, clean_up_when_told_to_end, drive, find_browser
from harness import TAMIZ, write

SHOPS = """city,sales,opened
Lugo,10,2024-01-02
Lugo,30,2024-02-03
Lugo,50,2024-03-04
Vigo,15,2024-01-05
Vigo,25,2024-04-06
Avilés,,2024-05-07
"""


def payloads():
    """What payloads.mjs has, as node says it."""
    told = subprocess.run(
        ["node", "--input-type=module", "-e", f"import {{ payloads }} from '{HERE / 'payloads.mjs'}'; console.log(payloads.join('\\n'))"],
        stdout=subprocess.PIPE,
        check=True,
    )
    return told.stdout.decode().splitlines()


def csv_line(fields):
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields) + "\n"


def main():
    clean_up_when_told_to_end()
    try:
        find_browser()
    except Skip as reason:
        print(f"skip a_browser {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="tamiz-ui-") as folder:
        data = pathlib.Path(folder)
        write(data / "shops.csv", SHOPS)
        write(data / "payloads.csv", csv_line(payloads()) * 2)
        server = subprocess.Popen([TAMIZ, "ui", folder, "--header", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        try:
            address = server.stdout.readline().decode().strip()
            return drive("ui.mjs", address, os.environ.get("PICTURES", ""))
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate()


if __name__ == "__main__":
    sys.exit(main())
