/* Makes named tuples without a call of their constructors, as tuple.__new__ does.
 *
 *     PyObject *fields = begin_named_tuple(type, 2);
 *     ... set_field(fields, 0, value) && set_field(fields, 1, other) ...
 *     return end_named_tuple(type, fields);
 *
 * The quick way is to fill memory of the type. Since Python 3.14 such a tuple has the hash 0: tuples keep their hash
 * there, which only Python itself can mark as unknown. So their fields are filled into a plain tuple first.
 */

#ifndef NAMED_TUPLE_H
#define NAMED_TUPLE_H

#include <Python.h>

static inline int tuples_keep_their_hash(void) { return Py_Version >= 0x030E0000; }

/* A tuple of so many fields, all of which must be set. The type must add no memory to that of a tuple. */
static inline PyObject *begin_named_tuple(PyTypeObject *type, Py_ssize_t fields) {
    return tuples_keep_their_hash() ? PyTuple_New(fields) : PyType_GenericAlloc(type, fields);
}

/* Sets a field, and owns the value from then on; 0 if there is no value because of an error. */
static inline int set_field(PyObject *fields, Py_ssize_t at, PyObject *value) {
    return value != NULL && PyTuple_SetItem(fields, at, value) == 0;
}

/* The named tuple of these fields, which belong to it from then on. No field may refer to a container that changes.
 *
 * So it is in no reference cycle, and the garbage collector need not track it. It would have to be taken from the
 * collector's list when it is freed, and its neighbours there are no longer in the processor's caches then.
 */
static inline PyObject *end_named_tuple(PyTypeObject *type, PyObject *fields) {
    if (!tuples_keep_their_hash()) {
        PyObject_GC_UnTrack(fields);
        return fields;
    }
    newfunc new_tuple = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    PyObject *arguments = PyTuple_Pack(1, fields);
    PyObject *result = arguments == NULL ? NULL : new_tuple(type, arguments, NULL);
    Py_XDECREF(arguments);
    Py_DECREF(fields);
    return result;
}

#endif
