"""Nightlamp on Discord."""

from discord import VoiceClient

# The library warns of what it lacks for voice whenever a client is made; nobody speaks here.
VoiceClient.warn_nacl = False
VoiceClient.warn_dave = False
