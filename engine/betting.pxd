"""Betting in C, for the compiled modules of the engine."""

cimport cython
from engine.draft cimport Draft, DraftBetting, DraftPlayer
from engine.showing cimport best_showing, lowest_door
from engine.sizes cimport able_count, can_act, full_sizes, limit_units


@cython.locals(betting=DraftBetting, player=DraftPlayer)
cpdef open_round(Draft draft)
@cython.locals(opener=DraftPlayer, by_bring_in=bint)
cpdef choose_opener(Draft draft)
@cython.locals(betting=DraftBetting, player=DraftPlayer, full=bint)
cpdef post_bring_in(Draft draft, long long to)
cpdef check(Draft draft, long long to)
@cython.locals(player=DraftPlayer)
cpdef call(Draft draft, long long to)
cpdef fold(Draft draft, long long to)
@cython.locals(player=DraftPlayer)
cpdef bet(Draft draft, long long to)
@cython.locals(player=DraftPlayer)
cpdef complete(Draft draft, long long to)
@cython.locals(player=DraftPlayer)
cpdef raise_(Draft draft, long long to)
@cython.locals(player=DraftPlayer, level="long long")
cpdef list waiting_players(Draft draft)
@cython.locals(player=DraftPlayer, following=DraftPlayer, waiting=list, place=int)
cpdef pass_turn(Draft draft)
cpdef close_round(Draft draft)
@cython.locals(player=DraftPlayer, betting=DraftBetting)
cpdef collect(Draft draft)
@cython.locals(player=DraftPlayer, top=DraftPlayer, called="long long", uncalled="long long")
cdef _return_uncalled(Draft draft)
@cython.locals(player=DraftPlayer)
cdef _go_on(Draft draft)
@cython.locals(player=DraftPlayer)
cdef DraftPlayer _next_able(Draft draft, DraftPlayer after)
cdef long long _put_in(DraftPlayer player, long long to) except -1
@cython.locals(betting=DraftBetting, least="long long", base="long long")
cdef long long _wager(Draft draft, DraftPlayer player, long long to) except -1
cdef bint _is_full(Draft draft, long long to, long long least, long long base) except -1
cdef bint _is_high_bet(Draft draft, long long to, long long base) except -1
@cython.locals(player=DraftPlayer)
cdef _reopen(Draft draft)
