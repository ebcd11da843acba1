# cython: autotestdict=False, binding=False, embedsignature=True, embedsignature.format=python
"""The compiled hand evaluator; engine/evaluator_twin.py says the same in plain Python.

The functions are builtin ones (``binding`` off): the interpreter calls those a fifth faster.
"""

cimport cython
from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_CheckBuffer,
    PyObject_GetBuffer,
)
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_New, PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_CheckExact, PyUnicode_DATA, PyUnicode_GET_LENGTH
from libc.stdlib cimport calloc, free, getenv
from libc.string cimport memcpy, strcmp

from engine.ranking import STANDARD, Ranking


cdef extern from "Python.h":
    # Declared without an error value: what does not fit is told apart below.
    Py_ssize_t PyLong_AsSsize_t(object value)
    bint PyUnicode_IS_ASCII(object text)


cdef extern from "evaluator_calls.h":
    uint64_t dugout_digits(object value)
    int dugout_use_bits
    object dugout_quickened(object function, int place, object module)


cdef object standard = STANDARD
cdef object ranking_type = Ranking


cdef uint64_t refuse_mask(object value, str name) except? 0xFFFFFFFFFFFFFFFF:
    if not PyLong_Check(value):
        raise TypeError(f"{name}: a mask of cards is an int, not {type(value).__name__}")
    shown = f"{int(value):#x}" if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"
    raise ValueError(f"{name}: {shown} is not a mask of the 52 cards (0 to 2**52 - 1)")


cdef inline uint64_t mask_of(object value, str name) except? 0xFFFFFFFFFFFFFFFF:
    cdef Py_ssize_t mask
    cdef uint64_t digits
    if not PyLong_Check(value):
        return refuse_mask(value, name)
    digits = dugout_digits(value)
    if not digits >> 52:
        return digits
    mask = PyLong_AsSsize_t(value)
    if (<uint64_t>mask) >> 52:
        if mask == -1 and PyErr_Occurred() is not NULL:
            PyErr_Clear()
        return refuse_mask(value, name)
    return <uint64_t>mask


cdef uint64_t refuse_hand(uint64_t hand) except? 0xFFFFFFFFFFFFFFFF:
    raise ValueError(f"cards: a hand has 1 to {DUGOUT_MOST_CARDS} cards, not {dugout_count(hand)}")


cdef inline uint64_t hand_of(object value) except? 0xFFFFFFFFFFFFFFFF:
    cdef uint64_t hand = mask_of(value, "cards")
    if hand == 0 or dugout_count(hand) > DUGOUT_MOST_CARDS:
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
        return dugout_value_bits(hand, wilds) if dugout_use_bits else dugout_value(hand, wilds)
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


cdef bint is_forced(const char *path) noexcept:
    cdef const char *forced = getenv("DUGOUT_SIMD")
    return forced is not NULL and strcmp(forced, path) == 0


dugout_use_bits = dugout_has_bits() and not is_forced("portable")
evaluate = dugout_quickened(evaluate, 0, __name__)
evaluate_showing = dugout_quickened(evaluate_showing, 1, __name__)


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


cdef enum:
    NO_CARD = 0xFF

cdef unsigned char rank_numbers[128], suit_numbers[128]


cdef int number_characters() except -1:
    cdef int number
    for number in range(128):
        rank_numbers[number] = suit_numbers[number] = NO_CARD
    for number, character in enumerate("23456789TJQKA"):
        rank_numbers[<int>ord(character)] = number
    for number, character in enumerate("cdhs"):
        suit_numbers[<int>ord(character)] = 13 * number
    return 0


number_characters()


def read_cards(text):
    """Return the numbers of different cards from ASCII text in one pass, None if anything else stands there.

    Spaces and commas count nowhere. What is wrong is for ``engine.cards.parse_cards`` to say, which calls this first.
    """
    cdef const unsigned char *characters
    cdef unsigned char cards[52]
    cdef unsigned char rank = NO_CARD, character, suit
    cdef uint64_t seen = 0
    cdef Py_ssize_t at, count = 0
    cdef tuple read
    if not (PyUnicode_CheckExact(text) and PyUnicode_IS_ASCII(text)):
        return None
    characters = <const unsigned char *>PyUnicode_DATA(text)
    for at in range(PyUnicode_GET_LENGTH(text)):
        character = characters[at]
        if character == 32 or character == 44 or 9 <= character <= 13:
            continue
        if rank == NO_CARD:
            rank = rank_numbers[character]
            if rank == NO_CARD:
                return None
            continue
        suit = suit_numbers[character]
        if suit == NO_CARD or seen >> (suit + rank) & 1:
            return None
        cards[count] = suit + rank
        seen |= <uint64_t>1 << cards[count]
        rank = NO_CARD
        count += 1
    if rank != NO_CARD:
        return None
    read = PyTuple_New(count)
    for at in range(count):
        card = cards[at]
        Py_INCREF(card)
        PyTuple_SET_ITEM(read, at, card)
    return read


