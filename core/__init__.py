"""What it is to answer from runbooks: words, decisions, no chat, no vendor."""
