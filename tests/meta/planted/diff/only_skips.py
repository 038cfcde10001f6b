# SPDX-License-Identifier: MIT
"""Planted: nothing runs, and a reason is given."""
print("skip one: planted")
