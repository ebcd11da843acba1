"""Dealing in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftPlayer
from engine.purchases cimport note_triggers, take_ready
from engine.wilds cimport follow


cpdef deal(Draft draft)
@cython.locals(player=DraftPlayer, at=int, count=int, end=int, faces=str)
cdef _deal_on(Draft draft)
cpdef ask_before_round(Draft draft)
cpdef ask_after_round(Draft draft)
cpdef bint settle_next(Draft draft) except -1
cpdef show_card(Draft draft, long long seat, int card, bint is_door)
@cython.locals(card=int, is_door=bint)
cdef _give_card(Draft draft, DraftPlayer player, object face, object cause, int in_place_of=*)
cdef int _draw(Draft draft) except -1
@cython.locals(burns=bint, is_last=bint, needed=int)
cdef _begin_round(Draft draft)
