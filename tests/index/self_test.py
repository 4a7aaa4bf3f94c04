#!/usr/bin/env python3
"""Tests of the test tool itself, with the pip of the Python that runs this. Takes about two minutes. Examples:

    tests/index/self_test.py
    tests/index/self_test.py Faults.test_redirects

Shapes of HTML that this pip does not read are printed as they are found.
"""

import unittest

from test_faults import Faults, Tls
from test_index import Index, ManyVersions
from test_nights import Nights
from test_wheels import HostileWheels, Wheels

__all__ = ["Faults", "HostileWheels", "Index", "ManyVersions", "Nights", "Tls", "Wheels"]

if __name__ == "__main__":
    unittest.main()
