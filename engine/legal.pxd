"""Legal actions in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftBetting, DraftPlayer, twin_of
from engine.showing cimport lowest_door
from engine.sizes cimport can_act, full_sizes, raises_left


@cython.locals(twin=Draft)
cpdef object legal_actions(object state)
cpdef object legal_in(Draft draft)
cpdef object amount_of(object state, object action)
cpdef list _purchase_choices(Draft draft, DraftPlayer player)
cpdef list _claim_choices(Draft draft, DraftPlayer player)
cpdef list _roll_choices(Draft draft, DraftPlayer player)
@cython.locals(posted="long long")
cpdef list _bring_in_choices(Draft draft, DraftPlayer player)
@cython.locals(betting=DraftBetting, level="long long", to="long long")
cpdef list _betting_choices(Draft draft, DraftPlayer player)
@cython.locals(other=DraftPlayer, level="long long")
cdef bint _can_be_answered(Draft draft, DraftPlayer player) except -1
@cython.locals(sizes=tuple, wagers=list, room="long long", low="long long", high="long long", most="long long")
cdef list _wagers(Draft draft, DraftPlayer player, object kind, long long above)
cpdef list _showdown_choices(Draft draft, DraftPlayer player)
