"""The wire contract: the .proto file and what is generated from it."""
