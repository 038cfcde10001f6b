# SPDX-License-Identifier: MIT
"""Passes."""
print("ok one")
print("ok data:two")