def join_cards(cards):
    """Return the mask of a tuple or list of cards from 0 to 51, None if it is anything else."""
    cdef uint64_t mask = 0, number
    if not (PyTuple_CheckExact(cards) or PyList_CheckExact(cards)):
        return None
    for card in cards:
        if not PyLong_CheckExact(card):
            return None
        number = dugout_digits(card)
        if number > 51:
            return None
        mask |= <uint64_t>1 << number
    return mask


cdef tuple paths = ("portable", "avx2", "avx512")
cdef int best_path = DUGOUT_PORTABLE


cdef dugout_batch path_named(const char *name) except NULL:
    """Return the path that ``DUGOUT_SIMD`` names."""
    cdef str asked = name.decode("utf-8", "replace")
    there = [path for at, path in enumerate(paths) if dugout_batch_on(at) is not NULL]
    if asked not in paths:
        raise RuntimeError(f"DUGOUT_SIMD: {asked!r} is none of {', '.join(paths)}")
    if asked not in there:
        raise RuntimeError(f"DUGOUT_SIMD: this processor has no {asked}, only {', '.join(there)}")
    return dugout_batch_on(paths.index(asked))


cdef dugout_batch chosen_path() except NULL:
    global best_path
    cdef const char *forced = getenv("DUGOUT_SIMD")
    if forced is not NULL and forced[0]:
        return path_named(forced)
    if best_path == DUGOUT_PORTABLE:
        best_path = max(at for at in range(DUGOUT_PATHS) if dugout_batch_on(at) is not NULL)
    return dugout_batch_on(best_path)


@cython.final
@cython.auto_pickle(False)
cdef class _Masks:
    """A buffer of 64-bit numbers, held as long as this object lives."""

    cdef Py_buffer view
    cdef bint held
    cdef Py_ssize_t count

    def __cinit__(self, source, str name, bint writable):
        cdef int wanted = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT
        if not PyObject_CheckBuffer(source):
            raise TypeError(f"{name}: a buffer of 64-bit integers is needed, not {type(source).__name__}")
        try:
            PyObject_GetBuffer(source, &self.view, wanted | PyBUF_WRITABLE if writable else wanted)
        except (BufferError, ValueError) as error:
            raise ValueError(f"{name}: no C-contiguous{' writable' if writable else ''} buffer: {error}") from None
        self.held = True
        form = b"B" if self.view.format is NULL else <bytes>self.view.format
        if form.lstrip(b"@=<") not in (b"Q", b"q", b"L", b"l", b"N", b"n", b"B", b"c"):
            raise ValueError(f"{name}: items of format {form.decode()!r} are not 64-bit integers or bytes")
        if self.view.itemsize not in (1, 8):
            raise ValueError(f"{name}: items of {self.view.itemsize} bytes are not 64-bit integers")
        if self.view.len % 8:
            raise ValueError(f"{name}: {self.view.len} bytes are no whole number of 64-bit integers")
        self.count = self.view.len // 8

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)


cdef uint64_t mask_at(const char *masks, size_t at) noexcept:
    cdef uint64_t mask
    memcpy(&mask, masks + 8 * at, 8)
    return mask


cdef int refuse_first(const char *cards, const char *wild, bint one_wild, size_t at, size_t hands) except -1:
    """Name the first hand or wild mask from ``at`` on that is none."""
    cdef uint64_t hand, wilds
    for at in range(at, hands):
        hand = mask_at(cards, at)
        wilds = mask_at(wild, 0 if one_wild else at)
        for name, mask in (("cards", hand), ("wild", wilds)):
            if mask >> 52:
                raise ValueError(f"{name}[{at}]: {mask:#x} is not a mask of the 52 cards (0 to 2**52 - 1)")
        if not 1 <= dugout_count(hand) <= DUGOUT_MOST_CARDS:
            raise ValueError(f"cards[{at}]: a hand has 1 to {DUGOUT_MOST_CARDS} cards, not {dugout_count(hand)}")
    raise ValueError("cards: changed by another thread while they were evaluated")


