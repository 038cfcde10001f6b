# SPDX-License-Identifier: MIT
"""Planted: a script that reports nothing."""
