"""Pots in C, for the compiled modules of the engine."""

cimport cython


@cython.locals(amount="long long", level="long long", below="long long", paid="long long", live=bint)
cpdef tuple layered(object contributions, object dead_money=*)
