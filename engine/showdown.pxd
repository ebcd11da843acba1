"""Showdowns in C, for the compiled modules of the engine."""

cimport cython
from engine.betting cimport collect
from engine.draft cimport Draft, DraftPlayer


@cython.locals(first=DraftPlayer, player=DraftPlayer, worths=dict)
cpdef settle(Draft draft, long long amount)
@cython.locals(player=DraftPlayer)
cdef object _show(Draft draft, DraftPlayer player)
@cython.locals(player=DraftPlayer)
cdef _end(Draft draft)
