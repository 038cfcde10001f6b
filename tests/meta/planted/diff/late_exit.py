# SPDX-License-Identifier: MIT
"""Planted: every test passes, then the script breaks off."""
print("ok one")
raise SystemExit(1)
