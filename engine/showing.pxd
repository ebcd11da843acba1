"""Visible hands in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftPlayer
from engine.wilds cimport wild_mask


@cython.locals(visible=tuple)
cpdef long long showing_value(Draft draft, DraftPlayer player) except -1
cpdef DraftPlayer best_showing(Draft draft)
@cython.locals(player=DraftPlayer, best=DraftPlayer, value="long long", best_value="long long", by_suit=bint, is_better=bint)
cpdef DraftPlayer best_showing_of(Draft draft, list players)
cdef int _highest_up_card(DraftPlayer player) except -2
cdef int _height(int card)
@cython.locals(player=DraftPlayer, lowest=DraftPlayer, height=int, lowest_height=int, wilds_high=bint)
cpdef DraftPlayer lowest_door(Draft draft)
