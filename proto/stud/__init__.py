"""The API of Dugout."""
