"""Drafts in C, for the compiled modules of the engine: amounts, seats and counts are numbers, not objects."""

cimport cython


@cython.final
@cython.no_gc  # what it holds never leads back to it
@cython.freelist(16)
cdef class DraftPlayer:
    cdef public long long seat
    cdef public long long stack, collected, bet
    cdef public tuple down, up, dead, paid, claimable, unseen
    cdef public bint folded, acted, shown, out

    cdef public object frozen
    cdef public DraftPlayer origin

    @cython.locals(twin=DraftPlayer)
    cpdef DraftPlayer copy(self)
    cdef bint _is_unchanged(self, DraftPlayer origin)
    @cython.locals(origin=DraftPlayer)
    cpdef object freeze(self)
    cdef object _freeze(self)


@cython.final
@cython.no_gc
@cython.freelist(4)
cdef class DraftBetting:
    cdef public long long level, full_level, step, raises
    cdef public bint opened, open_pair, high, heads_up
    cdef public long long aggressor

    @cython.locals(twin=DraftBetting)
    cpdef DraftBetting copy(self)
    cpdef begin(self)
    cpdef object freeze(self)


@cython.final
@cython.freelist(4)
cdef class Draft:
    cdef public object rules, phase, offer, legal
    cdef public long long seat_count, button, actor, asked, leader, roller
    cdef public long long chips, carry
    cdef public list players, events
    cdef public tuple deck, spare, burns, community, triggers, dead_money, awards
    cdef public long long round, cursor, betting_round, rolled
    cdef public DraftBetting betting
    cdef public long long named_wild
    cdef public bint naming, pay_bought, down_dealt, rained, credit

    @cython.locals(twin=Draft, player=DraftPlayer)
    cpdef Draft copy(self)
    cpdef object freeze(self)
    @cython.locals(player=DraftPlayer)
    cdef object _freeze(self)
    cpdef emit(self, object event)
    @cython.locals(player=DraftPlayer)
    cpdef list live(self)
    @cython.locals(player=DraftPlayer)
    cpdef int live_count(self) except -1
    cpdef int street(self) except -1
    @cython.locals(player=DraftPlayer, place=int)
    cpdef int place(self, long long seat) except -1
    cpdef DraftPlayer player(self, long long seat)
    cpdef list clockwise_from(self, long long seat)
    cpdef long long affordable(self, DraftPlayer player, long long amount)
    cpdef fold(self, DraftPlayer player)
    @cython.locals(player=DraftPlayer)
    cpdef tuple pots(self)


cpdef Draft twin_of(object state)
