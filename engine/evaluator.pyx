# cython: autotestdict=False
"""The compiled hand evaluator; engine/evaluator_twin.py says the same in plain Python."""

from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.long cimport PyLong_Check

from engine.ranking import STANDARD, Ranking


cdef extern from "Python.h":
    # Declared without an error value: what does not fit is told apart below.
    Py_ssize_t PyLong_AsSsize_t(object value)


cdef extern from *:
    """
    _Static_assert(sizeof(Py_ssize_t) == 8, "52-bit masks are read as Py_ssize_t: a 64-bit Python is needed");
    """


cdef object standard = STANDARD
cdef object ranking_type = Ranking

cdef enum:
    MOST_CARDS = 13


cdef uint64_t refuse_mask(object value, str name) except? 0xFFFFFFFFFFFFFFFF:
    if not PyLong_Check(value):
        raise TypeError(f"{name}: a mask of cards is an int, not {type(value).__name__}")
    shown = f"{int(value):#x}" if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"
    raise ValueError(f"{name}: {shown} is not a mask of the 52 cards (0 to 2**52 - 1)")


cdef inline uint64_t mask_of(object value, str name) except? 0xFFFFFFFFFFFFFFFF:
    cdef Py_ssize_t mask
    if not PyLong_Check(value):
        return refuse_mask(value, name)
    mask = PyLong_AsSsize_t(value)
    if (<uint64_t>mask) >> 52:
        if mask == -1 and PyErr_Occurred() is not NULL:
            PyErr_Clear()
        return refuse_mask(value, name)
    return <uint64_t>mask


cdef uint64_t refuse_hand(uint64_t hand) except? 0xFFFFFFFFFFFFFFFF:
    raise ValueError(f"cards: a hand has 1 to {MOST_CARDS} cards, not {dugout_count(hand)}")


cdef inline uint64_t hand_of(object value) except? 0xFFFFFFFFFFFFFFFF:
    cdef uint64_t hand = mask_of(value, "cards")
    if hand == 0 or dugout_count(hand) > MOST_CARDS:
        return refuse_hand(hand)
    return hand


cdef int flags_of(object ranking) except -1:
    cdef int flags = 0
    if not isinstance(ranking, ranking_type):
        raise TypeError(f"ranking: a Ranking is needed, not {type(ranking).__name__}")
    if ranking.double_ace_flush:
        flags |= DUGOUT_DOUBLE_ACE_FLUSH
    if ranking.five_of_a_kind == "below_royal_flush":
        flags |= DUGOUT_BELOW_ROYAL_FLUSH
    if ranking.natural_beats_wild:
        flags |= DUGOUT_NATURAL_BEATS_WILD
    return flags


cdef inline object value_of(object cards, object wild, object ranking):
    cdef uint64_t hand = hand_of(cards)
    cdef uint64_t wilds = mask_of(wild, "wild")
    if ranking is standard:
        return dugout_value(hand, wilds)
    return dugout_value_as(hand, wilds, flags_of(ranking))


def evaluate(cards, wild=0, *, ranking=STANDARD):
    """Return the value of the best five cards of a hand: higher is better, equal is a tie.

    ``cards`` and ``wild`` are 52-bit masks (bit ``suit * 13 + rank``); a hand has 1 to 13 cards, wild bits
    that are not held are ignored. Hands of fewer than five cards have a value too: equal ranks count, and a
    card that is there beats one that is missing (rules, sections 1 and 2).

    Raises:
        ValueError: if ``cards`` or ``wild`` has bits outside the 52, or ``cards`` is empty or too many.
        TypeError: if a mask is not an int, or ``ranking`` not a Ranking.
    """
    return value_of(cards, wild, ranking)


def evaluate_showing(cards, wild=0, *, ranking=STANDARD):
    """Return the value of the visible cards of a hand (rules, section 2); no wild mask: by printed rank.

    It is on one scale with ``evaluate``: straights, flushes and full houses need five cards there as well,
    wild or not, so nothing but the meaning of ``cards`` differs. Arguments and errors are as there.
    """
    return value_of(cards, wild, ranking)


def evaluate_low(cards, wild=0, *, scale="A5", mode="wild", qualifier=8):
    """Return the value of the best low hand: lower is better, None when there is none (rules, section 3).

    ``scale``: ``A5`` or ``A6`` (straights and flushes count against the low). ``mode``: whether wild cards
    are ``wild``, ``natural`` or ``excluded`` in the low. ``qualifier``: the highest rank of a low that
    qualifies, 5 to 13 (the ace is 1), or None: then every five cards are a low. Fewer than five usable cards
    are none.

    Raises:
        ValueError: as ``evaluate``, or if ``scale``, ``mode`` or ``qualifier`` has no such value.
        TypeError: if a mask is not an int, or ``qualifier`` neither int nor None.
    """
    cdef uint64_t hand = hand_of(cards)
    cdef uint64_t wilds = mask_of(wild, "wild")
    cdef uint32_t low
    cdef bint straights_count
    cdef int top = 0
    if scale == "A5":
        straights_count = False
    elif scale == "A6":
        straights_count = True
    else:
        raise ValueError(f"scale: {scale!r} is neither 'A5' nor 'A6'")
    if mode == "natural":
        wilds = 0
    elif mode == "excluded":
        hand &= ~wilds
        wilds = 0
    elif mode != "wild":
        raise ValueError(f"mode: {mode!r} is none of 'wild', 'natural', 'excluded'")
    if qualifier is not None:
        top = top_of(qualifier)
    low = dugout_low(hand, wilds, straights_count, top)
    return None if low == DUGOUT_NO_LOW else low


cdef int top_of(object qualifier) except -1:
    if not PyLong_Check(qualifier):
        raise TypeError(f"qualifier: a rank is an int, not {type(qualifier).__name__}")
    if not 5 <= qualifier <= 13:
        raise ValueError("qualifier: the highest rank of a low is 5 to 13, or None")
    return qualifier
