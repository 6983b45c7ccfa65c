"""Runs one of the tests in this folder. If a package is missing, prints its name and exits with status 77.

  run_test.py voice_client_test
"""

import importlib.util
import sys
import unittest

SKIPPED = 77

if sys.version_info < (3, 11):
    print(f"SKIPPED: python3 is {sys.version.split()[0]}; the tests need 3.11 or newer")
    sys.exit(SKIPPED)
for package in ("websockets", "aiohttp"):
    if importlib.util.find_spec(package) is None:
        print(f"SKIPPED: python3-{package} is missing; tools/setup.sh tests installs it")
        sys.exit(SKIPPED)

unittest.main(module=None, argv=["run_test.py", sys.argv[1]])