def evaluate_many(cards, wild, *, ranking=STANDARD, out=None):
    """Return the values of many hands, those of ``evaluate``, without holding the GIL.

    ``cards`` is a C-contiguous buffer of 64-bit integers (a numpy array, ``array("Q")``, a memoryview) or of
    bytes in the machine's order, eight a hand. ``wild`` is one mask, or a buffer of as many. Values go to ``out``,
    a writable buffer of as many 64-bit integers, which is then returned and may be ``cards`` itself but not
    overlap it otherwise; without one, to a new memoryview of format ``q``.

    The environment variable ``DUGOUT_SIMD`` (``avx512``, ``avx2``, ``portable``) forces a path; unset, the
    processor's best one is taken. The values do not depend on it.

    Raises:
        ValueError: if a hand or a mask is none, as for ``evaluate``, with its index; ``out`` is then written in
            part. Or if a buffer has other items, or another length than ``cards``.
        TypeError: if an argument is no buffer, or ``ranking`` not a Ranking.
        RuntimeError: if ``DUGOUT_SIMD`` names a path that does not exist or that the processor lacks.
    """
    cdef int flags = 0 if ranking is standard else flags_of(ranking)
    cdef _Masks hands = _Masks(cards, "cards", False), wilds = None, values
    cdef uint64_t one_wild = 0
    cdef const char *wild_masks = <const char *>&one_wild
    cdef size_t count = hands.count, done
    cdef dugout_batch batch = chosen_path()
    if PyLong_Check(wild):
        one_wild = mask_of(wild, "wild")
    else:
        wilds = _Masks(wild, "wild", False)
        wild_masks = <const char *>wilds.view.buf
        if wilds.count != hands.count:
            raise ValueError(f"wild: {wilds.count} masks for {hands.count} hands")
    result = memoryview(bytearray(8 * hands.count)).cast("q") if out is None else out
    values = _Masks(result, "out", True)
    if values.count != hands.count:
        raise ValueError(f"out: room for {values.count} values of {hands.count} hands")
    with nogil:
        done = batch(<const char *>hands.view.buf, wild_masks, wilds is None, count, flags, <char *>values.view.buf)
    if done < count:
        refuse_first(<const char *>hands.view.buf, wild_masks, wilds is None, done, count)
    return result


cdef int check_census(uint64_t held, int below, int more) except -1:
    if not 1 <= more <= below <= 52:
        raise ValueError(f"more: {more} of {below} cards: at least one is drawn, and the deck has 52")
    if held & ((<uint64_t>1 << below) - 1):
        raise ValueError(f"held: no card of the first {below} may be held")
    if dugout_count(held) + more > DUGOUT_MOST_CARDS:
        raise ValueError(f"more: a hand has 1 to {DUGOUT_MOST_CARDS} cards, not {dugout_count(held) + more}")
    return 0


def census(held, int below, int more, wild=0, *, bint compare=False):
    """Value every hand that holds ``held`` and ``more`` of the first ``below`` cards of the deck, for proofs.

    Returns how many hands there are of each category (``value >> 27``), the set of their values, and, with
    ``compare``, how many differ from ``evaluate`` or, at seven cards, from the best of their 21 fives. The
    values are those of ``evaluate_many``; the GIL is released.

    Raises:
        ValueError: if there are no such hands, or they have more than 13 cards.
    """
    cdef uint64_t cards = mask_of(held, "held"), wilds = mask_of(wild, "wild")
    cdef dugout_batch batch = chosen_path()
    cdef dugout_census *found
    check_census(cards, below, more)
    found = <dugout_census *>calloc(1, sizeof(dugout_census))
    if found is NULL:
        raise MemoryError
    try:
        with nogil:
            dugout_take_census(found, batch, cards, below, more, wilds, compare)
        categories = tuple([found.categories[code] for code in range(DUGOUT_CATEGORIES)])
        values = frozenset([found.values[slot] for slot in range(DUGOUT_CENSUS_SLOTS) if found.values[slot]])
        return categories, values, found.differences
    finally:
        free(found)


def count_lows(held, int below, int more, wild=0, *, excluded=0, bint a6=False, int top=0, uint32_t most=0x3FFFFFFF):
    """Return how many of the hands of ``census`` have a low, ``excluded`` cards apart, that is ``most`` or lower.

    ``a6``: straights and flushes count against it. ``top``: the highest rank that qualifies, 0 for any low.
    """
    cdef uint64_t cards = mask_of(held, "held"), wilds = mask_of(wild, "wild"), out = mask_of(excluded, "excluded")
    cdef uint64_t found
    check_census(cards, below, more)
    with nogil:
        found = dugout_count_lows(cards, below, more, wilds, out, a6, top, most)
    return found
