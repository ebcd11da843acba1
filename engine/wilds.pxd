"""Wild cards in C, for the compiled modules of the engine."""

from engine.draft cimport Draft


cpdef object wild_mask(object hand, object player)
cpdef follow(Draft draft, int card)
