"""What people thought: the journal, gaps, digests."""
