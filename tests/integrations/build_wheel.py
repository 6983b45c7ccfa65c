"""Builds the wheel of tools/python, and installs it in FOLDER without its dependencies.

  build_wheel.py FOLDER

If a package is missing, prints its name and exits with status 77.
"""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "tools" / "python"
SKIPPED = 77


def run(*arguments):
    subprocess.run([sys.executable, *arguments], check=True)


def main(folder):
    for package in ("pip", "setuptools", "wheel"):
        if importlib.util.find_spec(package) is None:
            print(f"THE WHEEL IS NOT TESTED: python3-{package} is missing; tools/setup.sh tests installs it")
            return SKIPPED
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        copy = shutil.copytree(SOURCES, pathlib.Path(work, "sources"))  # the build writes into it
        pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
        run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", work, copy)
        (wheel,) = pathlib.Path(work).glob("tandem_voice-*.whl")
        run(*pip, "install", "--no-deps", "--no-index", "--no-compile", "--target", folder, wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
