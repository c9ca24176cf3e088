/* What the compiled parts share: the hash of their source, and named tuples without a call of their constructors.
 *
 * The quick way to such a tuple is to fill memory of the type. Since Python 3.14 it has the hash 0: tuples keep their
 * hash there, which only Python itself can mark as unknown. So their fields are filled into a plain tuple first.
 */

#ifndef COMPILED_H
#define COMPILED_H

/* Without PY_SSIZE_T_CLEAN, so that no format of arguments has a `#`: it would fail before Python 3.13 in a part that
 * was compiled with the headers of a later one.
 */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

/* `compiled_part` in compiled.py compares it with the source. */
static inline int add_source(PyObject *module) { return PyModule_AddStringConstant(module, "SOURCE", SOURCE); }

static inline int is_tuple_type(PyTypeObject *type) {
    if (PyType_IsSubtype(type, &PyTuple_Type)) return 1;
    PyErr_SetString(PyExc_TypeError, "expected a class of named tuples");
    return 0;
}

static inline int tuples_keep_their_hash(void) { return Py_Version >= 0x030E0000; }

/* A tuple of so many fields, all of which must be set. The type must add no memory to that of a tuple. */
static inline PyObject *begin_named_tuple(PyTypeObject *type, Py_ssize_t fields) {
    return tuples_keep_their_hash() ? PyTuple_New(fields) : PyType_GenericAlloc(type, fields);
}

/* Sets a field, and owns the value from then on; 0 if there is no value because of an error. */
static inline int set_field(PyObject *fields, Py_ssize_t at, PyObject *value) {
    return value != NULL && PyTuple_SetItem(fields, at, value) == 0;
}

/* The named tuple of these fields, which belong to it from then on. No field may refer to a container that changes: the
 * garbage collector does not track the tuple. Taking it from the collector's list when it is freed would touch
 * neighbours that are no longer in the processor's caches.
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
