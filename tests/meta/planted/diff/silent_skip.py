# SPDX-License-Identifier: MIT
"""Planted: a skip that gives no reason."""
print("ok one")
print("skip two")
