/* How evaluate and evaluate_showing are called from Python: what a call costs beside the value itself. */
#ifndef DUGOUT_EVALUATOR_CALLS_H
#define DUGOUT_EVALUATOR_CALLS_H

#include <Python.h>

#include "evaluator_bits.h"
#include "evaluator_paths.h"

_Static_assert(sizeof(Py_ssize_t) == 8, "52-bit masks are read as Py_ssize_t: a 64-bit Python is needed");

/* Reads an int of 0 to 2**60 - 1 without a call, where CPython shows its digits; all ones if it cannot. */
static inline uint64_t dugout_digits(PyObject *value)
{
#if CYTHON_COMPILING_IN_CPYTHON && PyLong_SHIFT == 30 && PY_VERSION_HEX < 0x030C0000
    const digit *digits = ((PyLongObject *)value)->ob_digit;
    Py_ssize_t size = Py_SIZE(value);
#elif CYTHON_COMPILING_IN_CPYTHON && PyLong_SHIFT == 30
    const digit *digits = ((PyLongObject *)value)->long_value.ob_digit;
    uintptr_t tag = ((PyLongObject *)value)->long_value.lv_tag;
    Py_ssize_t size = (tag & 3) == 2 ? -1 : (Py_ssize_t)(tag >> 3);
#else
    const uint32_t digits[2] = {0, 0};
    Py_ssize_t size = -1;
    (void)value;
#endif
    if (size == 2) {
        return (uint64_t)digits[1] << 30 | digits[0];
    }
    if (size == 1) {
        return digits[0];
    }
    return size == 0 ? 0 : UINT64_MAX;
}

/* The common call, with one or two masks in order and nothing else, is answered before arguments are sorted; with
 * anything else, and to refuse anything, the function is called that this stands for. */
static int dugout_use_bits;
static PyObject *dugout_thorough[2];

static inline PyObject *dugout_quick(PyObject *thorough, PyObject *const *arguments, Py_ssize_t count,
                                     PyObject *names)
{
    Py_ssize_t given = PyVectorcall_NARGS(count);
    if (names == NULL && (given == 1 || given == 2) && PyLong_CheckExact(arguments[0])
        && PyLong_CheckExact(arguments[given - 1])) {
        uint64_t cards = dugout_digits(arguments[0]);
        uint64_t wild = given == 2 ? dugout_digits(arguments[1]) : 0;
        if (!((cards | wild) >> 52) && cards && dugout_count(cards) <= DUGOUT_MOST_CARDS) {
            return PyLong_FromLong((long)(dugout_use_bits ? dugout_value_bits(cards, wild)
                                                          : dugout_value(cards, wild)));
        }
    }
    return PyObject_Vectorcall(thorough, arguments, count, names);
}

static PyObject *dugout_quick_0(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    (void)self;
    return dugout_quick(dugout_thorough[0], arguments, count, names);
}

static PyObject *dugout_quick_1(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    (void)self;
    return dugout_quick(dugout_thorough[1], arguments, count, names);
}

static PyObject *dugout_quickened(PyObject *function, int place, PyObject *module)
{
    static PyMethodDef methods[2];
    Py_INCREF(function);
    dugout_thorough[place] = function;
    methods[place] = *((PyCFunctionObject *)function)->m_ml;
    methods[place].ml_meth = (PyCFunction)(void (*)(void))(place ? dugout_quick_1 : dugout_quick_0);
    methods[place].ml_flags = METH_FASTCALL | METH_KEYWORDS;
    return PyCFunction_NewEx(&methods[place], NULL, module);
}

#endif
