"""The gRPC service around the engine."""
