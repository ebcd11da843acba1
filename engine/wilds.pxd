"""Wild cards in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftPlayer


@cython.locals(mask="unsigned long long")
cpdef unsigned long long wild_mask(Draft draft, DraftPlayer player) except? 0xFFFFFFFFFFFFFFFF
cpdef follow(Draft draft, int card)
