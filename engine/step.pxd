"""The machine in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftPlayer, twin_of
from engine.legal cimport amount_of


@cython.locals(draft=Draft)
cpdef object step(object state, object action)
cdef object _advance(Draft draft)
cdef object _leave(object state, object seat)
cdef _go_on_without(Draft draft, long long seat)
@cython.locals(player=DraftPlayer, paid="long long")
cdef _post_antes(Draft draft, long long ante)
