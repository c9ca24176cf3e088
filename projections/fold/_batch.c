/* Adds events to a batch as BatchFold._add_each does: each to its task's checkpoints, or to the messages. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

static PyObject *task_name; /* of an attribute */

/* Where events go. All are borrowed. */
typedef struct {
    PyObject *entries, *new_entry, *checkpoints, *messages, *add_without_key;
} Batch;

/* The result of a call that only matters if it failed. */
static int done(PyObject *result) {
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static PyObject *entry_of(const Batch *batch, PyObject *key) {
    PyObject *entry = PyDict_GetItemWithError(batch->entries, key);
    if (entry != NULL) return Py_NewRef(entry);
    return PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(batch->new_entry, key, NULL);
}

/* The list of a task's checkpoints (borrowed). */
static PyObject *checkpoints_of(const Batch *batch, PyObject *task) {
    PyObject *events = PyDict_GetItemWithError(batch->checkpoints, task);
    if (events != NULL || PyErr_Occurred()) return events;
    if ((events = PyList_New(0)) == NULL) return NULL;
    int failed = PyDict_SetItem(batch->checkpoints, task, events);
    Py_DECREF(events);
    return failed ? NULL : events;
}

static int add_checkpoint(const Batch *batch, PyObject *task, PyObject *checkpoint) {
    PyObject *events = checkpoints_of(batch, task);
    return events == NULL ? -1 : PyList_Append(events, checkpoint);
}

static int add_to_entry(const Batch *batch, PyObject *entry, PyObject *offset, PyObject *time, PyObject *key,
                        PyObject *value) {
    PyObject *task = PyObject_GetAttr(entry, task_name);
    if (task == NULL) return -1;
    PyObject *event = task == Py_None ? PyTuple_Pack(5, entry, key, offset, time, value)
                                      : PyTuple_Pack(4, offset, time, value, entry);
    int failed = -1;
    if (event != NULL) {
        PyObject_GC_UnTrack(event); /* for the reason in _named_tuple.h; entries do not refer to their events */
        failed = task == Py_None ? PyList_Append(batch->messages, event) : add_checkpoint(batch, task, event);
        Py_DECREF(event);
    }
    Py_DECREF(task);
    return failed;
}

static int add_event(const Batch *batch, PyObject *offset, PyObject *time, PyObject *key, PyObject *value) {
    if (key == Py_None)
        return done(PyObject_CallFunctionObjArgs(batch->add_without_key, offset, time, value, NULL));
    PyObject *entry = entry_of(batch, key);
    if (entry == NULL) return -1;
    int failed = add_to_entry(batch, entry, offset, time, key, value);
    Py_DECREF(entry);
    return failed;
}

PyDoc_STRVAR(add_events_doc,
"add_events(offsets, record_times, keys, values, entries, new_entry, checkpoints, messages, add_without_key)\n\n"
"Add events, which are given by columns: to the lists of checkpoints by task, or to the messages.");

static PyObject *add_events(PyObject *Py_UNUSED(module), PyObject *args) {
    Batch batch;
    PyObject *offsets, *times, *keys, *values;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!OO!O!O", &PyTuple_Type, &offsets, &PyList_Type, &times, &PyTuple_Type, &keys,
                          &PyTuple_Type, &values, &PyDict_Type, &batch.entries, &batch.new_entry,
                          &PyDict_Type, &batch.checkpoints, &PyList_Type, &batch.messages, &batch.add_without_key))
        return NULL;
    Py_ssize_t length = PyTuple_Size(offsets);
    if (PyList_Size(times) != length || PyTuple_Size(keys) != length || PyTuple_Size(values) != length)
        return PyErr_Format(PyExc_ValueError, "the columns differ in length");
    for (Py_ssize_t at = 0; at < length; at++)
        if (add_event(&batch, PyTuple_GetItem(offsets, at), PyList_GetItem(times, at), PyTuple_GetItem(keys, at),
                      PyTuple_GetItem(values, at)) < 0)
            return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"add_events", add_events, METH_VARARGS, add_events_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_batch", "The compiled part of batch.", 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__batch(void) {
    if ((task_name = PyUnicode_InternFromString("task")) == NULL) return NULL;
    return PyModuleDef_Init(&module);
}
