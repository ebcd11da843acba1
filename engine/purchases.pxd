"""What cards raise, in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftPlayer


cpdef note_triggers(Draft draft, long long seat, int card, bint is_door)
cpdef object take_ready(Draft draft)
