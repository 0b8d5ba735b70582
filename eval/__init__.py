"""Is it any good? Questions, measures, runs."""
