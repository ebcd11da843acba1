"""Payments in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftPlayer


cpdef award_all(Draft draft, int at, object pot, DraftPlayer winner)
