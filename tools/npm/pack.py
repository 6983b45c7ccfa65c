"""Packs tandem-voice as npm does, with its types."""

import argparse
import gzip
import io
import json
import tarfile
from pathlib import Path

import yaml

from message_types import types_of

SOURCES = Path(__file__).parent


def files_of(description):
    """Name and content of each file of the package."""
    kept = [file for file in SOURCES.iterdir() if file.suffix in (".js", ".ts", ".json", ".md")]
    files = {file.name: file.read_bytes() for file in kept}
    files["messages.d.ts"] = types_of(yaml.safe_load(description)).encode()
    return sorted(files.items())


def packed(files):
    """Packs the same files into the same bytes."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in files:
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(archive.getvalue(), mtime=0)


def main(description, folder):
    about = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))
    package = folder / f"{about['name']}-{about['version']}.tgz"
    package.write_bytes(packed(files_of(description.read_text(encoding="utf-8"))))
    print(package)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("description", type=Path, help="docs/voice.asyncapi.yaml")
    parser.add_argument("folder", type=Path, help="folder for the package")
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))
