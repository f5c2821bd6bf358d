"""What the analyst does."""
