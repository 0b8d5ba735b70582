"""Nightlamp on Discord."""
