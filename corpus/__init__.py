"""Runbooks in: sources, documents, sections, passages, the index."""
