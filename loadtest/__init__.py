"""The load test: whole tables played against a running server, with every reply checked.

A client like any other: it knows the protocol and nothing of what is behind it.
"""
