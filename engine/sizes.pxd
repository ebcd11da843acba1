"""Bet sizes in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftBetting, DraftPlayer


cpdef bint can_act(Draft draft, DraftPlayer player)
@cython.locals(player=DraftPlayer)
cpdef int able_count(Draft draft) except -1
@cython.locals(betting=DraftBetting)
cpdef bint raises_left(Draft draft) except -1
@cython.locals(betting=DraftBetting, base="long long", low="long long", to="long long", unit="long long")
cpdef tuple full_sizes(Draft draft, DraftPlayer player)
@cython.locals(betting=DraftBetting)
cpdef tuple limit_units(Draft draft, object limit)
