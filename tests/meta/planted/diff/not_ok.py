# SPDX-License-Identifier: MIT
"""Planted: one of two tests fails and the script ends with status 0."""
print("ok one")
print("not ok two: planted")
