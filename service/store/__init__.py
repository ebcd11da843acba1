"""Where tables are kept: bytes under an etag, in Valkey or Redis."""
