"""The only files of core that import a vendor."""
