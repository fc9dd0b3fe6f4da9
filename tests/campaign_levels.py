#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""
campaign.py on fabrics of three levels; it takes the same options.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import campaign  # noqa: E402

if __name__ == "__main__":
    sys.exit(campaign.main(["--levels", "3"], ["1:231", "92:153", "92:195"]))
