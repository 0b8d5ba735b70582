"""Talks to people: the terminal and the chats."""
