"""Nightlamp on Slack."""
