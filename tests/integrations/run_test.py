"""Runs one of the tests in this folder. If a PACKAGE is missing, prints its name and exits with status 77.

  run_test.py TEST PACKAGE...
  run_test.py session_test websockets tandem_voice
"""

import importlib.util
import sys
import unittest

SKIPPED = 77

if sys.version_info < (3, 11):
    print(f"IS NOT TESTED: python3 is {sys.version.split()[0]}; the tests need 3.11 or newer")
    sys.exit(SKIPPED)
for package in sys.argv[2:]:
    if importlib.util.find_spec(package) is None:
        by = "build_wheel.py" if package == "tandem_voice" else "tools/setup.sh tests"
        print(f"IS NOT TESTED: {package} is missing; {by} installs it")
        sys.exit(SKIPPED)

unittest.main(module=None, argv=["run_test.py", sys.argv[1]])
